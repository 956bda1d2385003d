import { expect, test } from 'vitest';
import { SharedRuns } from './shared-runs.ts';

/** A task that records its runs and ends when the test says so. */
function openTask() {
  const ends: { resolve: (run: number) => void; reject: (error: Error) => void }[] = [];
  const task = () => new Promise<number>((resolve, reject) => ends.push({ resolve, reject }));
  return { ends, task };
}

test('calls during a run share one run that begins after it', async () => {
  const { ends, task } = openTask();
  const runs = new SharedRuns<number>();
  const first = runs.run('a', task);
  const [second, third] = [runs.run('a', task), runs.run('a', task)];
  expect(ends).toHaveLength(1);
  ends[0]!.resolve(1);
  expect(await first).toBe(1);
  expect(ends).toHaveLength(2);
  ends[1]!.resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
});

test('a key does not wait for another one', async () => {
  const { ends, task } = openTask();
  const runs = new SharedRuns<number>();
  void runs.run('a', task);
  void runs.run('b', task);
  expect(ends).toHaveLength(2);
});

test('a failed run fails those who wait for it, and the next call runs again', async () => {
  const { ends, task } = openTask();
  const runs = new SharedRuns<number>();
  const calls = [runs.run('a', task), runs.run('a', task)];
  ends[0]!.reject(new Error('down'));
  expect(await Promise.allSettled(calls)).toMatchObject(calls.map(() => ({ status: 'rejected' })));
  expect(ends).toHaveLength(1);
  const later = runs.run('a', task);
  ends[1]!.resolve(2);
  expect(await later).toBe(2);
});
