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

/**
 * Creates a lookup that caches the numbers by array, so an array must never change. Without it, ClickHouse would
 * compute the numbers from the ids in every statement, which is expensive. An entry lives as long as its array.
 * Concurrent first calls each ask ClickHouse.
 */
export function createFindLinkNumbers(database: Pick<Database, 'query'>): FindLinkNumbers {
  const known = new WeakMap<readonly string[], LinkNumbers>();
  return async (linkIds, signal) => {
    if (linkIds.length === 0) return NONE;
    const asked = known.get(linkIds);
    if (asked !== undefined) return asked;
    const [row] = await database.query<{ numbers: string[] }>(
      `SELECT arrayMap(id -> toString(cityHash64(id)), [${stringList(linkIds)}]) AS numbers`,
      { signal },
    );
    const numbers = { list: numberList(row!.numbers) };
    known.set(linkIds, numbers);
    return numbers;
  };
}
