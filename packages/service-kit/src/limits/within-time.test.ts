import { once } from 'node:events';
import { setTimeout as delay, setImmediate as nextImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { withinTime } from './within-time.ts';

function pauseThisProcess(timeMs: number): void {
  const endsAt = performance.now() + timeMs;
  while (performance.now() < endsAt);
}

test('an answer in time is the answer, also where it is an error; a late one is not waited for', async () => {
  expect(await withinTime(delay(5, 'answer'), 5_000)).toBe('answer');
  await expect(withinTime(Promise.reject(new Error('refused')), 5_000)).rejects.toThrow('refused');
  const startedAt = performance.now();
  await expect(withinTime(delay(20_000, 'late', { ref: false }), 50)).rejects.toThrow('no answer within 50 ms');
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(45);
});

test('after a pause of this process there is still time to ask', async () => {
  let answer = (_text: string): void => undefined;
  const answered = withinTime(new Promise<string>((resolve) => (answer = resolve)), 1_000);
  pauseThisProcess(1_200);
  await delay(20);
  answer('answer');
  expect(await answered).toBe('answer');
});

test('an answer that came during a pause of this process is read', async () => {
  const server = new Worker(
    `const { parentPort } = require('node:worker_threads');
     parentPort.on('message', () => setTimeout(() => parentPort.postMessage('answer'), 100));`,
    { eval: true },
  );
  await once(server, 'online');
  const answered = withinTime(once(server, 'message'), 600);
  await delay(400);
  server.postMessage('question');
  // Timers come next.
  await nextImmediate();
  pauseThisProcess(1_000);
  expect(await answered).toEqual(['answer']);
  await server.terminate();
});
