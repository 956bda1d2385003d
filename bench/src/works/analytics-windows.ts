import type { AnalyticsQuery } from '../../../packages/contract/src/analytics/analytics-query.ts';
import { processesCpuMs } from '../cpu-time.ts';
import { percentile } from '../statistics.ts';
import type { World } from '../world.ts';
import { straightStatements } from './analytics-statements.ts';

/** Days in the window, and the limits of the 95th percentile of the response time to common questions, by key. */
const WINDOWS = [
  { days: 1, limits: { full: 50, public: 100 } },
  { days: 30, limits: { full: 100, public: 200 } },
  { days: 365, limits: { full: 200, public: 400 } },
];
const KEYS = ['full', 'public'] as const;
/** The limit for any other question. */
const ANY_LIMIT_MS = 1_500;

/** The questions, by name. Common ones have the limits of their window. */
function questionsOf(world: World): Record<string, { isCommon: boolean; query: Record<string, string> }> {
  return {
    default: { isCommon: true, query: {} },
    // The source and the country with the most clicks, and the link with the most clicks that both keys see.
    source: { isCommon: true, query: { source: 'source-0' } },
    link_id: { isCommon: true, query: { link_id: world.links[0]!.id } },
    country: { isCommon: false, query: { country: 'US' } },
    'include=countries,browsers,operating_systems': {
      isCommon: false,
      query: { include: 'countries,browsers,operating_systems' },
    },
    'include=visitors': { isCommon: false, query: { include: 'visitors' } },
  };
}
const ZONES = ['UTC', 'Asia/Kathmandu'];
/** The maximum ratio of the response time for 365 days between the most and the fewest clicks. */
export const GROWTH_LIMIT = 3;
const WARM_UP_REQUESTS = 2;
const REQUESTS = 30;
const REQUESTS_LEAST = 5;
/** A question that takes long is asked less often. */
const DURATION_MAX_MS = 3_000;
/** The maximum ratio of the median to that of the same statements, sent straight to ClickHouse. */
export const STRAIGHT_LIMIT = 1.5;

/** The cost of one query through the gateway, sent sequentially. */
export interface WindowResult {
  clicks: number;
  days: number;
  key: (typeof KEYS)[number];
  question: string;
  tz: string;
  p50Ms: number;
  p95Ms: number;
  limitMs: number;
  /** The median for the same statements, sent straight to ClickHouse between the requests. */
  straightP50Ms: number;
  /** Rows that ClickHouse read for one response. */
  rowsRead: number;
  bytesRead: number;
  /** CPU time of ClickHouse per response; the figure that other load on the machine affects least. */
  databaseCpuMs: number;
}

/** Measures the answers to each question in each window, for each key and time zone. */
export async function* measureWindows(
  world: World,
  clicks: number,
  hiddenLinkIds: readonly string[],
): AsyncGenerator<WindowResult> {
  const keys = { full: world.account.key, public: world.account.publicKey };
  for (const { days, limits } of WINDOWS)
    for (const key of KEYS)
      for (const [name, { isCommon, query: asked }] of Object.entries(questionsOf(world)))
        for (const tz of ZONES) {
          const query = new URLSearchParams({ days: String(days), tz, ...asked });
          const request = {
            path: `/api/v1/analytics?${query}`,
            headers: { authorization: `Bearer ${keys[key]}` },
          };
          const send = async () => {
            const answer = JSON.parse(await world.gateway.send(request)) as { clicks: number };
            if (answer.clicks === 0) throw new Error(`${request.path}: no clicks`);
          };
          const question = { days, tz, ...asked } as AnalyticsQuery;
          const sendStraight = await straightStatements(world, question, key === 'public' ? hiddenLinkIds : []);
          for (let n = 0; n < WARM_UP_REQUESTS; n++) await send();
          const before = await readSoFar(world);
          await send();
          const after = await readSoFar(world);
          const ms: number[] = [];
          const straightMs: number[] = [];
          let cpuMs = 0;
          const endsAt = performance.now() + DURATION_MAX_MS;
          while (ms.length < REQUESTS && (ms.length < REQUESTS_LEAST || performance.now() < endsAt)) {
            const cpuBefore = processesCpuMs(world.databasePids('clickhouse'));
            ms.push(await timed(send));
            cpuMs += processesCpuMs(world.databasePids('clickhouse')) - cpuBefore;
            straightMs.push(await timed(sendStraight));
          }
          yield {
            ...{ clicks, days, key, question: name, tz, limitMs: isCommon ? limits[key] : ANY_LIMIT_MS },
            p50Ms: percentile(ms, 0.5),
            p95Ms: percentile(ms, 0.95),
            rowsRead: after.rows - before.rows,
            bytesRead: after.bytes - before.bytes,
            straightP50Ms: percentile(straightMs, 0.5),
            databaseCpuMs: cpuMs / ms.length,
          };
        }
}

