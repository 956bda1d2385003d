import type { AccountDocument } from '../database/documents/account.ts';
import type { EventDocument } from '../database/documents/event.ts';

/** A position in the log of an account: that of its last event. */
export type LogPosition = Pick<AccountDocument, 'revision' | 'change_id'>;

export function positionOf({ revision, change_id }: LogPosition): LogPosition {
  return { revision, change_id };
}

/** An account as its log is followed. */
export type ChangedAccount = LogPosition & Pick<AccountDocument, '_id' | 'deleting_at'> & { changed_at: Date };

/** A place in the order of the accounts' last changes. */
export interface ChangePosition {
  /** By the database's clock. */
  changedAt: Date;
  /** The last account that changed at this time, or an empty text once all are known. */
  accountId: string;
}

/** An event as caches need it. */
export type LoggedChange = Pick<EventDocument, '_id' | 'change_id' | 'type' | 'link_id' | 'redirect_ids'>;

const REVISION_DIGITS = 12;

/** Returns the revision that an event made, by its id. */
export function revisionOf(id: string): number {
  return Number(id.slice(-REVISION_DIGITS));
}

/**
 * Returns the id of the event that made this revision of the account. Ids sort by revision. Two changes that are based on
 * the same revision have the same id, so only one of them can be written.
 */
export function eventId(accountId: string, revision: number): string {
  return `${accountId}:${String(revision).padStart(REVISION_DIGITS, '0')}`;
}
