import { expect } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { EventDocument } from '../../src/database/documents/event.ts';
import { eventId } from '../../src/events/event.ts';
import { redirectId } from '../../src/slugs/redirect-id.ts';

/** Returns the events of an account after a revision, oldest first. The first one is its creation. */
export function eventsOf(
  { collections: { events } }: Database,
  accountId: string,
  after = 1,
): Promise<EventDocument[]> {
  return events
    .find({ _id: { $gt: eventId(accountId, after), $lt: `${accountId};` } })
    .sort({ _id: 1 })
    .toArray();
}

/**
 * Checks what one transaction for each change promises of an account: its log has no gap, its counts are those of its
 * links, and every link has its redirect and no other exists.
 */
export async function expectConsistent(database: Database, accountId: string): Promise<void> {
  const account = await database.collections.accounts.findOne({ _id: accountId });
  const log = await eventsOf(database, accountId, 0);
  expect(log.map(({ _id }) => _id)).toEqual(log.map((_, position) => eventId(accountId, position + 1)));
  expect(account!.revision).toBe(log.length);
  const links = await database.collections.links.find({ account_id: accountId }).toArray();
  const counted: Record<string, number> = {};
  for (const { state } of links) counted[state] = (counted[state] ?? 0) + 1;
  expect(Object.fromEntries(Object.entries(account!.counts).filter(([, count]) => count !== 0))).toEqual(counted);
  const ids = links.map(({ host_id, slug }) => redirectId(host_id, slug));
  const redirects = await database.collections.redirects.find({ _id: { $in: ids } }).toArray();
  expect(redirects.map(({ _id, link_id }) => [_id, link_id]).sort()).toEqual(
    links.map(({ _id, host_id, slug }) => [redirectId(host_id, slug), _id]).sort(),
  );
  const live = log.reduce((ids, { type, link_id }) => {
    if (type === 'link.created') ids.add(link_id!);
    if (type === 'link.deleted') ids.delete(link_id!);
    return ids;
  }, new Set<string>());
  expect([...live].sort()).toEqual(links.map(({ _id }) => _id).sort());
}
