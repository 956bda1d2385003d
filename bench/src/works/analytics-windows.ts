import { processesCpuMs } from '../cpu-time.ts';
import { drive } from '../load.ts';
import { percentile } from '../statistics.ts';
import type { World } from '../world.ts';

/** Days in the window, and the limit of the 95th percentile of its response time. */
const WINDOWS = [
  { days: 1, limitMs: 50 },
  { days: 30, limitMs: 100 },
  { days: 365, limitMs: 200 },
];
const KEYS = ['full', 'public'] as const;
const ZONES = ['UTC', 'Asia/Kathmandu'];
/** The maximum ratio of the response time for 365 days between the most and the fewest clicks. */
export const GROWTH_LIMIT = 3;
const WARM_UP_REQUESTS = 5;
const REQUESTS = 40;

/** The cost of one query through the gateway, sent sequentially. */
export interface WindowResult {
  clicks: number;
  days: number;
  key: (typeof KEYS)[number];
  source: string | null;
  tz: string;
  p50Ms: number;
  p95Ms: number;
  limitMs: number;
  /** Rows that ClickHouse read for one response. */
  rowsRead: number;
  bytesRead: number;
  /** CPU time of ClickHouse per response; the figure that other load on the machine affects least. */
  databaseCpuMs: number;
}

/** Measures the analytics of each window, key and time zone, with and without the source. */
export async function* measureWindows(world: World, clicks: number, source: string): AsyncGenerator<WindowResult> {
  const keys = { full: world.account.key, public: world.account.publicKey };
  for (const { days, limitMs } of WINDOWS)
    for (const key of KEYS)
      for (const asked of [null, source])
        for (const tz of ZONES) {
          const query = new URLSearchParams({ days: String(days), tz, ...(asked && { source: asked }) });
          const request = {
            path: `/api/v1/analytics?${query}`,
            headers: { authorization: `Bearer ${keys[key]}` },
          };
          const send = async () => {
            const answer = JSON.parse(await world.gateway.send(request)) as { clicks: number };
            if (answer.clicks === 0) throw new Error(`${request.path}: no clicks`);
          };
          for (let n = 0; n < WARM_UP_REQUESTS; n++) await send();
          const before = await readSoFar(world);
          await send();
          const after = await readSoFar(world);
          const cpuBefore = processesCpuMs(world.databasePids('clickhouse'));
          const ms = await drive(send, { connections: 1, durationMs: 30_000, maxRequests: REQUESTS });
          yield {
            ...{ clicks, days, key, source: asked, tz, limitMs },
            p50Ms: percentile(ms, 0.5),
            p95Ms: percentile(ms, 0.95),
            rowsRead: after.rows - before.rows,
            bytesRead: after.bytes - before.bytes,
            databaseCpuMs: (processesCpuMs(world.databasePids('clickhouse')) - cpuBefore) / ms.length,
          };
        }
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
    '| clicks | days | key | source | zone | p50 | p95 | limit | ClickHouse’s CPU | rows read | MB read |\n|-:|-:|-|-|-|-:|-:|-:|-:|-:|-:|';
  const rows = results.map(({ clicks, days, key, source, tz, p50Ms, p95Ms, limitMs, ...used }) => {
    const over = p95Ms > limitMs ? ' ✗' : '';
    return `| ${clicks / 1e6} M | ${days} | ${key} | ${source ?? 'all'} | ${tz} | ${p50Ms.toFixed(0)} ms | ${p95Ms.toFixed(0)} ms${over} | ${limitMs} ms | ${used.databaseCpuMs.toFixed(0)} ms | ${used.rowsRead.toLocaleString('en')} | ${(used.bytesRead / 1e6).toFixed(1)} |`;
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
  return [...Map.groupBy(longest, ({ key, source, tz }) => `${key} ${source} ${tz}`).values()].map((same) => {
    const [least, most] = [same[0]!, same.at(-1)!];
    return { least, most, ratio: most.p50Ms / least.p50Ms };
  });
}

/** Formats {@link growthOf} as a Markdown table. */
export function growthTable(results: readonly WindowResult[]): string {
  const rows = growthOf(results).map(({ least, most, ratio }) => {
    const of = ({ clicks, p50Ms }: WindowResult) => `${p50Ms.toFixed(0)} ms with ${clicks / 1e6} M`;
    return `| ${most.days} | ${most.key} | ${most.source ?? 'all'} | ${most.tz} | ${of(least)} | ${of(most)} | ${ratio.toFixed(2)}${ratio > GROWTH_LIMIT ? ' ✗' : ''} |`;
  });
  return [
    `| days | key | source | zone | fewest | most | ratio, at most ${GROWTH_LIMIT} |\n|-:|-|-|-|-:|-:|-:|`,
    ...rows,
  ].join('\n');
}
