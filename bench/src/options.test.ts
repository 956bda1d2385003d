import { expect, test } from 'vitest';
import { parseOptions } from './options.ts';

test('the full form looks at more than the quick one', () => {
  const quick = parseOptions([]);
  const full = parseOptions(['--full']);
  expect([quick.form, full.form]).toEqual(['quick', 'full']);
  expect(full.connections.length).toBeGreaterThan(quick.connections.length);
  expect(full.clicks).toContain(100_000_000);
});

test('one group of works can be chosen', () => {
  expect(parseOptions(['--', '--only', 'mcp']).only).toBe('mcp');
});

test.each([[['--only', 'nothing']], [['--fast']]])('%j is refused', (args) => {
  expect(() => parseOptions(args)).toThrow();
});
