import type { Database } from './database.ts';
import { MARKS_TTL } from './schema.ts';

/**
 * Lets ClickHouse delete clicks the given number of days after their arrival, and what was summed from them the same
 * number of days after the clicks; keeps both where none is given. The totals of links stay. Does nothing where it is
 * so already.
 */
export async function applyRetention(database: Database, days: number | undefined): Promise<void> {
  const rules = {
    clicks: { from: 'received_at', always: null },
    clicks_by_day: { from: 'day', always: MARKS_TTL.clicks_by_day },
    links_by_day: { from: 'day', always: MARKS_TTL.links_by_day },
  };
  for (const [table, { from, always }] of Object.entries(rules)) {
    const rule = [days === undefined ? null : `${from} + toIntervalDay(${days})`, always].filter(
      (part) => part !== null,
    );
    const present = await findTtl(database, table);
    if (present === rule.join(', ')) continue;
    await database.command(
      `ALTER TABLE ${table} ${rule.length === 0 ? 'REMOVE TTL' : `MODIFY TTL ${rule.join(', ')}`}`,
    );
  }
}

/** The rule of a table as ClickHouse writes it, or an empty text. */
async function findTtl(database: Database, table: string): Promise<string> {
  const rows = await database.query<{ engine_full: string }>(
    'SELECT engine_full FROM system.tables WHERE database = {database:String} AND name = {table:String}',
    { parameters: { database: database.name, table } },
  );
  return / TTL (.*?)(?: SETTINGS |$)/.exec(rows[0]?.engine_full ?? '')?.[1] ?? '';
}
