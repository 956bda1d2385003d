import { hash } from 'node:crypto';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import { stringList } from '../database/literals.ts';
import { waitForStatements } from '../database/running-statements.ts';
import { CLICK_TABLES, type ClickTable } from '../database/schema.ts';
import type { Clicks } from './click.ts';
import { incomingRows } from './incoming-rows.ts';

export interface ClickBatch {
  /** Identifies the batch. It stays the same when the batch is sent again. */
  token: string;
  /** True if the batch was sent before and may be stored, whole or in part. */
  maybeStored: boolean;
  clicks: Clicks;
}

export interface ClicksStore {
  /** Stores a batch exactly once. Resolves when ClickHouse has it in every table. Rejects with an `AppError`. */
  store(batch: ClickBatch, signal: AbortSignal): Promise<void>;
}

/**
 * Settings that never split a block: the whole batch is one part in each table, or is not there. ClickHouse's own
 * deduplication is off: a server that was killed may remember a block that it lost, and would not store it again.
 */
export const INSERT_SETTINGS = {
  async_insert: 0,
  insert_deduplicate: 0,
  input_format_parallel_parsing: 0,
  max_insert_threads: '1',
  // The views have already summed the rows.
  optimize_on_insert: 0,
} as const;
/** An insert ends after this time, whether it succeeded or not. */
const INSERT_MAX_SECONDS = 8;

export function createClicksStore(database: Database): ClicksStore {
  async function insert(batch: ClickBatch, name: string, only: ClickTable | '', signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const rows = incomingRows(batch.clicks, { mark: markOf(batch.token), only, receivedAtMs: Date.now() });
    await database.insert('incoming_clicks', rows, {
      settings: { ...INSERT_SETTINGS, max_execution_time: INSERT_MAX_SECONDS, log_comment: name },
      signal,
    });
  }

  /**
   * Ensures that earlier inserts of the batch add nothing from now on. Waits for one that is running. One that has not
   * begun (it may be in a socket of a paused ClickHouse) will find that it was withdrawn, and fail.
   * @returns The name for the next insert.
   */
  async function withdrawOthers({ token }: ClickBatch, signal: AbortSignal): Promise<string> {
    const options = { parameters: { token }, signal };
    const [row] = await database.query<{ withdrawn: number }>(
      'SELECT uniqExact(name) AS withdrawn FROM withdrawn_inserts WHERE token = {token:String}',
      options,
    );
    const attempt = row!.withdrawn;
    await database.command('INSERT INTO withdrawn_inserts (token, name) SELECT {token:String}, {name:String}', {
      parameters: { token, name: nameOf(token, attempt) },
      signal,
    });
    // ClickHouse lists an insert before the insert reads `withdrawn_inserts`, so none is missed.
    await waitForStatements(database, "startsWith(Settings['log_comment'], {token:String})", options);
    return nameOf(token, attempt + 1);
  }

  /**
   * Returns the tables that do not have the batch. For `clicks` any click of the batch is proof, because clicks of
   * deleted links may be purged. If none is left, the clicks are stored again, and the last purge of the links removes
   * them.
   */
  async function missingFrom(batch: ClickBatch, signal: AbortSignal): Promise<ClickTable[]> {
    const { accountIds, clickedAtMs } = batch.clicks;
    const parameters = {
      mark: markOf(batch.token).toString(),
      from: seconds(clickedAtMs.reduce((a, b) => Math.min(a, b))),
      to: seconds(clickedAtMs.reduce((a, b) => Math.max(a, b))),
    };
    const found = await database.query<{ name: ClickTable }>(
      `SELECT 'clicks' AS name FROM clicks
         WHERE account_id IN (${stringList(accountIds.values)}) AND batch = {mark:UInt64}
           AND clicked_at BETWEEN toDateTime64({from:String}, 3, 'UTC') AND toDateTime64({to:String}, 3, 'UTC') LIMIT 1
       UNION ALL SELECT 'clicks_by_day' FROM clicks_by_day
         WHERE account_id = '' AND from_source = '' AND link = {mark:UInt64} LIMIT 1
       UNION ALL SELECT 'links_by_day' FROM links_by_day
         WHERE account_id = '' AND from_source = '' AND link = {mark:UInt64} LIMIT 1
       UNION ALL SELECT 'link_totals' FROM link_totals WHERE account_id = '' AND link = {mark:UInt64} LIMIT 1`,
      { parameters, signal },
    );
    const names = new Set(found.map(({ name }) => name));
    return CLICK_TABLES.filter((table) => !names.has(table));
  }

  return {
    async store(batch, signal) {
      if (batch.clicks.count === 0) return;
      try {
        if (!batch.maybeStored) return await insert(batch, nameOf(batch.token, 0), '', signal);
        const name = await withdrawOthers(batch, signal);
        const missing = await missingFrom(batch, signal);
        if (missing.length === CLICK_TABLES.length) return await insert(batch, name, '', signal);
        for (const table of missing) await insert(batch, name, table, signal);
      } catch (cause) {
        throw signal.aborted ? new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause }) : cause;
      }
    },
  };
}

/**
 * Returns the name of an insert in ClickHouse's list of processes: for the first insert of a batch, the token alone.
 */
function nameOf(token: string, attempt: number): string {
  return attempt === 0 ? token : `${token} ${attempt}`;
}

/** Returns the mark of a batch in the tables: 64 bits of a hash of its token. */
function markOf(token: string): bigint {
  return hash('sha256', token, 'buffer').readBigUInt64BE(0);
}

/** Returns milliseconds as seconds with three decimals. */
function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
