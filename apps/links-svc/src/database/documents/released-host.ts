/** A name that an account had as a short host, for some time after it was deleted. */
export interface ReleasedHostDocument {
  /** See `releasedHostId`. */
  _id: string;
  account_id: string;
  host: string;
  /** From then on it is a name that nobody owns. */
  expires_at: Date;
}

/** Returns the id of an account's record of a name: it has one, however often the name was deleted. */
export function releasedHostId(accountId: string, host: string): string {
  return `${accountId}/${host}`;
}
