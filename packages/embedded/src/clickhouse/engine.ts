import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { ClickHouseException } from './errors.ts';
import { ENGINE_CONFIG } from './privileges.ts';

/** What one statement did, in the engine's own figures. */
export interface StatementResult {
  /** The output of a statement that was not sent to a file; empty for an insert. */
  bytes: Uint8Array;
  elapsedSeconds: number;
  /** Rows and bytes of the result. chDB's binding does not tell how many were scanned for it. */
  rowsRead: number;
  bytesRead: number;
  /** Rows and bytes stored, those of materialized views included. Known for inserts, 0 otherwise. */
  rowsWritten: number;
  bytesWritten: number;
}

export interface ClickHouseEngine {
  readonly names: EngineNames;
  /**
   * Runs `sql` (a prelude of SET and USE statements may come first) in a session of its own, off the event loop.
   * Waits for a free slot. `isWanted` is asked once more when the slot is free; false rejects with 394.
   *
   * @throws the engine's error, or ClickHouseException 202 where too many statements wait already.
   */
  run(sql: string, options: { insert: boolean; format: string; isWanted: () => boolean }): Promise<StatementResult>;
  /** Kills what still runs, waits for its end, and releases the data directory. */
  close(): Promise<void>;
}

/** What the engine has, so that statements may use the part of it that is allowed. */
export interface EngineNames {
  /** In lower case. */
  tableFunctions: ReadonlySet<string>;
  /** Of tables and databases. */
  engines: ReadonlySet<string>;
}

/** What this server uses of chDB's native addon. */
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
 * Statements that run in the engine at one time. Each holds a thread of libuv's pool (UV_THREADPOOL_SIZE, 4 unless
 * set), and one is left for files and compression. A statement still uses as many engine threads as there are cores.
 */
const SLOTS = Math.max(1, Number(process.env.UV_THREADPOOL_SIZE ?? 4) - 1);
/** Statements that may wait for a slot; the next one is refused as a server at its limit refuses it (code 202). */
const MAX_WAITING = 1000;

/** A quarter of the machine, at least 512 MiB: room for analytics of a laptop's data, and for the laptop's owner. */
const MEMORY_BYTES = Math.max(512 * 1024 ** 2, Math.floor(totalmem() / 4));

/** Server settings, fixed when the data directory is opened. */
const SERVER_ARGS = [
  `--max_server_memory_usage=${MEMORY_BYTES}`,
  // The defaults of a big server are 5 GiB each.
  `--mark_cache_size=${64 * 1024 ** 2}`,
  `--index_mark_cache_size=${32 * 1024 ** 2}`,
];
/** Defaults of every session. Parameters travel in SET statements, which count as query text: hence its size. */
const SESSION_ARGS = [`--max_threads=${availableParallelism()}`, `--max_query_size=${64 * 1024 ** 2}`];

/**
 * Loads chDB, an optional dependency of half a gigabyte, when it is first needed.
 *
 * The addon itself and not the package's `Session`, for one reason: a `Session` that closes waits for every operation
 * of the process, so that one slow query would keep each session opened meanwhile alive.
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
 * Opens the engine on a data directory, which one process at a time can have open. The lock is the operating system's
 * and dies with the process. `configFile` is written anew: what statements may do.
 *
 * @throws Error with one sentence where chDB is missing or the directory is open in another process.
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

    async run(sql, { insert, format, isWanted }) {
      await acquire();
      try {
        if (!isWanted()) throw new ClickHouseException(394, 'QUERY_WAS_CANCELLED', 'The client went away');
        const connection = addon.CreateConnection(directory, SESSION_ARGS);
        try {
          if (insert) {
            // The call for inserts tells what was written; the rows themselves come from the file that `sql` names.
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
          // Never while a call runs on it: that would take the whole engine down.
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
        await addon.QueryAsyncConnection(root, 'KILL QUERY WHERE query_id != queryID()', 'Null');
        await ended;
      }
      addon.CloseConnection(root);
    },
  };
}

/** The engine prints its reason and throws none; its lock file names the process that has the directory open. */
function whyNotOpened(directory: string): string {
  try {
    const pid = Number(/PID: (\d+)/.exec(readFileSync(join(directory, 'status'), 'utf8'))?.[1]);
    if (pid === process.pid) return 'this process has it open already, and it opens one at a time';
    process.kill(pid, 0);
    return `process ${pid} has it open, and one process at a time can`;
  } catch {
    return 'the engine printed its reason to standard error';
  }
}
