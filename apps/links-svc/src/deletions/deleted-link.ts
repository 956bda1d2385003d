/**
 * The record of a deleted link, kept until analytics-svc has purged its clicks. It is written before the link is
 * removed, so that a crash cannot lose it. It takes effect only once the link is gone.
 */
export interface DeletedLinkDocument {
  /** The link's id. */
  _id: string;
  account_id: string;
  /** True once the link is known to be gone. Before that, the link may still exist, or its deletion may have failed. */
  confirmed: boolean;
  /** The last time the deletion was recorded, by the database's clock. The caches of the replicas read it. */
  changed_at?: Date;
  /** The time from which its clicks are purged. */
  purge_at: Date;
}
