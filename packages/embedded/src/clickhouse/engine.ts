import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { ClickHouseException } from './errors.ts';
import { ENGINE_CONFIG } from './privileges.ts';

/** The result of one statement, with the engine's own figures. */
export interface StatementResult {
  /** The output of a statement that was not written to a file; empty for an insert. */
  bytes: Uint8Array;
  elapsedSeconds: number;
  /** Rows and bytes of the result. chDB's binding does not report how many were scanned. */
  rowsRead: number;
  bytesRead: number;
  /** Rows and bytes stored, including those of materialized views. Known for inserts, 0 otherwise. */
  rowsWritten: number;
  bytesWritten: number;
}

export interface ClickHouseEngine {
  readonly names: EngineNames;
  /**
   * Runs `sql` (which may start with SET and USE statements) in its own session, off the event loop. Waits for a free
   * slot. Rejects with 394 if the signal is aborted before that. A running statement goes on, unless `mark`, a text
   * that no other statement contains, says how to find and kill it.
   *
   * @throws the engine's error, or ClickHouseException 202 if too many statements wait already.
   */
  run(sql: string, options: RunOptions): Promise<StatementResult>;
  /** Kills running statements, waits until none runs, and releases the data directory. */
  close(): Promise<void>;
}

export interface RunOptions {
  insert: boolean;
  format: string;
  signal: AbortSignal;
  mark?: string;
}

/** The names that the engine knows, against which the allow-lists are checked. */
export interface EngineNames {
  /** In lower case. */
  tableFunctions: ReadonlySet<string>;
  /** Engines of tables and databases. */
  engines: ReadonlySet<string>;
}

/** The part of chDB's native addon that this server uses. */
interface ChdbAddon {
  CreateConnection(path: string, args: readonly string[]): Connection;
  CloseConnection(connection: Connection): void;
  QueryAsyncConnection(connection: Connection, sql: string, format: string): Promise<RawResult>;
  InsertRawAsyncConnection(connection: Connection, sql: string, data: Buffer, countLines: boolean): Promise<RawInsert>;
}
interface Connection {
  readonly chdbConnection: unique symbol;
}
interface RawResult {
  bytes: Uint8Array;
  elapsed: number;
  rowsRead: number;
  bytesRead: number;
}
interface RawInsert {
  elapsed: number;
  rowsWritten: number;
  bytesWritten: number;
}

/**
 * Statements that run concurrently in the engine. Each occupies a thread of libuv's pool (UV_THREADPOOL_SIZE, 4 unless
 * set), and one thread is reserved for files and compression. A statement still uses one engine thread per core.
 */
const SLOTS = Math.max(1, Number(process.env.UV_THREADPOOL_SIZE ?? 4) - 1);
/**
 * Statements that may wait for a slot; further ones are refused with code 202, as on a ClickHouse server at its limit.
 */
const MAX_WAITING = 1000;

/** A quarter of the machine's memory, at least 512 MiB, so that the rest of the machine stays usable. */
const MEMORY_BYTES = Math.max(512 * 1024 ** 2, Math.floor(totalmem() / 4));

/** Server settings, fixed when the data directory is opened. */
const SERVER_ARGS = [
  `--max_server_memory_usage=${MEMORY_BYTES}`,
  // The defaults are 5 GiB each, sized for a large server.
  `--mark_cache_size=${64 * 1024 ** 2}`,
  `--index_mark_cache_size=${32 * 1024 ** 2}`,
];
/**
 * Session defaults. Parameters are sent as SET statements, which count as query text; hence the large max_query_size.
 */
const SESSION_ARGS = [`--max_threads=${availableParallelism()}`, `--max_query_size=${64 * 1024 ** 2}`];

/**
 * Loads chDB, an optional dependency of half a gigabyte, on first use.
 *
 * Uses the addon instead of the package's `Session`: closing a `Session` waits for every operation of the process, so
 * that one slow query would keep all sessions opened meanwhile alive.
 */
function loadAddon(): ChdbAddon {
  const require = createRequire(import.meta.url);
  try {
    return createRequire(require.resolve('chdb'))('./dist/loader.js').loadNative() as ChdbAddon;
  } catch (cause) {
    throw new Error(
      'The embedded ClickHouse needs the optional npm package "chdb": install dependencies with the optional ones on Linux (glibc) or macOS, or set CLICKHOUSE_URL to a ClickHouse server',
      { cause },
    );
  }
}

