export type HostStatus = 'pending' | 'verified' | 'lost';

/** A short host of an account. */
export interface HostDocument {
  _id: string;
  account_id: string;
  /** In lower case and ASCII. */
  host: string;
  status: HostStatus;
  txt_value: string;
  root_url: string | null;
  not_found_url: string | null;
  checked_at: Date | null;
  missing_since: Date | null;
  created_at: Date;
}
