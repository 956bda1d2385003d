import type { DeletedLinkDocument } from '../database/documents/deleted-link.ts';
import type { DeletedLinksStore } from './deleted-links.store.ts';

export interface LinkPurgerOptions {
  deletedLinks: Pick<DeletedLinksStore, 'due' | 'forget'>;
  /**
   * Makes analytics-svc delete the clicks of at most {@link LINKS_AT_A_TIME} links of any accounts. Returns false while
   * the deletion still runs.
   */
  purge(links: readonly DeletedLinkDocument[]): Promise<boolean>;
}

/** Deleting clicks rewrites much of ClickHouse's data, even for a few links. So one request has many. */
const LINKS_AT_A_TIME = 5_000;

/**
 * Purges the clicks of deleted links from analytics-svc, once a day, until no link is due, the deletion still runs or
 * `ending` aborts. Responses exclude these clicks from the moment of the deletion, so the delay does no harm.
 */
export async function purgeAllDue(options: LinkPurgerOptions, ending: AbortSignal): Promise<void> {
  while (!ending.aborted && (await purgeDue(options, new Date())));
}

/**
 * Purges the links that are due. Returns true if there may be more. While the deletion runs, each call sends the same
 * links: no link becomes due in the course of a day.
 */
export async function purgeDue({ deletedLinks, purge }: LinkPurgerOptions, now: Date): Promise<boolean> {
  const due = await deletedLinks.due(now, LINKS_AT_A_TIME);
  if (due.length > 0) {
    if (!(await purge(due))) return false;
    await deletedLinks.forget(due.map(({ _id }) => _id));
  }
  return due.length === LINKS_AT_A_TIME;
}
