import { expect, test } from 'vitest';
import { type AttackResult, attacksTable, isOverLimit, waitsOf } from './results.ts';

const waits = waitsOf(
  [
    [3, 302],
    [5_000, 503],
    [1, 302],
    [60_000, 'UND_ERR_HEADERS_TIMEOUT'],
    [2, 503],
  ],
  302,
);

test('a failed request counts as waited, and every unexpected status is a failure', () => {
  expect(waits).toEqual({
    requests: 5,
    p50Ms: 3,
    p99Ms: 60_000,
    longestMs: 60_000,
    failed: 3,
    failures: '2 × 503, 1 × UND_ERR_HEADERS_TIMEOUT',
  });
});

test('the table names an attack and its memory once, and its outcome below', () => {
  const alone = waitsOf([[1, 200]], 200);
  const result: AttackResult = {
    attack: 'flood',
    about: 'sends much',
    service: 'gateway',
    quietBytes: 100e6,
    attackedBytes: null,
    others: [
      { name: 'redirect', alone, attacked: waits },
      { name: 'GET /me', alone, attacked: alone },
    ],
    isSudden: false,
    lines: ['gateway ended by itself'],
  };
  const table = attacksTable([result]);
  expect(table).toContain('3 of 5: 2 × 503, 1 × UND_ERR_HEADERS_TIMEOUT');
  expect(table.match(/gateway 100 MB → ended/g)).toHaveLength(1);
  expect(table).toContain('- flood: sends much; gateway ended by itself.');
});

test('others may wait 250 ms longer than by themselves: all of them, or 99 of 100 if connections arrive in one instant', () => {
  const waitedMs = (...ms: number[]) =>
    waitsOf(
      ms.map((one) => [one, 200] as const),
      200,
    );
  const most = Array.from({ length: 999 }, () => 600);
  const isOver = (attacked: number[], isSudden: boolean) =>
    isOverLimit({
      attack: 'flood',
      about: 'sends much',
      service: 'gateway',
      quietBytes: 1,
      attackedBytes: 1,
      others: [{ name: 'redirect', alone: waitedMs(400), attacked: waitedMs(...attacked) }],
      isSudden,
      lines: [],
    });
  expect(isOver([...most, 649], false)).toBe(false);
  expect(isOver([...most, 651], false)).toBe(true);
  expect(isOver([...most, 651], true)).toBe(false);
  expect(isOver([651], true)).toBe(true);
});
