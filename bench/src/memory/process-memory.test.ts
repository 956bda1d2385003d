import { expect, test } from 'vitest';
import { parseSmaps, processMemory } from './process-memory.ts';

test('resident, own and proportional memory are read in bytes', () => {
  const text = [
    '00400000-7ffe08a7e000 ---p 00000000 00:00 0                              [rollup]',
    'Rss:                3000 kB',
    'Pss:                2000 kB',
    'Pss_Anon:            500 kB',
    'Anonymous:          1000 kB',
  ].join('\n');
  expect(parseSmaps(text)).toEqual({ resident: 3_072_000, own: 1_024_000, proportional: 2_048_000 });
});

test('the resident memory of a process is what Node itself reports', () => {
  const ratio = processMemory(process.pid).resident / process.memoryUsage.rss();
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});
