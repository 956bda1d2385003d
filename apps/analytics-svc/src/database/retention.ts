import type { Database } from './database.ts';
import { MARKS_TTL } from './schema.ts';

/**
 * Sets the rules by which ClickHouse deletes data: clicks `days` days after they arrived, and the daily sums `days`
 * days after their day. Without `days` both are kept. The totals of links always stay. Does nothing if the rules are
 * already set.
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

/** Returns the TTL rule of a table as ClickHouse writes it, or an empty string. */
async function findTtl(database: Database, table: string): Promise<string> {
  const rows = await database.query<{ engine_full: string }>(
    'SELECT engine_full FROM system.tables WHERE database = {database:String} AND name = {table:String}',
    { parameters: { database: database.name, table } },
  );
  return / TTL (.*?)(?: SETTINGS |$)/.exec(rows[0]?.engine_full ?? '')?.[1] ?? '';
}
