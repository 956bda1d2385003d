import type { Logger } from 'pino';
import { startPeriodicTask } from '../periodic-task.ts';
import type { DeletedLinkDocument } from './deleted-link.ts';
import type { DeletedLinksStore } from './deleted-links.store.ts';

export interface LinkPurgerOptions {
  deletedLinks: Pick<DeletedLinksStore, 'due' | 'dropFailed' | 'postpone' | 'forget'>;
  /** Makes analytics-svc delete the clicks of at most 1,000 links of an account. */
  purge(accountId: string, linkIds: string[]): Promise<void>;
  logger: Logger;
  /** The pause between two rounds. */
  everyMs?: number;
}

/**
 * When a link is purged for the second and last time. After an outage of analytics-svc, or of a spool, clicks can
 * arrive there long after their link was deleted.
 */
const LAST_PURGE_AFTER_MS = 48 * 3_600_000;
const LINKS_AT_A_TIME = 1_000;

/**
 * Purges the clicks of deleted links from analytics-svc in the background. Responses exclude these clicks from the
 * moment of the deletion, so a delay does no harm. It also finishes deletions that a crash interrupted. Any number of
 * replicas may run it concurrently.
 */
export function startLinkPurger(options: LinkPurgerOptions): { close(): Promise<void> } {
  const { logger, everyMs = 10_000 } = options;
  return startPeriodicTask({
    everyMs,
    work: async (closing) => {
      while (!closing.aborted && (await purgeDue(options, new Date())));
    },
    onError: (err) => logger.warn({ err }, 'the clicks of deleted links could not be purged; trying again'),
  });
}

/** Purges the links that are due. Returns true if there may be more. */
export async function purgeDue({ deletedLinks, purge }: LinkPurgerOptions, now: Date): Promise<boolean> {
  const due = await deletedLinks.due(now, LINKS_AT_A_TIME);
  const gone = new Set(await deletedLinks.dropFailed(due.map(({ _id }) => _id)));
  for (const [accountId, links] of Map.groupBy(due, ({ account_id }) => account_id)) {
    const purged = links.filter(({ _id }) => gone.has(_id));
    if (purged.length === 0) continue;
    await purge(
      accountId,
      purged.map(({ _id }) => _id),
    );
    const isLast = (link: DeletedLinkDocument) => lastPurgeOf(link) <= now;
    const [last, first] = [purged.filter(isLast), purged.filter((link) => !isLast(link))];
    await deletedLinks.forget(last.map(({ _id }) => _id));
    for (const [until, some] of Map.groupBy(first, (link) => lastPurgeOf(link).getTime()))
      await deletedLinks.postpone(
        some.map(({ _id }) => _id),
        new Date(until),
      );
  }
  return due.length === LINKS_AT_A_TIME;
}

function lastPurgeOf({ deleted_at }: DeletedLinkDocument): Date {
  return new Date(deleted_at.getTime() + LAST_PURGE_AFTER_MS);
}
