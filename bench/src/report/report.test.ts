import { describe, expect, test } from 'vitest';
import type { Cost } from '../measure.ts';
import { growthChart } from './growth-chart.ts';
import { limitsChart } from './limits-chart.ts';
import { pageWith } from './publish.ts';
import { type Failure, farOut, isOverLimit, limitedResults, type Report, type Result } from './report.ts';
import { growthPart, limitsPart } from './table.ts';

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

function result(ratio: number, limit: number | null, fields: Partial<Result> = {}): Result {
  return {
    work: 'work',
    data: null,
    endpoint: 'links-svc',
    database: 'embedded',
    connections: 16,
    measure: 'cpu',
    cost: COST,
    floorName: 'floor',
    floor: { ...COST, requests: 900, cpuUsPerRequest: 60, databaseCpuUsPerRequest: 15 },
    ratio,
    ratios: [-3, -0.1, 0, 0.1, 3].map((offset) => ratio + offset),
    limit,
    point: null,
    ...fields,
  };
}

/** Builds a point of the connections series with this CPU cost. */
function connections(at: number, cpuUsPerRequest: number, fields: Partial<Result> = {}): Result {
  const cost = { ...COST, cpuUsPerRequest };
  return result(2, null, { cost, connections: at, point: { axis: 'connections', at }, ...fields });
}

function failure(fields: Partial<Failure> = {}): Failure {
  return {
    work: 'work',
    data: null,
    endpoints: ['links-svc'],
    database: 'embedded',
    connections: 16,
    point: null,
    limited: false,
    reason: 'GET /x: 503 {}',
    ...fields,
  };
}

function report(...results: Result[]): Report {
  return {
    startedAt: '2026-11-21T12:00:00.000Z',
    minutes: 3.2,
    form: 'quick',
    commit: 'abc1234',
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

describe('the table of works against their limits', () => {
  const text = limitsPart(
    report(result(2, 2), result(3.333, 2, { work: 'a longer name', data: '5 links', database: 'given' })),
  );
  const [, , within, over] = tableIn(text);

  test('has the time, the machine and the load of the measurement', () => {
    const [about] = text.split('\n');
    expect(about).toContain('2026-11-21 12:00 UTC, quick form, 3 minutes, commit abc1234');
    expect(about).toContain('2 cores (CPU), 8 GiB');
    expect(about).toContain('load average 1.3 before, 2.0 after');
  });
  test('has a row for each result, all lines of one length', () => {
    const lines = text.split('\n').filter((line) => line.startsWith('|'));
    expect(lines).toHaveLength(4);
    expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
  });
  test('names the work, and the databases if they are not the embedded ones', () => {
    expect([within![0], over![0]]).toEqual(['work', 'a longer name, 5 links, given databases']);
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
  test('does not have points of a series', () => {
    expect(limitedResults(report(connections(1, 100)))).toEqual([]);
    expect(tableIn(limitsPart(report(result(2, 2), connections(1, 100))))).toHaveLength(3);
  });
  test('has the failed measurements and their reasons', () => {
    const failures = [failure({ database: 'given' })];
    expect(limitsPart({ ...report(), failures })).toContain('Not measured: work, given databases (GET /x: 503 {}).');
  });
  test('compares the time instead of CPU time if the work says so', () => {
    expect(limitsPart(report(result(1, 1.5, { measure: 'time' })))).toContain('1.23 ms p50');
  });
});

describe('the tables of how cost grows', () => {
  const series = report(connections(16, 90), connections(1, 60), connections(1, 50, { endpoint: 'gateway' }));
  const failures = [failure({ endpoints: ['gateway'], point: { axis: 'connections', at: 16 } })];
  const text = growthPart({ ...series, failures })!;

  test('have a column for each point, ascending, and a row for each work at each endpoint', () => {
    const [head, , ...rows] = tableIn(text);
    expect(head).toEqual(['cost, and its ratio', '1 connections', '16 connections', 'last / first (of ratios)']);
    expect(rows.map(([label]) => label)).toEqual(['work, links-svc', 'work, gateway']);
    expect(rows[0]).toEqual(['work, links-svc', '60 µs (2.00)', '90 µs (2.00)', '× 1.50 (× 1.00)']);
  });
  test('show the status of a failed point, and then no growth', () => {
    expect(tableIn(text)[3]).toEqual(['work, gateway', '50 µs (2.00)', '503', '–']);
  });
  test('show responses per second if the data is the same', () => {
    expect(text).toContain('2,345 (46 ms)');
  });
  test('name the data only if it does not grow', () => {
    const over = (count: number) => ({ data: `${count} links`, point: { axis: 'links', at: count } }) as const;
    const rows = tableIn(growthPart(report(connections(1, 5, over(10)), connections(1, 6, over(100))))!);
    expect(rows.slice(2)).toEqual([['work, links-svc', '5 µs (2.00)', '6 µs (2.00)', '× 1.20 (× 1.00)']]);
    expect(tableIn(growthPart(report(connections(1, 5, { data: '10 links' })))!)[2]![0]).toBe(
      'work, 10 links, links-svc',
    );
  });
});

describe('the chart of limits', () => {
  const bars = (svg: string) => [...svg.matchAll(/<rect [^>]*width="([\d.]+)"[^>]*fill="(#\w+)"/g)];

  test('has a bar for each result whose length is its ratio', () => {
    const [one, three] = bars(limitsChart(report(result(1, 2), result(3, null)))).map(([, width]) => Number(width));
    expect(three! / one!).toBeCloseTo(3, 1);
  });
  test('has different colours over and within the limit', () => {
    const [within, over] = bars(limitsChart(report(result(1, 2), result(3, 2)))).map(([, , colour]) => colour);
    expect(over).not.toBe(within);
  });
  test('has a mark for each limit, and the line of the floor', () => {
    const svg = limitsChart(report(result(1, 2), result(1, null)));
    expect(svg.match(/<line /g)).toHaveLength(2);
  });
  test('is well-formed whatever characters the names have', () => {
    const svg = limitsChart(report(result(1, 2, { work: 'a < b & c > d' })));
    expect(svg).toContain('a &lt; b &amp; c &gt; d');
  });
});

describe('the chart of growth', () => {
  const heights = (svg: string | null) =>
    [...svg!.matchAll(/<rect [^>]*height="([\d.]+)"/g)].map(([, one]) => Number(one));

  test('has a bar for each point and its floor, whose heights are the costs', () => {
    const [first, firstFloor, last, lastFloor] = heights(growthChart(report(connections(1, 30), connections(16, 120))));
    expect(last! / first!).toBeCloseTo(4, 1);
    expect(firstFloor! / first!).toBeCloseTo(2, 1);
    expect(lastFloor).toBe(firstFloor);
  });
  test('does not exist if nothing grows, like its tables', () => {
    expect(growthChart(report(result(1, 2)))).toBeNull();
    expect(growthPart(report(result(1, 2)))).toBeNull();
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
