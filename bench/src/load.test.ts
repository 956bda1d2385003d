import { expect, test } from 'vitest';
import { drive } from './load.ts';

test('at most the allowed requests are sent, and at most one per connection concurrently', async () => {
  let under = 0;
  let most = 0;
  const latencies = await drive(
    async () => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
    },
    { connections: 3, durationMs: 60_000, maxRequests: 50 },
  );
  expect(latencies).toHaveLength(50);
  expect(most).toBe(3);
});

test('a load ends after its time', async () => {
  const latencies = await drive(() => new Promise((resolve) => setTimeout(resolve, 5)), {
    connections: 2,
    durationMs: 50,
    maxRequests: 1e9,
  });
  expect(latencies.length).toBeGreaterThan(0);
  expect(latencies.every((ms) => ms > 0)).toBe(true);
});

test('a failed request fails the measurement, and no further one is sent', async () => {
  let sent = 0;
  const send = async () => {
    sent += 1;
    if (sent === 5) throw new Error('refused');
  };
  await expect(drive(send, { connections: 1, durationMs: 60_000, maxRequests: 50 })).rejects.toThrow('refused');
  expect(sent).toBe(5);
});

test('a failure is reported when no request is pending any more', async () => {
  let under = 0;
  const send = async () => {
    const number = ++under;
    await new Promise((resolve) => setTimeout(resolve, number === 1 ? 1 : 20));
    under -= 1;
    if (number === 1) throw new Error('refused');
  };
  await expect(drive(send, { connections: 3, durationMs: 60_000, maxRequests: 50 })).rejects.toThrow('refused');
  expect(under).toBe(0);
});
