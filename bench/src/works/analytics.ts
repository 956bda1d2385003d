import { loadClicks } from '../data/clicks.ts';
import type { HttpTarget } from '../http-target.ts';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';
import { straightStatements } from './analytics-statements.ts';

const DAYS = 30;
const TZ = 'UTC';

/**
 * Prepares the analytics of 30 days for an account with `clicks` clicks in a year; loads the clicks that are missing.
 */
export async function analyticsWork(world: World, clicks: number): Promise<Work> {
  await topUpClicks(world, clicks);
  // The requesting key sees all links.
  const sendStraight = await straightStatements(world, { days: DAYS, tz: TZ }, { hidden: [], tagged: [] });
  const path = `/api/v1/analytics?days=${DAYS}&tz=${TZ}`;
  const ask = async (target: HttpTarget, headers: Record<string, string>) => {
    const answer = JSON.parse(await target.send({ path, headers })) as { clicks: number };
    if (answer.clicks === 0) throw new Error('the analytics have no clicks');
  };
  return {
    name: `analytics of ${DAYS} days`,
    data: `${(clicks / 1e6).toLocaleString('en')} million clicks`,
    requestsPerRound: 10,
    measure: 'time',
    endpoints: [
      {
        endpoint: 'analytics-svc',
        limit: 1.5,
        send: async () => ask(world.analyticsHttp, await world.identityHeaders()),
        pids: () => world.pidsOf('analytics-svc', 'links-svc'),
      },
      {
        endpoint: 'gateway',
        limit: null,
        send: () => ask(world.gateway, world.keyHeaders),
        pids: () => world.pidsOf('gateway', 'analytics-svc', 'links-svc'),
      },
    ],
    floor: {
      name: 'the same SQL, straight',
      send: sendStraight,
      // The client runs in the measuring process.
      pids: () => [process.pid],
    },
    databasePids: () => world.databasePids('clickhouse'),
    connectionsMax: 1,
  };
}

/** Loads the clicks that the account lacks to reach this number. */
export async function topUpClicks(world: World, clicks: number): Promise<void> {
  const result = await world.clickhouse.query({
    query: 'SELECT toUInt32(count()) AS clicks FROM clicks WHERE account_id = {account:String}',
    query_params: { account: world.account.id },
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ clicks: number }>();
  const linkIds = world.links.map(({ id }) => id);
  await loadClicks(world.clickhouse, world.account.id, linkIds, clicks - row!.clicks);
}

/** Merges the clicks into one part, as it is for clicks that are not new. */
export async function mergeClicks(world: World): Promise<void> {
  await world.clickhouse.command({
    query: 'OPTIMIZE TABLE clicks FINAL',
    clickhouse_settings: { optimize_skip_merged_partitions: 1, max_execution_time: 0 },
  });
}

/** Reads every click once, so that the machine has them in memory, as those of a database in use are. */
export async function readAllClicks(world: World): Promise<void> {
  const result = await world.clickhouse.query({
    query: 'SELECT max(cityHash64(*)) FROM clicks',
    clickhouse_settings: { max_execution_time: 0 },
  });
  await result.text();
}
