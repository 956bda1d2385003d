import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { rowsByDay } from './clicks-by-day.ts';
import type { Database } from './database.ts';
import { ONE_BLOCK } from './one-block.ts';

/** Clicks that are moved in one block, about: a batch is never split. */
const CHUNK_CLICKS = 500_000;
/** Batches that are looked at for one block. */
const CHUNK_BATCHES = 20_000;
/** Longer than an insert may run. */
const SETTLE_SECONDS = 30;
const POLL_MS = 1_000;

interface MissingBatch {
  batch: string;
  clicks: number;
  /** 1 where any batch that is missing arrived so recently that its insert may still run. */
  unsettled: number;
}

/**
 * Fills `clicks_by_day` with the batches that were stored before its view was there, then drops `clicks_by_quarter`, which
 * it replaces. A batch that is missing is known by its mark, so that a migration that was interrupted goes on. Replicas that
 * migrate at one time choose the same batches for the next block, whose token is then the same: it is stored once.
 * @throws where a block was refused: another replica is storing it, or died storing it. To be called again then.
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

/** The first batches by number that `clicks` has and `clicks_by_day` has not; those that came after the view bring themselves. */
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

/** A server that was killed may know a token and not have its block: hence one is good for ten minutes. */
function tokenOf(batches: readonly string[]): string {
  const period = Math.floor(Date.now() / TOKEN_LIFE_MS);
  return `move-${createHash('sha256').update(`${period}\n${batches.join()}`).digest('hex')}`;
}
