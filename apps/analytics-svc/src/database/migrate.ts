import { ClickHouseError } from '@clickhouse/client';
import type { AppError } from '@waymark/contract';
import { UnmetRequirement } from '@waymark/service-kit';
import type { Database } from './database.ts';
import { checkRequirements } from './requirements.ts';
import { tableStatements } from './schema.ts';
import { findTopology, type Topology } from './topology.ts';

/**
 * Creates the database and its tables where they are missing, and returns how they are held. Replicas of the service
 * that start together run the same statements, and each does nothing if its work is already done.
 * @throws {UnmetRequirement} if Waymark cannot work with this ClickHouse or with what the database holds.
 * @throws {AppError} if a statement fails; the next call continues from there.
 */
export async function migrate(database: Database, cluster: string | undefined): Promise<Topology> {
  await checkRequirements(database);
  await createDatabase(database);
  await refuseOldTables(database);
  const topology = await findTopology(database, cluster);
  for (const statement of tableStatements(topology)) await database.command(statement);
  return topology;
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

/** Refuses the tables of Waymark before 0.1.0, whose clicks have other columns. They stay as they are. */
async function refuseOldTables({ query, name }: Pick<Database, 'query' | 'name'>): Promise<void> {
  const old = await query(
    `SELECT 1 FROM system.tables
     WHERE database = {name:String} AND (name = 'clicks_by_day' OR name = 'clicks'
       AND (SELECT countIf(name = 'quarter') FROM system.columns WHERE database = {name:String} AND table = 'clicks') = 0)`,
    { parameters: { name } },
  );
  if (old.length > 0)
    throw new UnmetRequirement(
      `The database ${name} of ClickHouse has tables of a version before 0.1.0, which are left as they are: set ` +
        'CLICKHOUSE_DATABASE to a new name (docs/operations.md, Clicks of a version before 0.1.0).',
    );
}

function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}
