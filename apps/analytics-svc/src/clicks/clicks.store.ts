import { hash } from 'node:crypto';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import { stringList } from '../database/literals.ts';
import { waitForStatements } from '../database/running-statements.ts';
import { INSERT_SETTINGS, REPLICATED_INSERT_SETTINGS } from '../database/settings.ts';
import type { Topology } from '../database/topology.ts';
import type { Clicks } from './click.ts';
import { INSERTED_COLUMNS, incomingRows } from './incoming-rows.ts';

export interface ClickBatch {
  /** Identifies the batch. It stays the same when the batch is sent again. */
  token: string;
  /** True if the batch was sent before and may be stored. */
  maybeStored: boolean;
  clicks: Clicks;
}

export interface ClicksStore {
  /** Stores a batch exactly once. Resolves when ClickHouse has it. Rejects with an `AppError`. */
  store(batch: ClickBatch, signal: AbortSignal): Promise<void>;
}

/** Returns the settings of an insert of a batch: into one server, or into replicas or shards. */
function insertSettings({ kind, hasDeduplicateInsert }: Topology) {
  const isSingle = kind === 'single';
  return {
    ...(isSingle ? INSERT_SETTINGS : REPLICATED_INSERT_SETTINGS),
    ...(hasDeduplicateInsert && { deduplicate_insert: isSingle ? 'disable' : 'enable' }),
  };
}

/** An insert ends after this time, whether it succeeded or not. */
const INSERT_MAX_SECONDS = 8;

export interface ClicksStoreDeps {
  database: Database;
  /** How the tables are held. Throws `unavailable` until that is known. */
  topology(): Topology;
}

export function createClicksStore({ database, topology }: ClicksStoreDeps): ClicksStore {
  async function insert(
    table: string,
    batch: ClickBatch,
    settings: Record<string, string>,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    await database.insert(
      `${table} (${INSERTED_COLUMNS.join(', ')})`,
      incomingRows(batch.clicks, markOf(batch.token)),
      {
        settings: { ...insertSettings(topology()), ...settings, max_execution_time: INSERT_MAX_SECONDS },
        signal,
      },
    );
  }

  /** Inserts into one server. `name` is what the insert is called in the list of running statements. */
  const insertAs = (name: string, batch: ClickBatch, signal: AbortSignal) =>
    insert('incoming_clicks', batch, { log_comment: name }, signal);

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
   * Returns true if the batch is stored. Any click of it is proof, because clicks of deleted links may be purged. If
   * none is left, the clicks are stored again, and the last purge of the links removes them.
   */
  async function isStored({ token, clicks }: ClickBatch, signal: AbortSignal): Promise<boolean> {
    const parameters = {
      mark: markOf(token),
      from: seconds(clicks.clickedAtMs.reduce((a, b) => Math.min(a, b))),
      to: seconds(clicks.clickedAtMs.reduce((a, b) => Math.max(a, b))),
    };
    const found = await database.query(
      `SELECT 1 FROM clicks
       WHERE account_id IN (${stringList(clicks.accountIds.values)}) AND batch = {mark:UInt64}
         AND quarter BETWEEN ${quarterOf('from')} AND ${quarterOf('to')} LIMIT 1`,
      { parameters, signal },
    );
    return found.length > 0;
  }

  return {
    async store(batch, signal) {
      if (batch.clicks.count === 0) return;
      const { token, maybeStored } = batch;
      try {
        if (topology().kind === 'single') {
          const name = maybeStored ? await withdrawOthers(batch, signal) : nameOf(token, 0);
          if (!maybeStored || !(await isStored(batch, signal))) await insertAs(name, batch, signal);
        } else if (!maybeStored || topology().kind === 'sharded' || !(await isStored(batch, signal))) {
          // Keeper forgets a token after 100,000 batches or a week. On replicas a batch is then found by its clicks. On
          // shards, one click proves only that its own shard has its part of the batch.
          await insert('clicks', batch, { insert_deduplication_token: token }, signal);
        }
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

/** Returns the mark of a batch in the table: 64 bits of a hash of its token, as a decimal number. */
function markOf(token: string): string {
  return hash('sha256', token, 'buffer').readBigUInt64BE(0).toString();
}

/** Returns milliseconds as whole seconds. */
function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** Returns the quarter of an hour of a parameter in seconds. */
function quarterOf(parameter: string): string {
  return `toStartOfFifteenMinutes(toDateTime({${parameter}:UInt32}, 'UTC'))`;
}
