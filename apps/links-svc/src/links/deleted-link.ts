/**
 * What is left of a deleted link until analytics-svc has forgotten its clicks. It is written before the link is
 * removed, so that no crash can lose it, and holds only once the link is gone.
 */
export interface DeletedLinkDocument {
  /** The link's id. */
  _id: string;
  account_id: string;
  deleted_at: Date;
  /** True once the link is known to be gone; until then it may still be there, or its deletion may have failed. */
  confirmed: boolean;
  /** By the database's clock: when the deletion was last told of. For the replicas' caches. */
  changed_at?: Date;
  /** When its clicks are to be purged next. */
  purge_at: Date;
}