async function timed(send: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await send();
  return performance.now() - began;
}

/** Returns ClickHouse's own counters, totals since its start. */
async function readSoFar(world: World): Promise<{ rows: number; bytes: number }> {
  const result = await world.clickhouse.query({
    query: `SELECT toFloat64(sumIf(value, event = 'SelectedRows')) AS rows, toFloat64(sumIf(value, event = 'SelectedBytes')) AS bytes
      FROM system.events`,
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ rows: number; bytes: number }>();
  return row!;
}

/** Formats the results as a Markdown table; a time over its limit is marked. */
export function windowsTable(results: readonly WindowResult[]): string {
  const head =
    '| clicks | days | key | question | zone | p50 | p95 | limit | straight, p50 | ratio | ClickHouse’s CPU | rows read | MB read |\n|-:|-:|-|-|-|-:|-:|-:|-:|-:|-:|-:|-:|';
  const rows = results.map(({ clicks, days, key, question, tz, p50Ms, p95Ms, limitMs, straightP50Ms, ...used }) => {
    const over = p95Ms > limitMs ? ' ✗' : '';
    const ratio = p50Ms / straightP50Ms;
    return `| ${clicks / 1e6} M | ${days} | ${key} | ${question} | ${tz} | ${p50Ms.toFixed(0)} ms | ${p95Ms.toFixed(0)} ms${over} | ${limitMs} ms | ${straightP50Ms.toFixed(0)} ms | ${ratio.toFixed(2)}${ratio > STRAIGHT_LIMIT ? ' ✗' : ''} | ${used.databaseCpuMs.toFixed(0)} ms | ${used.rowsRead.toLocaleString('en')} | ${(used.bytesRead / 1e6).toFixed(1)} |`;
  });
  return [head, ...rows].join('\n');
}

/** The longest window with the fewest and with the most clicks. */
interface Growth {
  least: WindowResult;
  most: WindowResult;
  ratio: number;
}

/** Returns how the longest window grows, for each query that was measured with different numbers of clicks. */
export function growthOf(results: readonly WindowResult[]): Growth[] {
  const longest = results.filter(({ days }) => days === Math.max(...results.map((result) => result.days)));
  return [...Map.groupBy(longest, ({ key, question, tz }) => `${key} ${question} ${tz}`).values()].map((same) => {
    const [least, most] = [same[0]!, same.at(-1)!];
    return { least, most, ratio: most.p50Ms / least.p50Ms };
  });
}

/** Formats {@link growthOf} as a Markdown table. */
export function growthTable(results: readonly WindowResult[]): string {
  const rows = growthOf(results).map(({ least, most, ratio }) => {
    const of = ({ clicks, p50Ms }: WindowResult) => `${p50Ms.toFixed(0)} ms with ${clicks / 1e6} M`;
    return `| ${most.days} | ${most.key} | ${most.question} | ${most.tz} | ${of(least)} | ${of(most)} | ${ratio.toFixed(2)}${ratio > GROWTH_LIMIT ? ' ✗' : ''} |`;
  });
  return [
    `| days | key | question | zone | fewest | most | ratio, at most ${GROWTH_LIMIT} |\n|-:|-|-|-|-:|-:|-:|`,
    ...rows,
  ].join('\n');
}
