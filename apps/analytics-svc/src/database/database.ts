import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ClickHouseError, ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { AppError, BUSY_MESSAGE, INTERNAL_MESSAGE, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { CONNECTION_SETTINGS } from './settings.ts';

export interface DatabaseConfig {
  CLICKHOUSE_URL: string;
  CLICKHOUSE_USER: string;
  CLICKHOUSE_PASSWORD: string;
  CLICKHOUSE_DATABASE: string;
}

/** How one statement runs. */
export interface StatementOptions {
  /** Values for the `{name:Type}` placeholders of the statement. */
  parameters?: Record<string, unknown>;
  settings?: ClickHouseSettings;
  /** Cancels the statement. A command or an insert may still run on the server. */
  signal?: AbortSignal;
  /** False for a statement outside the configured database, which may not exist. */
  database?: boolean;
}

/**
 * The only access to ClickHouse. Every method rejects with an `AppError`: `unavailable` if a later attempt may succeed.
 */
export interface Database {
  /** Returns the rows of a statement as objects. 64-bit integers are numbers. */
  query<Row>(sql: string, options?: StatementOptions): Promise<Row[]>;
  /** Runs a statement that returns no rows. */
  command(sql: string, options?: StatementOptions): Promise<void>;
  /** Stores rows in ClickHouse's format JSONCompactEachRow. Resolves when ClickHouse has them. */
  insert(table: string, rows: Buffer, options?: Omit<StatementOptions, 'database'>): Promise<void>;
  readonly name: string;
  close(): Promise<void>;
}

/** The time limit for one statement, so that no caller waits longer. */
const REQUEST_TIMEOUT_MS = 12_000;
const CONNECTIONS_MAX = 32;

/** Error codes that are about the current state of ClickHouse, not about the statement. A later attempt may succeed. */
const TRANSIENT = new Set([
  '3', // unexpected end of file
  '60', // unknown table, while a database is being restored
  '81', // unknown database
  '95', // cannot read from a socket
  '96', // cannot write to a socket
  '164', // readonly
  '192', // unknown user
  '193', // wrong password
  '194', // no password
  '198', // DNS error
  '203', // no free connection
  '209', // socket timeout
  '210', // network error
  '225', // no Keeper
  '232', // no such data part; it was merged in the meantime
  '234', // no replica has the part
  '236', // aborted
  '242', // table is read-only
  '243', // not enough space
  '244', // unexpected error of Keeper
  '252', // too many parts
  '254', // no active replicas
  '265', // no available replica
  '279', // all connection tries failed
  '285', // too few live replicas
  '286', // the quorum of the previous insert is not satisfied
  '289', // the replica is not in the quorum
  '319', // unknown status of an insert; a repeated batch finds what was stored
  '364', // too many requests to another server
  '369', // all replicas are stale
  '384', // a part is locked at the moment
  '394', // query was cancelled
  '395', // an insert that was withdrawn; thrown by the condition in the view
  '416', // the status of the replica changed
  '425', // system error
  '439', // no thread is free
  '473', // a deadlock was avoided
  '499', // S3 error
  '517', // a replica cannot assign an ALTER while others run
  '519', // no remote shard is available
  '529', // not the leader
  '571', // a replicated database could not agree on a statement
  '733', // the table is being restarted
  '735', // query was cancelled by the client
  '999', // Keeper exception
  '516', // the user or password is wrong, while a password is rotated
]);

/** Error codes that say that a statement, or all of them together, need more than ClickHouse may use. */
const OVERLOADED = new Set([
  '159', // timeout exceeded
  '160', // too slow
  '201', // quota exceeded, until its interval ends
  '202', // too many simultaneous queries
  '241', // memory limit exceeded
  '745', // the server is overloaded
]);

/** Opens a pool of connections to the configured database. Sends nothing to ClickHouse yet. */
export function openDatabase(config: DatabaseConfig): Database {
  const common = {
    url: config.CLICKHOUSE_URL,
    username: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD,
    application: 'waymark-analytics-svc',
    request_timeout: REQUEST_TIMEOUT_MS,
    max_open_connections: CONNECTIONS_MAX,
    log: { level: ClickHouseLogLevel.OFF },
  };
  const client = createClient({
    ...common,
    database: config.CLICKHOUSE_DATABASE,
    clickhouse_settings: CONNECTION_SETTINGS,
  });
  // Inserts have connections of their own, so that slow questions do not hold them back.
  const inserting = createClient({
    ...common,
    database: config.CLICKHOUSE_DATABASE,
    clickhouse_settings: CONNECTION_SETTINGS,
  });
  const outside = createClient(common);
  const optionsOf = ({ parameters, settings, signal }: StatementOptions) => ({
    ...(parameters && { query_params: parameters }),
    ...(settings && { clickhouse_settings: settings }),
    ...(signal && { abort_signal: signal }),
  });
  return {
    name: config.CLICKHOUSE_DATABASE,
    async query<Row>(sql: string, { database = true, ...options }: StatementOptions = {}) {
      try {
        const result = await (database ? client : outside).query({
          query: sql,
          format: 'JSONEachRow',
          ...optionsOf(options),
        });
        return await result.json<Row>();
      } catch (error) {
        throw databaseError(error);
      }
    },
    async command(sql, { database = true, ...options } = {}) {
      try {
        await (database ? client : outside).command({ query: sql, ...optionsOf(options) });
      } catch (error) {
        throw databaseError(error);
      }
    },
    async insert(table, rows, options = {}) {
      try {
        const values = Readable.from(rows, { objectMode: false });
        const { stream } = await inserting.exec({
          query: `INSERT INTO ${table} FORMAT JSONCompactEachRow`,
          values,
          ...optionsOf(options),
        });
        // The connection is free again only after the response, which is empty, was read.
        await finished(stream.resume());
      } catch (error) {
        throw databaseError(error);
      }
    },
    async close() {
      await Promise.all([client.close(), inserting.close(), outside.close()]);
    },
  };
}

/**
 * Returns `internal` if ClickHouse rejected the statement for good, which is our own mistake. Returns `unavailable` if
 * ClickHouse is unreachable or overloaded, which passes; the message says which of the two.
 */
function databaseError(cause: unknown): AppError {
  if (cause instanceof ClickHouseError && OVERLOADED.has(cause.code))
    return new AppError('unavailable', BUSY_MESSAGE, { cause });
  return cause instanceof ClickHouseError && !TRANSIENT.has(cause.code)
    ? new AppError('internal', INTERNAL_MESSAGE, { cause })
    : new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause });
}
