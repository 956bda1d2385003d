import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const WAIT_MS = 10_000;

test('runs a few jobs concurrently, and refuses jobs that wait too long', async () => {
  const queue = new FairQueue({ concurrency: 2, maxWaiting: 3 });
  let running = 0;
  let most = 0;
  const work = (ms: number) => async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(ms);
    running -= 1;
    return ms;
  };
  const jobs = [5, 5, 100, 100, 1, 1].map((ms) => queue.run(['one'], work(ms), 30));
  const results = await Promise.allSettled(jobs);
  const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : result.value));
  // Two jobs run and three wait, so the sixth is refused. The fifth waits longer than it may.
  expect(codes).toEqual([5, 5, 100, 100, 'unavailable', 'unavailable']);
  expect(most).toBe(2);
  expect(await queue.run(['one'], work(1), 30)).toBe(1);
});

test('refuses a user’s job when too many of its jobs wait, and takes those of others', async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 100, maxWaitingOfUser: 2 });
  const work = (result: string) => async () => {
    await nextTurn();
    return result;
  };
  const floods = [1, 2, 3, 4].map((n) => queue.run(['flood'], work(`flood ${n}`), WAIT_MS));
  const quiet = queue.run(['quiet'], work('quiet'), WAIT_MS);
  const results = await Promise.allSettled([...floods, quiet]);
  // One runs and two wait.
  expect(results.map((result) => (result.status === 'rejected' ? result.reason.code : result.value))).toEqual([
    'flood 1',
    'flood 2',
    'flood 3',
    'unavailable',
    'quiet',
  ]);
});

test('forgets a job whose signal is aborted before its turn', async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 1 });
  const started: string[] = [];
  const job = (name: string, signal?: AbortSignal) =>
    queue.run(
      [name],
      async () => {
        started.push(name);
        await nextTurn();
      },
      WAIT_MS,
      signal,
    );
  const controller = new AbortController();
  const first = job('first');
  const abandoned = job('abandoned', controller.signal);
  controller.abort(new Error('the client has gone'));
  await expect(abandoned).rejects.toThrow('the client has gone');
  await expect(job('late', controller.signal)).rejects.toThrow('the client has gone');
  // Its place is free again.
  await Promise.all([first, job('second')]);
  expect(started).toEqual(['first', 'second']);
});

test('serves its users in rotation, and each user’s jobs in order', async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 100 });
  const order: string[] = [];
  const jobs = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) =>
    queue.run(
      [name.charAt(0)],
      async () => {
        order.push(name);
        await nextTurn();
      },
      WAIT_MS,
    ),
  );
  await Promise.all(jobs);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('refuses a waiting job of the heaviest user when it is full', async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 3 });
  const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3'];
  const jobs = names.map((name) => queue.run([name.charAt(0)], nextTurn, WAIT_MS));
  const results = await Promise.allSettled(jobs);
  const refused = names.filter((_, at) => results[at]!.status === 'rejected');
  // a1 runs, a2 to a4 wait, and a5 is refused. b1 and b2 replace a4 and a3. b3 is heavier than a2.
  expect(refused).toEqual(['a3', 'a4', 'a5', 'b3']);
});

test('frees the slot of a failed job', async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaiting: 3 });
  const failing = queue.run(['a'], () => Promise.reject(new Error('failed')), WAIT_MS);
  const next = queue.run(['b'], async () => 'done', WAIT_MS);
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('done');
});

test('limits the running jobs of each user and gives free slots to others', async () => {
  const queue = new FairQueue({ concurrency: 5, concurrencyOfUser: 2, maxWaiting: 100 });
  const started: string[] = [];
  const end = Promise.withResolvers<void>();
  const jobs = ['a', 'a', 'a', 'a', 'b', 'b', 'b'].map((user) =>
    queue.run(
      [user],
      async () => {
        started.push(user);
        await end.promise;
      },
      WAIT_MS,
    ),
  );
  await nextTurn();
  expect(started).toEqual(['a', 'a', 'b', 'b']);
  end.resolve();
  await Promise.all(jobs);
  expect(started).toHaveLength(7);
});

describe('does not delay a quiet user during a flood', () => {
  const QUIET = ['account quiet', 'link quiet', 'address quiet'];
  const HALF_QUIET = ['account 0', 'link quiet', 'address quiet'];
  test.each<[string, (n: number) => string[], string[]]>([
    ['from one address through many accounts', (n) => [`account ${n}`, `link ${n}`, 'address flood'], HALF_QUIET],
    [
      'from many addresses through one account, another account',
      (n) => ['account flood', `link ${n}`, `address ${n}`],
      QUIET,
    ],
    [
      'from one address through one account, another address of that account',
      (n) => ['account 0', `link ${n}`, 'address flood'],
      HALF_QUIET,
    ],
    [
      'from many addresses through one link, another link of its account',
      (n) => ['account 0', 'link flood', `address ${n}`],
      HALF_QUIET,
    ],
  ])('%s', async (_name, usersOf, quiet) => {
    const queue = new FairQueue({ concurrency: 2, maxWaiting: 100 });
    let isOver = false;
    let floodStarts = 0;
    let refused = 0;
    let n = 0;
    // Each flooder sends its next job as soon as the previous one ends, from another address or account if it has
    // several.
    const flooder = async () => {
      while (!isOver) {
        n += 1;
        const work = async () => {
          floodStarts += 1;
          await nextTurn();
        };
        await queue.run(usersOf(n % 1_000), work, WAIT_MS).catch(() => {
          refused += 1;
        });
        await nextTurn();
      }
    };
    const flooders = Array.from({ length: 135 }, flooder);
    for (let tries = 0; tries < 20; tries += 1) {
      await sleep(2);
      const before = floodStarts;
      // The two running jobs end first. The quiet user gets the next free place.
      expect(await queue.run(quiet, async () => floodStarts - before, WAIT_MS)).toBeLessThanOrEqual(2);
    }
    isOver = true;
    await Promise.all(flooders);
    expect(refused).toBeGreaterThan(0);
  });
});
