import type { AnalyticsQuery } from '../../../packages/contract/src/analytics/analytics-query.ts';
import { processesCpuMs } from '../cpu-time.ts';
import { WORDS } from '../data/links.ts';
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

const UTC = ['UTC'];
const ZONES = [...UTC, 'Asia/Kathmandu'];
const HASHTAG = WORDS[0]!;

interface Question {
  query: Record<string, string>;
  /** Common ones have the limits of their window. */
  isCommon?: boolean;
  zones: readonly string[];
}

/** Returns the questions, by name. */
function questionsOf(world: World): Record<string, Question> {
  const including = (parts: string, zones = UTC): Record<string, Question> => ({
    [`include=${parts}`]: { query: { include: parts }, zones },
  });
  // Each name is that with the most clicks, and the link the one with the most clicks that both keys see.
  const filteredBy = (query: Record<string, string>, zones = UTC): Record<string, Question> => ({
    [Object.keys(query).join(', ')]: { query, zones },
  });
  return {
    default: { query: {}, isCommon: true, zones: ZONES },
    source: { query: { source: 'source-0' }, isCommon: true, zones: ZONES },
    link_id: { query: { link_id: world.links[0]!.id }, isCommon: true, zones: ZONES },
    ...filteredBy({ country: 'US' }, ZONES),
    ...filteredBy({ device: 'mobile' }),
    ...filteredBy({ browser: 'chrome' }),
    ...filteredBy({ os: 'android' }),
    ...filteredBy({ language: 'de' }),
    ...filteredBy({ utm_campaign: 'campaign-0' }),
    ...filteredBy({ hashtag: HASHTAG }),
    ...filteredBy({ country: 'US', source: 'source-0' }),
    ...filteredBy({ link_id: world.links[0]!.id, include: 'languages,utm_campaigns,utm_mediums,verdicts' }),
    ...including('countries,browsers,operating_systems', ZONES),
    ...including('referrers'),
    ...including('languages'),
    ...including('utm_campaigns,utm_mediums,utm_contents,utm_terms'),
    ...including('verdicts'),
    ...including('previous'),
    ...including('visitors', ZONES),
  };
}

/** The maximum ratio of the response time for 365 days between the most and the fewest clicks. */
export const GROWTH_LIMIT = 3;
const WARM_UP_REQUESTS = 2;
const REQUESTS = 60;
const REQUESTS_LEAST = 5;
/** A question that takes long is asked less often. */
const DURATION_MAX_MS = 6_000;
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
    for (const [name, { isCommon, query: asked, zones }] of Object.entries(questionsOf(world)))
      for (const key of KEYS)
        for (const tz of zones) {
          const query = new URLSearchParams({ days: String(days), tz, ...asked });
          const headers = { authorization: `Bearer ${keys[key]}` };
          const request = { path: `/api/v1/analytics?${query}`, headers };
          const send = async () => {
            const answer = JSON.parse(await world.gateway.send(request)) as { clicks: number };
            if (answer.clicks === 0) throw new Error(`${request.path}: no clicks`);
          };
          const question = { days, tz, ...asked } as AnalyticsQuery;
          const sendStraight = await straightStatements(world, question, {
            hidden: key === 'public' ? hiddenLinkIds : [],
            tagged: 'hashtag' in asked ? await findTagged(world, headers) : [],
          });
          for (let n = 0; n < WARM_UP_REQUESTS; n++) await send();
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

/** Returns the ids of the links with the hashtag that a key sees. */
async function findTagged(world: World, headers: Record<string, string>): Promise<string[]> {
  const lines = await world.gateway.send({ path: `/api/v1/links/export?hashtag=${HASHTAG}`, headers });
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);
}

/** Returns how many times as long a response takes as the same statements, sent straight. */
export function ratioOf({ p50Ms, straightP50Ms }: WindowResult): number {
  return p50Ms / straightP50Ms;
}

/** Formats the results as Markdown tables, one for each number of clicks. What exceeds its limit is marked. */
export function windowsTable(results: readonly WindowResult[]): string {
  const ms = (value: number) => Math.round(value).toLocaleString('en');
  const head = [
    `| question | key | zone | ${WINDOWS.map(({ days }) => `${days} ${days === 1 ? 'day' : 'days'} | ×`).join(' | ')} |`,
    `| --- | --- | --- |${' --: |'.repeat(2 * WINDOWS.length)}`,
  ];
  return [...Map.groupBy(results, ({ clicks }) => clicks)]
    .map(([clicks, ofClicks]) => {
      const rows = Map.groupBy(ofClicks, ({ question, key, tz }) => `| ${question} | ${key} | ${tz} |`);
      const cells = (result: WindowResult) => {
        const ratio = ratioOf(result);
        const { p50Ms, p95Ms, limitMs, databaseCpuMs } = result;
        const over = p95Ms > limitMs ? ' ✗' : '';
        const overRatio = ratio > STRAIGHT_LIMIT ? ' ✗' : '';
        return ` ${ms(p50Ms)} / ${ms(p95Ms)}${over} (${ms(databaseCpuMs)}) | ${ratio.toFixed(1)}${overRatio} |`;
      };
      const lines = [...rows].map(([row, windows]) => `${row}${windows.map(cells).join('')}`);
      return [`${clicks / 1e6} million clicks:`, '', ...head, ...lines].join('\n');
    })
    .join('\n\n');
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
