import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '@waymark/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectExactlyOnce, report } from '../support/exactly-once.ts';
import { expectNoFailures } from '../support/failures.ts';
import { EMBEDDED_DATABASES, type OwnStack, readClickHouse, startOwnStack } from '../support/own-stack.ts';
import { memoryOf, mib } from '../support/process-figures.ts';
import { RedirectLoad, roundRobin } from '../support/redirect-load.ts';
import { untilReady } from '../support/world.ts';

// docs/api.md, Clicks: each click is counted exactly once, even if the databases are away for minutes. survival.test.ts has
// the kills. OUTAGE_SECONDS sets the time.

const OUTAGE_SECONDS = Number(process.env.OUTAGE_SECONDS ?? 300);
/** Enough that the clicks of a long outage would be noticeable in memory. */
const PER_SECOND = 100;
const SLUGS = Array.from({ length: 20 }, (_, n) => `outage-${n}`);
/** A header with the longest referrer that is kept, so that clicks kept in memory would be noticeable. */
const LONG_CLICK = { referer: `https://example.org/${'r'.repeat(2_028)}` };
/** Maximum growth while clicks pile up: much less than the size of the clicks of a long outage. */
const MEMORY_GROWTH_MAX_BYTES = 48 * 1024 ** 2;
/** Includes uncollected garbage and the batches in flight while the spool drains. */
const MEMORY_MAX_BYTES = 448 * 1024 ** 2;

let own: OwnStack;
let links: Link[];
beforeAll(async () => {
  own = await startOwnStack(EMBEDDED_DATABASES);
  links = await own.createLinks(SLUGS);
});
afterAll(() => own?.close());

test(
  `known links keep redirecting and every click is counted, in order and without using memory for them, while \
ClickHouse and analytics-svc are down for ${OUTAGE_SECONDS} seconds, and MongoDB too`,
  async () => {
    await untilReady(own.stack.urls.gateway);
    const { clickhouse, mongodb, 'analytics-svc': analytics } = own.stack.processes;
    const nextOrigin = roundRobin(own.stack.urls.gateway);
    const load = new RedirectLoad({ nextOrigin, slugs: SLUGS, perSecond: PER_SECOND, headers: LONG_CLICK });
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
    await untilReady(own.stack.urls.gateway);
    await sleep(1_000);
    const drained = memory();
    await load.stop();
    expectNoFailures(load.others, own.stack);
    expect(load.answered.size).toBe(load.asked.size);
    const stored = await expectExactlyOnce(own, links, load);
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