/**
 * Opens the engine on a data directory, which only one process at a time can have open. The operating system releases
 * the lock when the process dies. Overwrites `configFile` with the privileges of statements.
 *
 * @throws Error with one sentence if chDB is missing or the directory is open in another process.
 */
export async function openEngine(directory: string, configFile: string): Promise<ClickHouseEngine> {
  const addon = loadAddon();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(configFile, ENGINE_CONFIG, { mode: 0o600 });
  const configArgs = [`--config-file=${configFile}`, `--users_config=${configFile}`];
  let root: Connection;
  try {
    root = addon.CreateConnection(directory, [...configArgs, ...SERVER_ARGS, ...SESSION_ARGS]);
  } catch (cause) {
    throw new Error(`Cannot open the ClickHouse data directory ${directory}: ${whyNotOpened(directory)}`, { cause });
  }

  const listOf = async (sql: string) => {
    const { bytes } = await addon.QueryAsyncConnection(root, sql, 'TSV');
    return new Set(Buffer.from(bytes).toString().trimEnd().split('\n'));
  };
  const names = {
    tableFunctions: await listOf('SELECT lower(name) FROM system.table_functions'),
    engines: await listOf('SELECT name FROM system.table_engines UNION ALL SELECT name FROM system.database_engines'),
  };

  let running = 0;
  let closing = false;
  const waiting: Array<() => void> = [];
  const idle: Array<() => void> = [];
  let lastKill: Promise<unknown> = Promise.resolve();

  /** Kills the statements that meet a condition. One call at a time may use the connection. Prints a failure. */
  function kill(condition: string): void {
    const sql = `KILL QUERY WHERE query_id != queryID() AND ${condition}`;
    lastKill = lastKill
      .then(() => addon.QueryAsyncConnection(root, sql, 'Null'))
      .catch((error) => process.emitWarning(error));
  }

  async function acquire(): Promise<void> {
    if (closing) throw new ClickHouseException(236, 'ABORTED', 'The server is shutting down');
    if (running < SLOTS) {
      running++;
      return;
    }
    if (waiting.length >= MAX_WAITING) {
      throw new ClickHouseException(
        202,
        'TOO_MANY_SIMULTANEOUS_QUERIES',
        `Too many simultaneous queries: ${SLOTS} run and ${MAX_WAITING} wait`,
      );
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function release(): void {
    const next = waiting.shift();
    if (next) {
      next();
      return;
    }
    running--;
    if (running === 0) for (const resolve of idle.splice(0)) resolve();
  }

  return {
    names,

    async run(sql, { insert, format, signal, mark }) {
      await acquire();
      const abandon = () => {
        if (mark !== undefined) kill(`position(query, '${mark}') > 0`);
      };
      try {
        if (signal.aborted) throw new ClickHouseException(394, 'QUERY_WAS_CANCELLED', 'The client disconnected');
        const connection = addon.CreateConnection(directory, SESSION_ARGS);
        signal.addEventListener('abort', abandon);
        try {
          if (insert) {
            // Only the insert call reports what was written; the rows come from the file that `sql` names.
            const { elapsed, ...written } = await addon.InsertRawAsyncConnection(
              connection,
              sql,
              Buffer.alloc(0),
              false,
            );
            return { bytes: new Uint8Array(), elapsedSeconds: elapsed, rowsRead: 0, bytesRead: 0, ...written };
          }
          const { elapsed, ...read } = await addon.QueryAsyncConnection(connection, sql, format);
          return { ...read, elapsedSeconds: elapsed, rowsWritten: 0, bytesWritten: 0 };
        } finally {
          signal.removeEventListener('abort', abandon);
          // Only after the call has ended: closing a connection during a call crashes the engine.
          addon.CloseConnection(connection);
        }
      } finally {
        release();
      }
    },

    async close() {
      if (closing) return;
      closing = true;
      if (running > 0) {
        const ended = new Promise<void>((resolve) => idle.push(resolve));
        kill('true');
        await ended;
      }
      await lastKill;
      addon.CloseConnection(root);
    },
  };
}

/**
 * Returns why the directory could not be opened. The engine prints its reason and does not throw it; its lock file
 * names the process that has the directory open.
 */
function whyNotOpened(directory: string): string {
  try {
    const pid = Number(/PID: (\d+)/.exec(readFileSync(join(directory, 'status'), 'utf8'))?.[1]);
    if (pid === process.pid) return 'this process already has a data directory open, and can open only one at a time';
    process.kill(pid, 0);
    return `process ${pid} has it open; only one process may use it`;
  } catch {
    return 'the engine printed its reason to standard error';
  }
}
