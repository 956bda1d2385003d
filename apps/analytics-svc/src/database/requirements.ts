import { ClickHouseError } from '@clickhouse/client';
import { AppError } from '@waymark/contract';
import { requireVersion, UnmetRequirement } from '@waymark/service-kit';
import type { Database } from './database.ts';
import { stringLiteral } from './literals.ts';
import { SENT_SETTINGS } from './settings.ts';

/** The first version with all settings that Waymark sends. `enable_shared_storage_snapshot_in_query` is the newest. */
const MIN_VERSION = [25, 6] as const;

/** Error codes for a setting that is unknown or that the user may not change. */
const REFUSED_SETTING = new Set(['115', '164', '452', '471', '472']);
const REASON_MAX_LENGTH = 200;

/**
 * Checks that Waymark can work with this ClickHouse: its version, and that it accepts the settings of our statements.
 * @throws {UnmetRequirement} if Waymark cannot work with it.
 * @throws {AppError} if ClickHouse cannot be queried.
 */
export async function checkRequirements(database: Pick<Database, 'query'>): Promise<void> {
  try {
    requireVersion('ClickHouse', await findVersion(database, SENT_SETTINGS), MIN_VERSION);
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : undefined;
    if (!(cause instanceof ClickHouseError && REFUSED_SETTING.has(cause.code))) throw error;
    const version = await findVersion(database, {});
    requireVersion('ClickHouse', version, MIN_VERSION);
    throw new UnmetRequirement(
      `ClickHouse ${version} refuses a setting that Waymark sends (${cause.message.slice(0, REASON_MAX_LENGTH)}): ` +
        'let the user of CLICKHOUSE_USER change settings.',
    );
  }
}

/**
 * Checks that the tables are there. They may be gone after a restore in the wrong order.
 * @throws {UnmetRequirement} if one is missing.
 * @throws {AppError} if ClickHouse cannot be queried.
 */
export async function requireTables(database: Pick<Database, 'query' | 'name'>): Promise<void> {
  const rows = await database.query<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = ${stringLiteral(database.name)}`,
    { database: false },
  );
  const missing = TABLES.filter((table) => !rows.some(({ name }) => name === table));
  if (missing.length === 0) return;
  throw new UnmetRequirement(
    `ClickHouse lacks tables that were there before (${missing.join(', ')}): restore them, or restart analytics-svc, ` +
      'which creates empty ones.',
  );
}

const TABLES = ['clicks', 'removed_clicks', 'migrations'];

async function findVersion(database: Pick<Database, 'query'>, settings: Record<string, string | number>) {
  const rows = await database.query<{ version: unknown }>('SELECT version() AS version', { settings, database: false });
  return rows[0]?.version;
}
