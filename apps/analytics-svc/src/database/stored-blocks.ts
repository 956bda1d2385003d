import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, INTERNAL_MESSAGE, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { Database } from './database.ts';
import { stringList, stringLiteral } from './literals.ts';
import { haveAllReplicasCaughtUp } from './replication.ts';
import { localName } from './tables.ts';
import type { Topology } from './topology.ts';

/** The blocks in which the clicks of an account are stored. */
export interface StoredBlocks {
  /** The UUID of the table. A restored one has another, and other numbers of blocks. */
  tableId: string;
  /** The number of the last block. No block up to it is still to come. 0 before the first block. */
  last: number;
}

const OF_CLICKS = 'database = {database:String} AND table = {table:String}';
const CATCH_UP_TRIES = 10;
const CATCH_UP_PAUSE_MS = 100;

/**
 * Returns the blocks of clicks as of now. One server numbers a block under the lock that makes it visible, so every click
 * that is stored later has a higher number. On replicas it waits for what is still being inserted (ADR 68).
 * @throws {AppError} `unavailable` if a replica is down or lags.
 */
export async function findStoredBlocks(
  database: Database,
  topology: Topology,
  accountId: string,
  signal: AbortSignal,
): Promise<StoredBlocks> {
  const parameters = { database: database.name, table: localName('clicks', topology) };
  const [table] = await database.query<{ id: string; last: number }>(
    `SELECT toString(uuid) AS id,
       (SELECT max(max_block_number) FROM system.parts WHERE ${OF_CLICKS} AND active) AS last
     FROM system.tables WHERE database = {database:String} AND name = {table:String}`,
    { parameters, signal },
  );
  if (table === undefined)
    throw new AppError('internal', INTERNAL_MESSAGE, { cause: new Error('the table clicks is missing') });
  const last = topology.kind === 'single' ? table.last : await lastOnReplicas(database, topology, accountId, signal);
  return { tableId: table.id, last };
}

/**
 * Returns the number of the last block of the shard that has the account. Keeper gives numbers before the blocks are
 * visible, so it waits until no insert with a lower number runs, and then until every replica has those blocks.
 */
async function lastOnReplicas(
  database: Database,
  topology: Topology,
  accountId: string,
  signal: AbortSignal,
): Promise<number> {
  const onAll = (table: string) => `clusterAllReplicas(${stringLiteral(database.name)}, system.${table})`;
  const parameters = { database: database.name, table: localName('clicks', topology) };
  const replicas = await database.query<{ host: string; path: string }>(
    `SELECT hostName() AS host, zookeeper_path AS path FROM ${onAll('replicas')} WHERE ${OF_CLICKS}`,
    { parameters, signal },
  );
  const hosts =
    topology.kind === 'sharded'
      ? await database.query<{ host: string }>(
          'SELECT DISTINCT hostName() AS host FROM clicks WHERE account_id = {account:String}',
          { parameters: { account: accountId }, signal },
        )
      : replicas;
  const path = replicas.find(({ host }) => host === hosts[0]?.host)?.path;
  if (path === undefined) return 0;
  const ofShard = stringList(replicas.filter((replica) => replica.path === path).map(({ host }) => host));
  const [{ last } = { last: 0 }] = await database.query<{ last: number }>(
    `SELECT max(max_block_number) AS last FROM ${onAll('parts')}
     WHERE ${OF_CLICKS} AND active AND hostName() IN (${ofShard})`,
    { parameters, signal },
  );
  if (last === 0) return 0;
  for (let tries = 0; tries < CATCH_UP_TRIES; tries++) {
    if (tries > 0) await sleep(CATCH_UP_PAUSE_MS, undefined, { signal });
    const running = await database.query(
      `SELECT 1 FROM system.zookeeper
       WHERE path = {path:String} AND toUInt64OrZero(substring(name, ${'block-'.length + 1})) BETWEEN 1 AND ${last} LIMIT 1`,
      { parameters: { path: `${path}/block_numbers/all` }, signal },
    );
    if (running.length === 0 && (await haveAllReplicasCaughtUp(database, topology, signal))) return last;
  }
  throw new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: new Error('a replica of ClickHouse lags') });
}
