import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.ts';
import { numberList, stringList } from '../database/literals.ts';

/** The numbers that identify links in the table. */
export interface LinkNumbers {
  /** An array literal in ClickHouse SQL. */
  list: string;
}

/** A lookup of the numbers of links. */
export type FindLinkNumbers = (linkIds: readonly string[], signal: AbortSignal) => Promise<LinkNumbers>;

const NONE: LinkNumbers = { list: numberList([]) };

/** Characters of all cached lists together. */
const KEPT_CHARACTERS_MAX = 64_000_000;

/**
 * Creates a lookup that caches the numbers of each list. Without it, ClickHouse would compute the numbers from the ids in
 * every statement, which is expensive. Concurrent first calls each ask ClickHouse.
 */
export function createFindLinkNumbers(database: Pick<Database, 'query'>): FindLinkNumbers {
  const known = new LRUCache<string, LinkNumbers>({
    maxSize: KEPT_CHARACTERS_MAX,
    sizeCalculation: ({ list }, ids) => list.length + ids.length,
  });
  return async (linkIds, signal) => {
    if (linkIds.length === 0) return NONE;
    const ids = linkIds.join();
    const asked = known.get(ids);
    if (asked !== undefined) return asked;
    const [row] = await database.query<{ numbers: string[] }>(
      `SELECT arrayMap(id -> toString(cityHash64(id)), [${stringList(linkIds)}]) AS numbers`,
      { signal },
    );
    const numbers = { list: numberList(row!.numbers) };
    known.set(ids, numbers);
    return numbers;
  };
}
