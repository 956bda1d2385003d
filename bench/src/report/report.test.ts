import { describe, expect, test } from 'vitest';
import type { Cost, Result } from '../measure.ts';
import { chartOf } from './chart.ts';
import { farOut, isOverLimit, type Report } from './report.ts';
import { tableOf } from './table.ts';

const COST: Cost = {
  requests: 1_000,
  cpuUsPerRequest: 120,
  databaseCpuUsPerRequest: null,
  p50Ms: 1.234,
  p99Ms: 45.6,
  residentBytes: 90_000_000,
};

function result(ratio: number, limit: number | null, fields: Partial<Result> = {}): Result {
  return {
    work: 'work',
    door: 'links-svc',
    database: 'embedded',
    connections: 16,
    measure: 'cpu',
    cost: COST,
    floorName: 'floor',
    floor: { ...COST, cpuUsPerRequest: 60, databaseCpuUsPerRequest: 15 },
    ratio,
    limit,
    ...fields,
  };
}

function report(...results: Result[]): Report {
  return {
    startedAt: '2026-11-21T12:00:00.000Z',
    form: 'quick',
    commit: 'abc1234',
    machine: { cpu: 'CPU', cores: 2, memoryBytes: 8 * 2 ** 30, node: '24.0.0' },
    loadAverage: { before: 1.25, after: 2 },
    rounds: 5,
    factor: 1,
    results,
    failures: [],
  };
}

describe('limits', () => {
  test('a ratio at its limit is within it', () => {
    expect(isOverLimit(result(2, 2))).toBe(false);
    expect(isOverLimit(result(2.01, 2))).toBe(true);
    expect(isOverLimit(result(100, null))).toBe(false);
  });
  test('fails only on a ratio that is far out (twice the limit)', () => {
    const [at, over, none] = [result(4, 2), result(4.01, 2), result(100, null)];
    expect(farOut([at, over, none])).toEqual([over]);
  });
});

describe('the table', () => {
  const lines = tableOf(report(result(2, 2), result(3.333, 2, { work: 'a longer name', database: 'given' }))).split(
    '\n',
  );

  test('says when, on what and under which load it was measured', () => {
    expect(lines[0]).toContain('2026-11-21 12:00 UTC, quick form, commit abc1234');
    expect(lines[0]).toContain('2 cores (CPU), 8 GiB');
    expect(lines[0]).toContain('load average 1.3 before, 2.0 after');
  });
  test('has a row for each result, all lines of one length', () => {
    const rows = lines.slice(2);
    expect(rows).toHaveLength(4);
    expect(new Set(rows.map(({ length }) => length)).size).toBe(1);
  });
  test('marks what is over its limit, and nothing else', () => {
    expect(lines[4]).not.toContain('✗');
    expect(lines[5]).toContain('3.33 ✗');
  });
  test('has a dash where a figure is not known', () => {
    expect(lines[4]).toContain('– (15 µs)');
  });
  test('says what could not be measured, and why', () => {
    const failures = [{ work: 'search', database: 'given', limited: false, reason: 'GET /x: 503' }];
    expect(tableOf({ ...report(), failures })).toContain('Not measured: search on given databases (GET /x: 503).');
  });
  test('compares the time and not the CPU where that is what counts', () => {
    expect(tableOf(report(result(1, 1.5, { measure: 'time' })))).toContain('1.23 ms p50');
  });
});

describe('the chart', () => {
  const bars = (svg: string) => [...svg.matchAll(/<rect [^>]*width="([\d.]+)"[^>]*fill="(#\w+)"/g)];

  test('has a bar for each result whose length is its ratio', () => {
    const [one, three] = bars(chartOf(report(result(1, 2), result(3, null)))).map(([, width]) => Number(width));
    expect(three! / one!).toBeCloseTo(3, 1);
  });
  test('has another colour over the limit than within it', () => {
    const [within, over] = bars(chartOf(report(result(1, 2), result(3, 2)))).map(([, , colour]) => colour);
    expect(over).not.toBe(within);
  });
  test('has a mark for each limit, besides the line of the floor', () => {
    const svg = chartOf(report(result(1, 2), result(1, null)));
    expect(svg.match(/<line /g)).toHaveLength(2);
  });
  test('is well-formed whatever the names hold', () => {
    const svg = chartOf(report(result(1, 2, { work: 'a < b & c > d' })));
    expect(svg).toContain('a &lt; b &amp; c &gt; d');
  });
});
