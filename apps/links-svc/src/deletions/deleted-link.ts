import type { DeletedLinkDocument } from '../database/documents/deleted-link.ts';

/**
 * The clicks of a link are purged at the first UTC midnight this long after its deletion. After an outage of
 * analytics-svc, or of a spool, clicks can arrive there long after their link was deleted.
 */
const PURGED_AFTER_MS = 48 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** Returns the record of a link that is deleted now. */
export function deletedLink(_id: string, account_id: string, now: Date): DeletedLinkDocument {
  return { _id, account_id, purge_at: new Date(Math.ceil((now.getTime() + PURGED_AFTER_MS) / DAY_MS) * DAY_MS) };
}
