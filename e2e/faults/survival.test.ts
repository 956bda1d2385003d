import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '@waymark/contract';
import type { StackProcess } from '@waymark/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectNoFailures } from '../support/failures.ts';
import { EMBEDDED_DATABASES, type OwnStack, readClickHouse, startOwnStack } from '../support/own-stack.ts';
import { memoryOf, mib } from '../support/process-figures.ts';
import { RedirectLoad, roundRobin } from '../support/redirect-load.ts';
import { eventually, request } from '../support/world.ts';

// docs/api.md, Clicks: each click is counted exactly once, even if a process is killed or a database is down. Uses its
// own stack, because it kills processes.
//
// For long runs, set KILLS=40 and OUTAGE_SECONDS=300. KILL_ONLY=clickhouse,mongodb kills only these processes.

const PROCESSES = ['analytics-svc', 'clickhouse', 'links-svc', 'mongodb', 'gateway'];
const KILLS = Number(process.env.KILLS ?? PROCESSES.length);
const VICTIMS = process.env.KILL_ONLY?.split(',') ?? PROCESSES;
const OUTAGE_SECONDS = Number(process.env.OUTAGE_SECONDS ?? 3);
const PER_SECOND = 50;
/** Enough that the clicks of a long outage would be noticeable in memory. */
const PER_SECOND_OF_OUTAGE = 100;
const SLUGS = Array.from({ length: 20 }, (_, n) => `survive-${n}`);
/** A header with the longest referrer that is kept, so that clicks kept in memory would be noticeable. */
const LONG_CLICK = { referer: `https://example.org/${'r'.repeat(2_028)}` };
/** Maximum growth while clicks pile up: much less than the size of the clicks of a long outage. */
const MEMORY_GROWTH_MAX_BYTES = 48 * 1024 ** 2;
/** Includes uncollected garbage and the batches in flight while the spool drains. */
const MEMORY_MAX_BYTES = 448 * 1024 ** 2;

let own: OwnStack;
let links: Link[];
beforeAll(async () => {
  own = await startOwnStack({ autoRestart: true, ...EMBEDDED_DATABASES });
  links = await own.createLinks(SLUGS);
});
afterAll(() => own?.close());

/** All loads of this file, because the figures include the clicks of all of them. */
const loads: RedirectLoad[] = [];
function startLoad(perSecond: number, headers: Record<string, string> = {}): RedirectLoad {
  const load = new RedirectLoad({ nextOrigin: roundRobin(own.stack.urls.gateway), slugs: SLUGS, perSecond, headers });
  loads.push(load);
  return load;
}

/** Waits until a killed process runs again and accepts connections. */
async function untilBack(victim: StackProcess): Promise<void> {
  for (const port of Object.values(victim.ports))
    await eventually(
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket.destroy() && undefined));
          socket.once('error', reject);
        }),
    );
}

async function isReady(): Promise<void> {
  await eventually(async () => {
    expect((await request('/readyz', { base: own.stack.urls.gateway })).status).toBe(200);
  });
}

/**
 * Waits until every answered redirect is stored as a click, then checks that no click is duplicated or unexpected and
 * that rollups and counters agree. A request without a response may or may not be a click, because the response may
 * have been lost on its way to the visitor. Returns the number of stored clicks.
 */
