import { AppError } from '@waymark/contract';
import fc from 'fast-check';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { operationTimeMs } from '../database/operation-options.ts';
import { DocumentMissed } from '../database/write-all.ts';
import { type Change, RepeatChange } from './change.ts';
import { ChangeQueue } from './change-queue.ts';

// The queue with a database that a test decides about: which transactions end, when and how.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Outcome = 'commits' | 'conflicts' | 'revision' | 'lost' | 'outage' | 'defect' | 'repeat' | 'never';

const ERRORS: Record<Exclude<Outcome, 'commits' | 'never'>, () => Error> = {
  conflicts: () =>
    new MongoServerError({ message: 'WriteConflict', code: 112, errorLabels: ['TransientTransactionError'] }),
  revision: () => new DocumentMissed(),
  lost: () => new MongoNetworkError('closed', { cause: new Error('reset') }),
  outage: () => new MongoServerError({ message: 'out of time', code: 50 }),
  defect: () => new Error('a document is too large'),
  repeat: () => new RepeatChange('another document'),
};

/** Starts a queue whose transactions end as `outcomeOf` says, after some milliseconds. */
function start(outcomeOf: (changes: string[], accounts: string[]) => { outcome: Outcome; ms?: number }) {
  const transactions: { accounts: string[]; outcome: Outcome }[] = [];
  const committed: string[] = [];
  const running: string[][] = [];
  const queue = new ChangeQueue({
    registry: new Registry(),
    now: () => 0,
    onCommitted: () => {},
    async runChanges(changes) {
      const accounts = [...new Set(changes.map(({ accountId }) => accountId))];
      for (const others of running) expect(others.filter((id) => accounts.includes(id))).toEqual([]);
      running.push(accounts);
      expect(running.length).toBeLessThanOrEqual(8);
      try {
        const names = changes.map((change) => change.decide(null as never) as string);
        const { outcome, ms = 1 } = outcomeOf(names, accounts);
        transactions.push({ accounts, outcome });
        await new Promise((resolve) => (outcome === 'never' ? undefined : setTimeout(resolve, ms)));
        if (outcome !== 'commits') throw ERRORS[outcome as keyof typeof ERRORS]();
        committed.push(...names);
        return { outcomes: names.map((result) => ({ result })), redirectIds: [], positions: [] };
      } finally {
        running.splice(running.indexOf(accounts), 1);
      }
    },
  });
  const run = (accountId: string, name = accountId, size = 1) => {
    const change: Change<string> = { accountId, size, bytes: 100, reads: () => ({}), decide: () => name };
    return queue.run(change).catch((error: unknown) => (error instanceof AppError ? error.code : error));
  };
  return { queue, run, transactions, committed };
}

const others = Array.from({ length: 15 }, (_, n) => `other ${n}`);

test('changes of other accounts are committed while the transaction of one account hangs', async () => {
  const { run } = start((_names, accounts) => ({ outcome: accounts.includes('stuck') ? 'never' : 'commits' }));
  void run('stuck');
  await vi.advanceTimersByTimeAsync(10);
  for (let round = 0; round < 5; round++) {
    const results = Promise.all(others.map((id) => run(id, `${id}, ${round}`)));
    await vi.advanceTimersByTimeAsync(round === 0 ? 150 : 10);
    expect(await results).toEqual(others.map((id) => `${id}, ${round}`));
  }
});

test('an account that always conflicts makes those of its group repeat twice, and fails alone when its time is over', async () => {
  const { run, queue, transactions } = start((_names, accounts) => ({
    outcome: accounts.includes('contended') ? 'conflicts' : 'commits',
  }));
  const withOthers = () =>
    transactions.filter(({ accounts }) => accounts.length > 1 && accounts.includes('contended')).length;
  const contended = run('contended');
  const results = Promise.all(others.map((id) => run(id)));
  await vi.advanceTimersByTimeAsync(250);
  expect(await results).toEqual(others);
  expect(withOthers()).toBe(2);
  await vi.advanceTimersByTimeAsync(operationTimeMs());
  expect(await contended).toBe('unavailable');
  // It shares no transaction from the start now.
  const again = [run('contended'), ...others.map((id) => run(id))];
  await vi.advanceTimersByTimeAsync(5);
  expect(await Promise.all(again.slice(1))).toEqual(others);
  expect(withOthers()).toBe(2);
  await vi.advanceTimersByTimeAsync(operationTimeMs() + 200);
  await Promise.all([again[0], queue.close()]);
});

test('as many stuck accounts as there are places leave one for the others', async () => {
  const { run } = start((_names, accounts) => ({
    outcome: accounts.some((id) => id.startsWith('stuck')) ? 'conflicts' : 'commits',
    ms: accounts.some((id) => id.startsWith('stuck')) ? 3_000 : 1,
  }));
  const stuck = () => Array.from({ length: 20 }, (_, n) => run(`stuck ${n}`));
  const first = stuck();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(new Set(await Promise.all(first))).toEqual(new Set(['unavailable']));
  const second = stuck();
  await vi.advanceTimersByTimeAsync(10);
  const result = run('other');
  await vi.advanceTimersByTimeAsync(10);
  expect(await result).toBe('other');
  await vi.advanceTimersByTimeAsync(20_000);
  await Promise.all(second);
});

test('a change that cannot be written fails alone', async () => {
  const { run } = start((names) => ({ outcome: names.includes('too large') ? 'defect' : 'commits' }));
  const results = [run('a', 'before'), run('a', 'too large'), run('a', 'after'), run('b')];
  await vi.advanceTimersByTimeAsync(20);
  expect(await Promise.all(results)).toEqual(['before', expect.any(Error), 'after', 'b']);
});

test('whatever transactions do, each change ends once and in time, and those of an account keep their order', async () => {
  const outcome = fc.record({
    outcome: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Outcome>('commits') },
      fc.constantFrom<Outcome[]>('conflicts', 'revision', 'lost', 'outage', 'defect', 'repeat'),
    ),
    ms: fc.constantFrom(1, 20, 150, 3_000),
  });
  const change = fc.record({
    account: fc.nat({ max: 19 }),
    size: fc.constantFrom(1, 1, 1, 120),
    afterMs: fc.constantFrom(0, 0, 0, 5, 200),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 60 }),
      fc.array(outcome, { minLength: 1, maxLength: 40 }),
      async (changes, outcomes) => {
        let next = 0;
        const { run, queue, committed } = start(() => outcomes[next++] ?? { outcome: 'commits' });
        const ended: { name: string; result: unknown; ms: number }[] = [];
        const names = Array.from({ length: 20 }, (): string[] => []);
        for (const [n, { account, size, afterMs }] of changes.entries()) {
          if (afterMs > 0) await vi.advanceTimersByTimeAsync(afterMs);
          const name = `${account}:${n}`;
          names[account]!.push(name);
          const beganMs = performance.now();
          void run(`${account}`, name, size).then((result) =>
            ended.push({ name, result, ms: performance.now() - beganMs }),
          );
        }
        await vi.advanceTimersByTimeAsync(60_000);
        await queue.close();
        expect(ended.map(({ name }) => name).sort()).toEqual(names.flat().sort());
        const done = ended.filter(({ name, result }) => name === result).map(({ name }) => name);
        expect([...committed].sort()).toEqual(done.sort());
        for (const list of names)
          expect(committed.filter((name) => list.includes(name))).toEqual(list.filter((name) => done.includes(name)));
        // A transaction that runs when the time is over may end.
        for (const { ms } of ended) expect(ms).toBeLessThanOrEqual(operationTimeMs() + 3_000);
      },
    ),
    { numRuns: 200 },
  );
});
