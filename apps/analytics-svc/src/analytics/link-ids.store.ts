import { atMostEntries } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import type { Database, StatementOptions } from '../database/database.ts';

/**
 * A lookup of the ids of an account's links by their numbers in the tables. Links that are not known yet are missing.
 */
export type LinkIds = (
  accountId: string,
  numbers: readonly string[],
  options: Pick<StatementOptions, 'settings' | 'signal'>,
) => Promise<Map<string, string>>;

/** Cached ids of all accounts together. */
export const KEPT_MAX = 100_000;

/**
 * Creates a lookup that asks ClickHouse only for links that are not cached. Cached ids stay valid, because the number
 * of a link never changes. Most lookups hit the cache, because the top links are mostly the same.
 */
export function createLinkIds(database: Pick<Database, 'query'>): LinkIds {
  const known = new LRUCache<string, string>(atMostEntries(KEPT_MAX));
  return async (accountId, numbers, options) => {
    const nameOf = (number: string) => `${accountId} ${number}`;
    const ids = new Map<string, string>();
    const unknown: string[] = [];
    for (const number of numbers) {
      const id = known.get(nameOf(number));
      if (id === undefined) unknown.push(number);
      else ids.set(number, id);
    }
    if (unknown.length === 0) return ids;
    const rows = await database.query<{ number: string; link_id: string }>(
      `SELECT toString(link) AS number, any(link_id) AS link_id FROM clicks
       WHERE link IN (${unknown.join(',')}) AND account_id = {account:String} GROUP BY link`,
      { ...options, parameters: { account: accountId } },
    );
    for (const { number, link_id } of rows) {
      known.set(nameOf(number), link_id);
      ids.set(number, link_id);
    }
    return ids;
  };
}
