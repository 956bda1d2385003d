import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ClockDifference, checkClocks, clockDifference } from './clocks.ts';

/** What the gateway finds of a service whose clock is ahead by so much, with a request that takes so long. */
function found(aheadMs: number, { nowMs = 1_800_000_000_123, tookMs = 10, reachedAfterMs = 5 } = {}): ClockDifference {
  const date = new Date(nowMs + reachedAfterMs + aheadMs).toUTCString();
  return clockDifference(date, nowMs, nowMs + tookMs)!;
}
const checked = (services: Record<string, number>) => () =>
  checkClocks(new Map(Object.entries(services).map(([name, seconds]) => [name, found(seconds * 1_000)])));

test('the true difference is within what is found', () => {
  const ms = fc.integer({ min: -1e7, max: 1e7 });
  const nowMs = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 });
  fc.assert(
    fc.property(ms, nowMs, fc.nat(900), fc.nat(900), (ahead, now, there, back) => {
      const { least, most } = found(ahead, { nowMs: now, tookMs: there + back, reachedAfterMs: there });
      expect(least).toBeLessThanOrEqual(ahead);
      expect(most).toBeGreaterThanOrEqual(ahead);
    }),
  );
});

test.each([{}, { 'links-svc': 60 }, { 'links-svc': -60 }, { 'links-svc': 30, 'mcp-svc': -30 }, { 'mcp-svc': 45 }])(
  '%j seconds work',
  (services) => {
    expect(checked(services)).not.toThrow();
  },
);

test.each<[Record<string, number>, string]>([
  [{ 'links-svc': 120 }, 'links-svc is 120 seconds ahead'],
  [{ 'links-svc': -120, 'mcp-svc': 0 }, 'links-svc is 120 seconds behind'],
  [{ 'links-svc': 40, 'analytics-svc': -40 }, 'links-svc is 40 seconds ahead, analytics-svc is 40 seconds behind'],
  [
    { 'analytics-svc': -7_200, 'mcp-svc': -7_200 },
    'analytics-svc is 7200 seconds behind, mcp-svc is 7200 seconds behind',
  ],
])('%j seconds are named', (services, words) => {
  expect(checked(services)).toThrow(
    `Clocks differ by more than 60 seconds: compared with the gateway, ${words}. Set them to the same time.`,
  );
});

test('a response without a date says nothing', () => {
  for (const date of [undefined, '', 'yesterday', ['a']]) expect(clockDifference(date, 0, 1)).toBe(null);
});
