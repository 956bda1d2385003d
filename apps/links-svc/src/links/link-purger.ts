import type { Logger } from 'pino';
import { startPeriodicTask } from '../periodic-task.ts';
import type { DeletedLinkDocument } from './deleted-link.ts';
import type { DeletedLinksStore } from './deleted-links.store.ts';

export interface LinkPurgerOptions {
  deletedLinks: Pick<DeletedLinksStore, 'due' | 'dropFailed' | 'postpone' | 'forget'>;
  /** Makes analytics-svc forget the clicks of links of an account, at most 1,000. */
  purge(accountId: string, linkIds: string[]): Promise<void>;
  logger: Logger;
  /** The pause between two rounds. */
  everyMs?: number;
}

/**
 * Clicks may reach analytics-svc long after their link is gone, when it or a spool was down. A deleted link is purged
 * a second time after this time, and only then forgotten.
 */
const LAST_PURGE_AFTER_MS = 48 * 3_600_000;
const LINKS_AT_A_TIME = 1_000;

/**
 * Makes analytics-svc forget the clicks of deleted links, in the background: they are left out of every answer from
 * the moment of the deletion on. Also finishes what a crash cut off. Any number of replicas may do this at once.
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

/** Purges what is due; true where there may be more. */
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
