/** The record of a deleted link, kept until analytics-svc has purged its clicks. It is written when the link is removed. */
export interface DeletedLinkDocument {
  /** The link's id. */
  _id: string;
  account_id: string;
  /** The time from which its clicks are purged. */
  purge_at: Date;
}
