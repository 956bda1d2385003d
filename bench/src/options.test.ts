import { expect, test } from 'vitest';
import { parseOptions } from './options.ts';

test('lists and keys are measured only if they are named', () => {
  expect(parseOptions([]).parts).toEqual(['links', 'redirects', 'rules', 'mcp', 'analytics', 'ingestion']);
  expect(parseOptions(['--', '--only', 'mcp', '--only', 'lists']).parts).toEqual(['lists', 'mcp']);
});

test('only the results of a whole run are kept', () => {
  expect(parseOptions(['--write'])).toMatchObject({ isWhole: true, write: true });
  for (const args of [
    ['--only', 'mcp'],
    ['--links', '10'],
    ['--against', 'x'],
    ['--profile', 'x'],
  ])
    expect(parseOptions(args).isWhole).toBe(false);
});

test.each([[['--only', 'nothing']], [['--fast']], [['--links', '0']], [['--only', 'mcp', '--write']]])(
  '%j is refused',
  (args) => {
    expect(() => parseOptions(args)).toThrow();
  },
);
