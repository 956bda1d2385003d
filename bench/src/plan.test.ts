import { describe, expect, test } from 'vitest';
import { parseOptions } from './options.ts';
import { plan } from './plan.ts';
import type { Databases } from './world.ts';

const NONE: Databases = { mongodbUrl: undefined, clickhouseUrl: undefined };
const MONGODB = { ...NONE, mongodbUrl: 'mongodb://given' };

/** Returns the databases and size of each stage for a command line. */
function stages(args: string[], given = NONE) {
  return plan(parseOptions(args), given).map(({ databases, size }) => ({
    on: databases === given && given !== NONE ? 'given' : 'embedded',
    ...size,
  }));
}

describe('worlds', () => {
  test('the quick form has one', () => {
    expect(stages([])).toEqual([{ on: 'embedded', links: 100_000, analyticsReplicas: 1 }]);
  });
  test('the full form has one more for each number of links and of replicas', () => {
    const [first, ...apart] = stages(['--full']);
    expect(first).toEqual(stages([])[0]);
    expect(apart.map(({ links }) => links).slice(0, 3)).toEqual([1_000, 10_000, 100_000]);
    expect(apart.map(({ analyticsReplicas }) => analyticsReplicas).slice(3)).toEqual([1, 2, 3]);
  });
  test('work that depends on a database is measured on the external and on the embedded one', () => {
    expect(stages([], MONGODB).map(({ on }) => on)).toEqual(['given', 'embedded']);
    expect(stages(['--only', 'links'], MONGODB).map(({ on }) => on)).toEqual(['given', 'embedded']);
  });
  test('other work is measured on the embedded one only', () => {
    expect(stages(['--only', 'mcp'], MONGODB).map(({ on }) => on)).toEqual(['embedded']);
    expect(stages(['--only', 'growth-replicas'], MONGODB).every(({ on }) => on === 'embedded')).toBe(true);
  });
  test('a series is measured once, on the external database if it depends on one', () => {
    expect(stages(['--only', 'growth-connections'], MONGODB).map(({ on }) => on)).toEqual(['given']);
    expect(stages(['--only', 'growth-links'], MONGODB).map(({ on }) => on)).toEqual(['given', 'given', 'given']);
  });
});
