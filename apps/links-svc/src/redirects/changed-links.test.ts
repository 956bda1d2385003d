import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChangedLinks, type LinkChange } from './changed-links.ts';

const HOUR_MS = 3_600_000;

/** Returns a database whose clock is an hour behind, and a replica that polls it. */
function harness() {
  const state = { now: 10 * HOUR_MS, changes: [] as LinkChange[], isDown: false };
  const databaseTime = () => new Date(state.now - HOUR_MS);
  const answer = <Answer>(value: Answer) => (state.isDown ? Promise.reject(new Error('down')) : Promise.resolve(value));
  const links = new ChangedLinks(
    {
      databaseTime: () => answer(databaseTime()),
      changesSince: (moment) => answer(state.changes.filter(({ changedAt }) => changedAt > moment)),
    },
    () => state.now,
  );
  const change = (linkId: string) => state.changes.push({ linkId, changedAt: databaseTime() });
  return { links, state, change };
}

test('what was read stays true for a minute if no change is noticed', async () => {
  const { links, state } = harness();
  await links.poll();
  const readAt = state.now;
  state.now += 40_000;
  await links.poll();
  expect(links.unchangedUntil('a', readAt)).toBe(state.now);
  state.now += 1_700;
  expect(links.unchangedUntil('a', readAt)).toBe(state.now - 1_700);
  state.now = readAt + 60_001;
  await links.poll();
  expect(links.unchangedUntil('a', readAt)).toBe(readAt);
});

test('what was read before a change, or shortly after it was noticed, is not extended', async () => {
  const { links, state, change } = harness();
  await links.poll();
  const before = state.now;
  state.now += 1_000;
  change('a');
  state.now += 400;
  await links.poll();
  const soon = state.now + 7_000;
  state.now += 20_000;
  await links.poll();
  expect(links.unchangedUntil('a', before)).toBe(before);
  expect(links.unchangedUntil('a', soon)).toBe(soon);
  expect(links.unchangedUntil('a', soon + 2_000)).toBe(state.now);
  expect(links.unchangedUntil('b', before)).toBe(state.now);
});

test('what was read before the first poll is not extended', async () => {
  const { links, state, change } = harness();
  const readAt = state.now;
  state.now += 10;
  change('a');
  state.now += 30_000;
  await links.poll();
  state.now += 10_000;
  await links.poll();
  expect(links.unchangedUntil('a', readAt)).toBe(readAt);
});

test('in an outage results age, and missed changes are noticed afterwards', async () => {
  const { links, state, change } = harness();
  await links.poll();
  const readAt = state.now;
  state.isDown = true;
  state.now += 5_000;
  await expect(links.poll()).rejects.toThrow();
  expect(links.unchangedUntil('a', readAt)).toBe(readAt);
  change('a');
  state.now += 20_000;
  state.isDown = false;
  await links.poll();
  expect(links.unchangedUntil('a', readAt)).toBe(readAt);
  expect(links.unchangedUntil('b', readAt)).toBe(state.now);
});

test('a change that becomes visible after a later one is still noticed', async () => {
  const { links, state, change } = harness();
  await links.poll();
  const readAt = state.now;
  state.now += 5_000;
  change('late');
  const [late] = state.changes.splice(0);
  state.now += 1_500;
  change('other');
  await links.poll();
  state.changes.push(late!);
  state.now += 500;
  await links.poll();
  expect(links.unchangedUntil('late', readAt)).toBe(readAt);
});

test('no result is trusted longer than it is true, in any order of events', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
    fc.record({ kind: fc.constantFrom('change' as const, 'read' as const), link: fc.constantFrom('a', 'b') }),
    fc.record({ kind: fc.constantFrom('ask' as const, 'outage' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { links, state, change } = harness();
      const changedAt: Record<string, number[]> = { a: [], b: [] };
      const reads: { link: string; readAt: number }[] = [];
      for (const one of steps) {
        state.now += 1;
        if (one.kind === 'wait') state.now += one.ms;
        else if (one.kind === 'change') {
          change(one.link);
          changedAt[one.link]!.push(state.now);
        } else if (one.kind === 'read') reads.push({ link: one.link, readAt: state.now });
        else if (one.kind === 'outage') state.isDown = !state.isDown;
        else await links.poll().catch(() => {});
        for (const { link, readAt } of reads) {
          const until = links.unchangedUntil(link, readAt);
          // At the very moment of a change both results are correct.
          expect(changedAt[link]!.some((at) => at > readAt && at < until)).toBe(false);
        }
      }
    }),
  );
});
