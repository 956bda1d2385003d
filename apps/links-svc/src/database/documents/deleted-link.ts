/**
 * The record of a deleted link, kept until analytics-svc has purged its clicks. It is written when the link is removed, or
 * when its clicks are forgotten.
 */
export interface DeletedLinkDocument {
  /** The name of the clicks: see `clicksIdOf`. */
  _id: string;
  account_id: string;
  /** The time from which its clicks are purged. */
  purge_at: Date;
}
