import { once } from 'node:events';
import { setTimeout as delay, setImmediate as nextImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { withTimeout } from './with-timeout.ts';

function pauseThisProcess(timeMs: number): void {
  const endsAt = performance.now() + timeMs;
  while (performance.now() < endsAt);
}

test('a result or an error in time is passed on, and a late one becomes "unavailable"', async () => {
  expect(await withTimeout(delay(5, 'answer'), 5_000, 'work')).toBe('answer');
  await expect(withTimeout(Promise.reject(new Error('refused')), 5_000, 'work')).rejects.toThrow('refused');
  const startedAt = performance.now();
  await expect(withTimeout(delay(20_000, 'late', { ref: false }), 50, 'work')).rejects.toMatchObject({
    code: 'unavailable',
    cause: { message: 'work took longer than 50 ms' },
  });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(45);
});

test('work still gets time after a pause of this process', async () => {
  let answer = (_text: string): void => undefined;
  const answered = withTimeout(new Promise<string>((resolve) => (answer = resolve)), 1_000, 'work');
  pauseThisProcess(1_200);
  await delay(20);
  answer('answer');
  expect(await answered).toBe('answer');
});

test('a result that arrived during a pause of this process is used', async () => {
  const server = new Worker(
    `const { parentPort } = require('node:worker_threads');
     parentPort.on('message', () => setTimeout(() => parentPort.postMessage('answer'), 100));`,
    { eval: true },
  );
  await once(server, 'online');
  const answered = withTimeout(once(server, 'message'), 600, 'work');
  await delay(400);
  server.postMessage('question');
  // After immediates, the event loop runs timers. The timeout thus comes before the message is read.
  await nextImmediate();
  pauseThisProcess(1_000);
  expect(await answered).toEqual(['answer']);
  await server.terminate();
});
