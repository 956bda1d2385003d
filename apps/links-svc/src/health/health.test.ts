import { describe, expect, test } from 'vitest';
import { shownHealth } from '../links/link-health.ts';
import { afterCheck, type Finding, findingOf, type Known } from './health.ts';

const at = (hours: number) => new Date(Date.UTC(2027, 0, 1) + hours * 3_600_000);
const OK: Finding = { state: 'ok', status: 200 };
const GONE: Finding = { state: 'broken', status: 404 };
const UNCLEAR: Finding = { state: 'unknown' };

/** Returns what clients see after each of these checks. */
function seen(...checks: [hours: number, finding: Finding][]) {
  let known: Known = {};
  return checks.map(([hours, finding]) => {
    known = afterCheck(known, finding, at(hours));
    const { state, since } = shownHealth(known.health);
    return [state, since === null ? null : (Date.parse(since) - at(0).getTime()) / 3_600_000];
  });
}

test.each([
  [[404, 410], 'broken'],
  [[401, 403, 429, 500, 503, 599], 'unknown'],
  [[200, 204, 304, 400, 405, 451, 418], 'ok'],
] as const)('%s are %s', (statuses, state) => {
  for (const status of statuses) expect(findingOf(status).state, String(status)).toBe(state);
});

describe('broken is what is found so twice with a day between', () => {
  test('not after one check, not within a day, and since the check that confirms it', () => {
    expect(seen([0, OK], [1, GONE], [2, GONE], [24.9, GONE], [25, GONE], [26, GONE])).toEqual([
      ['ok', 0],
      ['ok', 0],
      ['ok', 0],
      ['ok', 0],
      ['broken', 25],
      ['broken', 25],
    ]);
  });
  test('a destination that was never ok is unknown until then', () => {
    expect(seen([0, GONE], [24, GONE])).toEqual([
      ['unknown', null],
      ['broken', 24],
    ]);
  });
  test('one that is ok in between begins again', () => {
    expect(seen([0, GONE], [20, OK], [24, GONE], [47, GONE], [48, GONE])).toEqual([
      ['unknown', null],
      ['ok', 20],
      ['ok', 20],
      ['ok', 20],
      ['broken', 48],
    ]);
  });
  test('one that is unclear in between does not, and is unknown meanwhile', () => {
    expect(seen([0, GONE], [12, UNCLEAR], [24, GONE], [48, UNCLEAR], [49, GONE], [50, OK])).toEqual([
      ['unknown', null],
      ['unknown', null],
      ['broken', 24],
      ['unknown', null],
      ['broken', 49],
      ['ok', 50],
    ]);
  });
});