async function expectExactlyOnce(): Promise<number> {
  const asked = new Map(loads.flatMap((load) => [...load.asked]));
  const answered = loads.flatMap((load) => [...load.answered]);
  let stored = new Map<string, number>();
  await eventually(async () => {
    const rows = await readClickHouse<{ source: string; n: number }>(
      own,
      'SELECT source, count() AS n FROM clicks GROUP BY source',
    );
    stored = new Map(rows.map(({ source, n }) => [source, n]));
    expect(answered.filter((source) => !stored.has(source))).toEqual([]);
  });
  // Give duplicate deliveries time to arrive.
  await sleep(2_000);

  await eventually(async () => {
    const rows = await readClickHouse<{ source: string; n: number }>(
      own,
      'SELECT source, count() AS n FROM clicks GROUP BY source',
    );
    stored = new Map(rows.map(({ source, n }) => [source, n]));
    expect([...stored].filter(([source, n]) => n !== 1 || !asked.has(source))).toEqual([]);
    const clicksOf = new Map(SLUGS.map((slug) => [slug, 0]));
    for (const source of stored.keys()) clicksOf.set(asked.get(source)!, clicksOf.get(asked.get(source)!)! + 1);

    const figures = await own.analytics();
    expect(figures.clicks).toBe(stored.size);
    expect(figures.devices).toEqual([{ device: 'desktop', clicks: stored.size }]);
    expect(figures.clicks_by_day.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(stored.size);
    // Sources are sorted by clicks, so a click that was counted twice would come first.
    expect(figures.sources.map(({ clicks }) => clicks)).toEqual(Array(50).fill(1));
    for (const { slug, clicks } of figures.top_links)
      expect({ slug, clicks }).toEqual({ slug, clicks: clicksOf.get(slug) });
    for (const { id, slug } of links) {
      const link = await request<Link>(`/api/v1/links/${id}`, { key: own.key, base: own.stack.urls.gateway });
      expect({ slug, clicks: link.body.clicks }).toEqual({ slug, clicks: clicksOf.get(slug) });
    }
  });
  return stored.size;
}

test(
  'every completed redirect is counted exactly once, whichever process is killed at any time',
  async () => {
    const load = startLoad(PER_SECOND);
    await sleep(1_000);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const victim = own.stack.processes[VICTIMS[kill % VICTIMS.length]!]!;
      await untilBack(victim);
      await sleep(Math.random() * 1_000);
      await victim.kill('SIGKILL');
      // Sometimes kill the next process while this one is still down.
      if (Math.random() < 0.7) await untilBack(victim);
    }
    for (const name of PROCESSES) await untilBack(own.stack.processes[name]!);
    await isReady();
    await sleep(500);
    await load.stop();
    const stored = await expectExactlyOnce();
    report(`${KILLS} kills of ${VICTIMS.join(', ')}`, load, { stored });
    expect([...load.others.keys()].filter((answer) => !/^(503|E[A-Z]+)$/.test(answer))).toEqual([]);
    expect(load.answered.size).toBeGreaterThan(load.asked.size / 4);
  },
  120_000 + KILLS * 15_000,
);

test(
  `known links keep redirecting and every click is counted, in order and without using memory for them, while \
ClickHouse and analytics-svc are down for ${OUTAGE_SECONDS} seconds, and MongoDB too`,
  async () => {
    await isReady();
    const { clickhouse, mongodb, 'analytics-svc': analytics } = own.stack.processes;
    const load = startLoad(PER_SECOND_OF_OUTAGE, LONG_CLICK);
    // Long enough to visit every link before the outage.
    await sleep(2_000);
    await analytics!.stop(2_000);
    await clickhouse!.stop(0);
    const memory = () => memoryOf(own.stack.processes['links-svc']!.pid!);
    const before = memory();
    let away = before;
    for (let second = 0; second < OUTAGE_SECONDS; second += 1) {
      await sleep(1_000);
      away = Math.max(away, memory());
    }
    expectNoFailures(load.others, own.stack);
    await mongodb!.stop(0);
    // Longer than cache entries stay fresh, so redirects must work from stale entries.
    await sleep(6_000);
    await mongodb!.start();
    await clickhouse!.start();
    await analytics!.start();
    await isReady();
    await sleep(1_000);
    const drained = memory();
    await load.stop();
    expectNoFailures(load.others, own.stack);
    expect(load.answered.size).toBe(load.asked.size);
    const stored = await expectExactlyOnce();
    report(`databases away, ClickHouse for ${OUTAGE_SECONDS} s`, load, {
      stored,
      beforeMiB: mib(before),
      awayMiB: mib(away),
      drainedMiB: mib(drained),
      endMiB: mib(memory()),
    });
    expect(away - before).toBeLessThan(MEMORY_GROWTH_MAX_BYTES);
    expect(Math.max(drained, memory())).toBeLessThan(MEMORY_MAX_BYTES);

    const [firstSource] = load.asked.keys();
    const arrived = await readClickHouse<{ received: number }>(
      own,
      `SELECT toUnixTimestamp(stored_at) AS received FROM clicks
       WHERE startsWith(source, '${firstSource!.split('-')[0]}-') ORDER BY clicked_at, stored_at`,
    );
    expect(arrived.length).toBe(load.answered.size);
    expect(arrived.filter(({ received }, n) => n > 0 && received < arrived[n - 1]!.received)).toEqual([]);
  },
  120_000 + OUTAGE_SECONDS * 2_000,
);

function report(what: string, load: RedirectLoad, more: Record<string, number>): void {
  const figures = { asked: load.asked.size, answered: load.answered.size, ...Object.fromEntries(load.others), ...more };
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}
