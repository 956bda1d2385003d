import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { rowsByDay } from './clicks-by-day.ts';
import type { Database } from './database.ts';
import { ONE_BLOCK } from './one-block.ts';

/** The approximate number of clicks to move in one block; a batch is never split. */
const CHUNK_CLICKS = 500_000;
/** The number of batches to choose from for one block. */
const CHUNK_BATCHES = 20_000;
/** Longer than an insert may run. */
const SETTLE_SECONDS = 30;
const POLL_MS = 1_000;

interface MissingBatch {
  batch: string;
  clicks: number;
  /** 1 if any missing batch arrived so recently that its insert may still be running. */
  unsettled: number;
}

/**
 * Fills `clicks_by_day` with the batches that were stored before its view existed, then drops `clicks_by_quarter`,
 * which it replaces. A missing batch is found by its missing mark, so an interrupted migration can continue. Replicas
 * that migrate concurrently choose the same batches for the next block. The block then has the same token and is stored
 * once.
 * @throws if a block was not stored, because another replica is storing it or died while doing so: call it again.
 */
export async function replaceClicksByQuarter(database: Database): Promise<void> {
  for (let missing = await findMissing(database); missing.length > 0; missing = await findMissing(database)) {
    if (missing[0]!.unsettled) {
      await sleep(POLL_MS);
      continue;
    }
    const batches = chunkOf(missing);
    await database.command(
      `INSERT INTO clicks_by_day
       ${rowsByDay(`(SELECT * REPLACE (now() AS received_at) FROM clicks WHERE batch IN (${batches.join()}))`)}`,
      { settings: { ...ONE_BLOCK, insert_deduplication_token: tokenOf(batches) } },
    );
    if ((await findMissing(database))[0]?.batch === batches[0])
      throw new Error(`the batch ${batches[0]} is not in clicks_by_day although it was inserted`);
  }
  await database.command('DROP VIEW IF EXISTS incoming_to_clicks_by_quarter');
  await database.command('DROP TABLE IF EXISTS clicks_by_quarter');
}

/**
 * Returns the first batches by number that are in `clicks` but not in `clicks_by_day`. The view adds later batches
 * itself.
 */
function findMissing(database: Database): Promise<MissingBatch[]> {
  return database.query<MissingBatch>(
    `WITH (SELECT max(metadata_modification_time) FROM system.tables
           WHERE database = {database:String} AND name = 'incoming_to_clicks_by_day') AS view_made_at
     SELECT toString(batch) AS batch, count() AS clicks,
       max(max(received_at)) OVER () > now() - ${SETTLE_SECONDS} AS unsettled
     FROM clicks
     WHERE received_at <= view_made_at + ${SETTLE_SECONDS}
       AND clicks.batch NOT IN (SELECT link FROM clicks_by_day WHERE account_id = '' AND from_source = '')
     GROUP BY clicks.batch ORDER BY clicks.batch LIMIT ${CHUNK_BATCHES}`,
    { parameters: { database: database.name } },
  );
}

function chunkOf(missing: readonly MissingBatch[]): string[] {
  const batches: string[] = [];
  let clicks = 0;
  for (const one of missing) {
    if (batches.length > 0 && clicks + one.clicks > CHUNK_CLICKS) break;
    batches.push(one.batch);
    clicks += one.clicks;
  }
  return batches;
}

const TOKEN_LIFE_MS = 600_000;

/**
 * Returns the token of a block. It changes every ten minutes, because a server that was killed may remember the token
 * of a block that it lost.
 */
function tokenOf(batches: readonly string[]): string {
  const period = Math.floor(Date.now() / TOKEN_LIFE_MS);
  return `move-${createHash('sha256').update(`${period}\n${batches.join()}`).digest('hex')}`;
}
