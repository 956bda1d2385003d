import { describe, expect, test } from 'vitest';
import type { Cost, Measured } from '../measure.ts';
import { pageWith } from './publish.ts';
import { farOut, isOverLimit, type Report } from './report.ts';
import { resultsPart } from './table.ts';

const COST: Cost = {
  requests: 1_000,
  requestsPerSecond: 2_345,
  cpuUsPerRequest: 120,
  databaseCpuUsPerRequest: null,
  loadCpuUsPerRequest: 40,
  p50Ms: 1.234,
  p99Ms: 45.6,
  residentBytes: 90_000_000,
};

function result(ratio: number, limit: number | null, fields: Partial<Measured> = {}): Measured {
  return {
    work: 'work',
    data: null,
    endpoint: 'links-svc',
    connections: 16,
    measure: 'cpu',
    cost: COST,
    floorName: 'floor',
    floor: { ...COST, requests: 900, cpuUsPerRequest: 60, databaseCpuUsPerRequest: 15 },
    ratio,
    ratios: [-3, -0.1, 0, 0.1, 3].map((offset) => ratio + offset),
    limit,
    ...fields,
  };
}

function report(...results: Measured[]): Report {
  return {
    startedAt: '2026-11-21T12:00:00.000Z',
    minutes: 3.2,
    commit: 'abc1234',
    databases: 'embedded',
    machine: { cpu: 'CPU', cores: 2, memoryBytes: 8 * 2 ** 30, node: '24.0.0' },
    loadAverage: { before: 1.25, after: 2 },
    results,
    failures: [],
  };
}

/** Returns the rows of the first Markdown table in a text as cells, including head and rule. */
function tableIn(text: string): string[][] {
  const lines = text.slice(text.indexOf('\n|') + 1).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  const rows = end < 0 ? lines : lines.slice(0, end);
  return rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('limits', () => {
  test('include a ratio that equals its limit', () => {
    expect(isOverLimit(result(2, 2))).toBe(false);
    expect(isOverLimit(result(2.01, 2))).toBe(true);
    expect(isOverLimit(result(100, null))).toBe(false);
  });
  test('fail only for a ratio over twice the limit', () => {
    const [at, over, none] = [result(4, 2), result(4.01, 2), result(100, null)];
    expect(farOut([at, over, none])).toEqual([over]);
  });
});

describe('the table of works', () => {
  const text = resultsPart(report(result(2, 2), result(3.333, 2, { work: 'a longer name', data: '5 links' })));
  const [, , within, over] = tableIn(text);

  test('has the time, the machine and the load of the measurement', () => {
    const [about] = text.split('\n');
    expect(about).toContain('2026-11-21 12:00 UTC, embedded databases, 3 minutes, commit abc1234');
    expect(about).toContain('2 cores (CPU), 8 GiB');
    expect(about).toContain('load average 1.3 before, 2.0 after');
  });
  test('has a row for each result, all lines of one length', () => {
    const lines = text.split('\n').filter((line) => line.startsWith('|'));
    expect(lines).toHaveLength(4);
    expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
  });
  test('names the work and its data', () => {
    expect([within![0], over![0]]).toEqual(['work', 'a longer name, 5 links']);
  });
  test('marks only results over their limit', () => {
    expect([within![6], over![6]]).toEqual(['2.00', '3.33 ✗']);
  });
  test('has the floor, and the scatter of the rounds', () => {
    expect(within![2]).toBe('floor');
    expect(within).toContain('1.90–2.10 of 5');
  });
  test('has a dash for an unknown figure', () => {
    expect(within).toContain('– (15 µs)');
  });
  test('has the failed measurements and their reasons', () => {
    const failures = [{ work: 'work', data: '5 links', limited: false, reason: 'GET /x: 503 {}' }];
    expect(resultsPart({ ...report(), failures })).toContain('Not measured: work, 5 links (GET /x: 503 {}).');
  });
  test('compares the time instead of CPU time if the work says so', () => {
    expect(resultsPart(report(result(1, 1.5, { measure: 'time' })))).toContain('1.23 ms p50');
  });
});

describe('the page', () => {
  const page = 'before\n<!-- results:begin (why) -->\nold\n<!-- results:end -->\nafter\n';

  test('gets the tables between its markers, and does not change elsewhere', () => {
    const written = pageWith(page, 'new');
    expect(written).toMatch(/^before\n<!-- results:begin \(why\) -->\n/);
    expect(written).toMatch(/\n<!-- results:end -->\nafter\n$/);
    expect(written).toContain('new');
    expect(written).not.toContain('old');
  });
  test('does not change when it is written again', () => {
    const once = pageWith(page, 'new');
    expect(pageWith(once, 'new')).toBe(once);
  });
  test('throws an error without markers', () => expect(() => pageWith('text', 'new')).toThrow());
});
