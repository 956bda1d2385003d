/** What is known of a destination. It is missing where nothing is. */
export interface StoredHealth {
  state: 'ok' | 'broken';
  /** The status of the last check that says so. Null if there was no response. */
  status: number | null;
  since: Date;
  checked_at: Date;
}

/** The next request of a check: where redirects led so far. */
export interface CheckStep {
  url: string;
  method: 'HEAD' | 'GET';
  redirects: number;
}

/** A destination that links with clicks have, of any accounts. */
export interface DestinationDocument {
  /** The hash of the URL. */
  _id: string;
  url: string;
  /** The host of the next request. */
  host: string;
  /** When the next request is due. */
  check_at: Date;
  /** Missing between two checks. */
  step?: CheckStep;
  health?: StoredHealth;
  /** When a check first found it broken, since it last was not. */
  failing_since?: Date;
  /** When a link with clicks was last seen to have it. */
  wanted_at: Date;
  /** The account whose links have it. Null if those of several have had it. */
  account_id: string | null;
}

/** A host that destinations are on, which gets one request at a time. */
export interface CheckedHostDocument {
  /** Its name. */
  _id: string;
  /** When the first of its destinations is due. */
  due_at: Date;
  /** No request is sent to it before. */
  free_at: Date;
}
