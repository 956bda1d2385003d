import type { Database } from './database.ts';
import { MIGRATIONS } from './schema.ts';

/**
 * Brings the database to the present schema: creates it where it is missing, then runs each migration that is not
 * recorded as done. ClickHouse has no lock to hold: replicas that start together run the same statements, every one of
 * which does nothing where its work is done already.
 * @throws {AppError} where a statement fails; migrating again goes on from there.
 */
export async function migrate(database: Database): Promise<void> {
  await database.command(`CREATE DATABASE IF NOT EXISTS ${quoteName(database.name)}`, { database: false });
  await database.command(
    `CREATE TABLE IF NOT EXISTS schema_migrations (version UInt32, applied_at DateTime('UTC') DEFAULT now())
     ENGINE = ReplacingMergeTree ORDER BY version`,
  );
  const applied = await database.query<{ version: number }>('SELECT DISTINCT version FROM schema_migrations');
  const done = new Set(applied.map(({ version }) => version));
  for (const { version, statements } of MIGRATIONS) {
    if (done.has(version)) continue;
    for (const statement of statements) await database.command(statement);
    await database.insert('schema_migrations', ['version'], [[version]]);
  }
}

function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}
