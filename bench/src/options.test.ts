import { expect, test } from 'vitest';
import { isSeries, PARTS, parseOptions } from './options.ts';

test('the full form measures more than the quick one, and how cost grows', () => {
  const quick = parseOptions([]);
  const full = parseOptions(['--full']);
  expect([quick.form, full.form]).toEqual(['quick', 'full']);
  expect(quick.parts).toEqual(['links', 'redirects', 'mcp', 'analytics', 'ingestion']);
  expect(quick.parts.some(isSeries)).toBe(false);
  expect(full.parts).toEqual(PARTS);
  expect(full.effort.rounds.least).toBeGreaterThan(quick.effort.rounds.least);
  expect(full.clicks.at(-1)).toBe(100_000_000);
});

test('selected parts are measured in their own order', () => {
  expect(parseOptions(['--', '--only', 'growth-links', '--only', 'mcp']).parts).toEqual(['mcp', 'growth-links']);
});

test('a complete run can be written into the documentation', () => {
  expect(parseOptions(['--full', '--write']).write).toBe(true);
  expect(parseOptions([]).write).toBe(false);
});

test.each([[['--only', 'nothing']], [['--fast']], [['--only', 'mcp', '--write']], [['--write', '--profile', 'x']]])(
  '%j is refused',
  (args) => {
    expect(() => parseOptions(args)).toThrow();
  },
);
