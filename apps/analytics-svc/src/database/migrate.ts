import { ClickHouseError } from '@clickhouse/client';
import type { AppError } from '@waymark/contract';
import type { Database } from './database.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { checkRequirements } from './requirements.ts';
import { createTable } from './tables.ts';
import { findTopology, type Topology } from './topology.ts';

/**
 * Creates the database if it is missing, runs the migrations that it does not have yet, and returns how its tables are
 * held. Processes that start together run the same statements, and each does nothing if its work is already done.
 * Migrations of a later version are no error: during an upgrade, this version still runs.
 * @throws {UnmetRequirement} if Waymark cannot work with this ClickHouse.
 * @throws {AppError} if a statement fails; the next call continues from there.
 */
export async function migrate(
  database: Database,
  cluster: string | undefined,
  migrations = MIGRATIONS,
): Promise<Topology> {
  await checkRequirements(database);
  await createDatabase(database);
  const topology = await findTopology(database, cluster);
  for (const statement of createTable('migrations', MIGRATIONS_TABLE, topology)) await database.command(statement);
  const rows = await database.query<{ number: number }>('SELECT DISTINCT number FROM migrations');
  const done = new Set(rows.map(({ number }) => number));
  for (const { number, name, statements } of migrations) {
    if (done.has(number)) continue;
    for (const statement of statements(topology)) await database.command(statement);
    await database.command('INSERT INTO migrations (number, name) SELECT {number:UInt32}, {name:String}', {
      parameters: { number, name },
    });
  }
  return topology;
}

/** The migrations that ran. Processes that ran one together each add a row. */
const MIGRATIONS_TABLE = {
  columns: "number UInt32, name String, done_at DateTime('UTC') DEFAULT now()",
  engine: 'MergeTree ORDER BY number',
  shardBy: 'number',
};

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
