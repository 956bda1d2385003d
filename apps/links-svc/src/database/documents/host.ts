import type { HostStatus } from '@waymark/contract';

/** A short host of an account as it is stored. Several accounts may wait for the same one; one has it verified. */
export interface HostDocument {
  /** See `newHostId`. The redirects of its links begin with it. */
  _id: string;
  account_id: string;
  /** See `shortHost`. */
  host: string;
  status: HostStatus;
  /** The value of the TXT record that proves it. */
  txt_value: string;
  root_url: string | null;
  not_found_url: string | null;
  /** When DNS last gave a clear answer, by the database's clock. */
  checked_at: Date | null;
  /** When the record of a verified host was first missing, by the database's clock. Null while it is there. */
  missing_since: Date | null;
  /** When the next daily look is due, by the database's clock. */
  look_at: Date;
  created_at: Date;
}
