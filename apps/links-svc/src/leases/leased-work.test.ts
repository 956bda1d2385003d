import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { Lease } from '../database/documents/lease.ts';
import { LeasedWork } from './leased-work.ts';

const WAIT = { timeout: 30_000 };
/** Documents in memory, and the work of one replica on them. */
function replica(
  documents: Map<string, Lease>,
  work: (id: string, ending: AbortSignal) => Promise<void>,
  stopwatch = () => performance.now(),
) {
  const errors: unknown[] = [];
  let beats = 0;
  const write = (id: string, holder: string | null) =>
    documents.set(id, { _id: id, holder, beat: `${leased.holder}-${beats++}` });
  const leased: LeasedWork = new LeasedWork({
    list: async () => [...documents.values()],
    work: async ({ _id, beat: seen }, ending) => {
      if (documents.get(_id)?.beat !== seen) return;
      write(_id, leased.holder);
      await work(_id, ending);
      if (documents.has(_id)) write(_id, null);
    },
    onError: (error) => errors.push(error),
    stopwatch,
  });
  leased.start();
  running.push(leased);
  return { leased, errors };
}

const running: LeasedWork[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});
const documents = (count: number) =>
  new Map(Array.from({ length: count }, (_, n): [string, Lease] => [`${n}`, { _id: `${n}`, holder: null, beat: '' }]));
const untilEnding = (ending: AbortSignal) =>
  new Promise<void>((resolve) => ending.addEventListener('abort', () => resolve(), { once: true }));

test('two replicas share the work, and no document is worked on twice at once', async () => {
  const all = documents(40);
  const working = new Set<string>();
  const work = async (id: string) => {
    expect(working.has(id)).toBe(false);
    working.add(id);
    await sleep(20);
    working.delete(id);
    all.delete(id);
  };
  const replicas = [replica(all, work), replica(all, work)];
  await vi.waitFor(() => expect(all.size).toBe(0), { timeout: 30_000 });
  for (const { errors } of replicas) expect(errors).toEqual([]);
});

test('new work begins at once when the replica is woken', async () => {
  const all = documents(0);
  const begun: string[] = [];
  const { leased } = replica(all, async (id) => {
    begun.push(id);
    all.delete(id);
  });
  await sleep(50);
  all.set('new', { _id: 'new', holder: null, beat: '' });
  leased.wake();
  await vi.waitFor(() => expect(begun).toEqual(['new']), { timeout: 30_000 });
});

test('work that never ends gives others their turn', async () => {
  const all = documents(10);
  const had = new Set<string>();
  replica(all, async (id, ending) => {
    had.add(id);
    await untilEnding(ending);
  });
  await vi.waitFor(() => expect(had.size).toBe(10), { timeout: 30_000 });
});

test('work that fails is tried again, and does not keep other work from running', async () => {
  const all = documents(2);
  let failures = 0;
  const { errors } = replica(all, async (id) => {
    if (id === '0' && failures++ === 0) throw new Error('down');
    all.delete(id);
  });
  await vi.waitFor(() => expect(all.size).toBe(0), { timeout: 30_000 });
  expect(errors).toEqual([new Error('down')]);
});

test('a lease of another replica is taken over once its beat stands still for ten seconds of the stopwatch', async () => {
  const all = new Map<string, Lease>();
  for (const id of ['alive', 'dead']) all.set(id, { _id: id, holder: 'another', beat: '0' });
  const begun: string[] = [];
  let nowMs = 0;
  let looks = 0;
  const { leased } = replica(
    all,
    async (id) => {
      begun.push(id);
      all.delete(id);
    },
    () => {
      looks += 1;
      return nowMs;
    },
  );
  const look = async () => {
    const before = looks;
    leased.wake();
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before), WAIT);
  };
  for (let second = 0; second < 10; second++) {
    nowMs = second * 1_000;
    all.set('alive', { _id: 'alive', holder: 'another', beat: `${second}` });
    await look();
  }
  expect(begun).toEqual([]);
  nowMs = 10_000;
  all.set('alive', { _id: 'alive', holder: 'another', beat: '10' });
  await look();
  await vi.waitFor(() => expect(begun).toEqual(['dead']), WAIT);
});

test('at the end the work is told, and its leases are given back', async () => {
  const all = documents(3);
  const { leased } = replica(all, (_id, ending) => untilEnding(ending));
  await vi.waitFor(() => expect(leased.running).toBe(3), { timeout: 30_000 });
  await leased.close();
  expect([...all.values()].map(({ holder }) => holder)).toEqual([null, null, null]);
  expect(leased.running).toBe(0);
});
