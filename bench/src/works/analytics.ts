import { setTimeout as sleep } from 'node:timers/promises';
import { createAnalyticsStore } from '../../../apps/analytics-svc/src/analytics/analytics.store.ts';
import { windowOf } from '../../../apps/analytics-svc/src/analytics/window.ts';
import type { Database } from '../../../apps/analytics-svc/src/database/database.ts';
import { COMPLETE_DAY } from '../../../apps/analytics-svc/src/database/hidden-sets.ts';
import { loadClicks } from '../data/clicks.ts';
import type { HttpTarget } from '../http-target.ts';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';

const DAYS = 30;
const TZ = 'UTC';
/** As in analytics-svc. */
const CANDIDATES_MAX = 200;

interface Statement {
  query: string;
  parameters: Record<string, unknown>;
}

/**
 * Prepares the analytics of 30 days for an account with `clicks` clicks in a year; loads the clicks that are missing.
 */
export async function analyticsWork(world: World, clicks: number): Promise<Work> {
  await topUpClicks(world, clicks);
  const statements = await statementsOf(world);
  const run = async ({ query, parameters }: Statement) => {
    const result = await world.clickhouse.query({ query, query_params: parameters, format: 'JSONEachRow' });
    await result.json();
  };
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
    doors: [
      {
        door: 'analytics-svc',
        limit: 1.5,
        send: async () => ask(world.analyticsHttp, await world.identityHeaders()),
        pids: () => world.pidsOf('analytics-svc', 'links-svc'),
      },
      {
        door: 'gateway',
        limit: null,
        send: () => ask(world.gateway, world.keyHeaders),
        pids: () => world.pidsOf('gateway', 'analytics-svc', 'links-svc'),
      },
    ],
    floor: {
      name: 'the same SQL, straight',
      send: async () => {
        await Promise.all([run(statements.figures), run(statements.top)]);
      },
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
    query: 'SELECT toUInt32(sum(clicks)) AS clicks FROM link_totals WHERE account_id = {account:String}',
    query_params: { account: world.account.id },
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ clicks: number }>();
  const linkIds = world.links.map(({ id }) => id);
  await loadClicks(world.clickhouse, world.account.id, linkIds, clicks - row!.clicks);
}

/**
 * Waits for ClickHouse's background merges: each rollup is then a single part, as it is for clicks that are not new.
 */
export async function mergeRollups(world: World): Promise<void> {
  for (const table of ['clicks_by_day', 'links_by_day'])
    await world.clickhouse.command({
      query: `OPTIMIZE TABLE ${table} FINAL`,
      clickhouse_settings: { optimize_skip_merged_partitions: 1, max_execution_time: 0 },
    });
}

const POLL_MS = 100;

/**
 * Requests the analytics with the public key until analytics-svc has summed the clicks of the hidden links. Returns the
 * milliseconds since the first response.
 */
export async function addUpHiddenLinks({ gateway, account, clickhouse }: World): Promise<number> {
  const isDone = async () => {
    const result = await clickhouse.query({
      query: `SELECT sum(other) AS complete FROM clicks_by_day
        WHERE account_id = {account:String} AND from_source = '' AND day = ${COMPLETE_DAY}`,
      query_params: { account: account.id },
      format: 'JSONEachRow',
    });
    const [row] = await result.json<{ complete: number }>();
    return Number(row!.complete) > 0;
  };
  const ask = () =>
    gateway.send({ path: '/api/v1/analytics?days=30', headers: { authorization: `Bearer ${account.publicKey}` } });
  await ask();
  const startedAt = performance.now();
  while (!(await isDone())) {
    await sleep(POLL_MS);
    await ask();
  }
  return performance.now() - startedAt;
}

/**
 * Returns the statements that analytics-svc's store sends for the window, with their parameters. Excludes the query for
 * the ids of the top links, which the store caches.
 */
async function statementsOf(world: World) {
  const asked: Statement[] = [];
  const recording: Pick<Database, 'query'> = {
    async query<Row>(query: string, { parameters = {} }: { parameters?: Record<string, unknown> } = {}) {
      asked.push({ query, parameters });
      const result = await world.clickhouse.query({ query, query_params: parameters, format: 'JSONEachRow' });
      return result.json<Row>();
    },
  };
  // The requesting key sees all links.
  const hiddenSets = { find: () => Promise.reject(new Error('a link is hidden')), forget: () => {} };
  const store = createAnalyticsStore({ database: recording, hiddenSets });
  const { boundaries } = windowOf(DAYS, TZ, Date.now());
  const viewer = { accountId: world.account.id, scope: 'full_access' as const };
  const query = { ...viewer, boundaries, source: null, hiddenLinks: [] };
  const never = new AbortController().signal;
  const reader = await store.open(query, never);
  await reader.figures();
  await reader.topLinks(CANDIDATES_MAX);
  const [figures, top] = asked;
  if (figures === undefined || top === undefined || asked.length !== 3)
    throw new Error(`the store asked ${asked.length} statements, not three`);
  return { figures, top };
}
