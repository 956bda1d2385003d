import { ClickHouseError } from '@clickhouse/client';
import type { AppError } from '@waymark/contract';
import type { Database } from './database.ts';
import { checkRequirements } from './requirements.ts';
import { MIGRATIONS, type Migration } from './schema.ts';

/**
 * Brings the database to the current schema: creates it if it is missing, then runs each migration that is not recorded
 * as done. ClickHouse has no lock that a migration could hold. Replicas that start together run the same statements,
 * and each statement does nothing if its work is already done.
 * @throws {UnmetRequirement} if Waymark cannot work with this ClickHouse; nothing was changed.
 * @throws {AppError} if a statement fails; the next call continues from there.
 */
export async function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  await checkRequirements(database);
  await createDatabase(database);
  await database.command(
    `CREATE TABLE IF NOT EXISTS schema_migrations (version UInt32, applied_at DateTime('UTC') DEFAULT now())
     ENGINE = ReplacingMergeTree ORDER BY version`,
  );
  const applied = await database.query<{ version: number }>('SELECT DISTINCT version FROM schema_migrations');
  const done = new Set(applied.map(({ version }) => version));
  for (const { version, statements, fill } of migrations) {
    if (done.has(version)) continue;
    for (const statement of statements) await database.command(statement);
    await fill?.(database);
    await database.command('INSERT INTO schema_migrations (version) SELECT {version:UInt32}', {
      parameters: { version },
    });
  }
}

/** Creates the database only if it is missing: not every user may run CREATE DATABASE, even for one that exists. */
async function createDatabase(database: Database): Promise<void> {
  try {
    await database.query('SELECT 1');
  } catch (error) {
    const { cause } = error as AppError;
    if (!(cause instanceof ClickHouseError && cause.code === UNKNOWN_DATABASE)) throw error;
    await database.command(`CREATE DATABASE IF NOT EXISTS ${quoteName(database.name)}`, { database: false });
  }
}

const UNKNOWN_DATABASE = '81';

function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}
