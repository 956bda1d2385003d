import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { threadsCpuMs } from '../src/cpu-time.ts';
import { type Effort, measureWork, untilQuiet, WARM_UP_FACTOR } from '../src/measure.ts';
import type { Work } from '../src/work.ts';

const EFFORT: Effort = {
  connections: 2,
  rounds: { least: 4, most: 4 },
  roundMaxMs: 60_000,
  warmUpMaxMs: 60_000,
  workMaxMs: 60_000,
};

/** Builds a workload in this process whose requests only record which side they went to. */
function noting(fields: Partial<Work> = {}) {
  const sent: string[] = [];
  const side = (name: string) => ({
    send: async () => {
      sent.push(name);
    },
    pids: () => [process.pid],
  });
  const work: Work = {
    name: 'work',
    measure: 'cpu',
    endpoints: [
      { endpoint: 'service', limit: 2, ...side('service') },
      { endpoint: 'gateway', limit: null, ...side('gateway') },
    ],
    floor: { name: 'floor', ...side('floor') },
    databasePids: () => [],
    requestsPerRound: 10,
    ...fields,
  };
  return { work, sent };
}

/** Removes consecutive duplicates. */
function turns(names: readonly string[]): string[] {
  return names.filter((name, index) => name !== names[index - 1]);
}

test('every side gets the same number of requests, of which the first round is not counted', async () => {
  const { work, sent } = noting();
  const measured = await measureWork(work, EFFORT);
  expect(measured.map(({ endpoint, limit }) => [endpoint, limit])).toEqual([
    ['service', 2],
    ['gateway', null],
  ]);
  for (const { cost, floor, ratios } of measured) {
    expect([cost.requests, floor.requests]).toEqual([40, 40]);
    expect(ratios).toHaveLength(4);
    expect(cost.databaseCpuUsPerRequest).toBeNull();
  }
  for (const name of ['service', 'gateway', 'floor'])
    expect(sent.filter((one) => one === name)).toHaveLength((WARM_UP_FACTOR + 4) * 10);
});

test('rounds measure all sides, alternating forward and backward', async () => {
  const { work, sent } = noting();
  await measureWork(work, { ...EFFORT, rounds: { least: 2, most: 2 } });
  // The warm-up ends with the floor.
  expect(turns(sent.slice(3 * WARM_UP_FACTOR * 10))).toEqual(['service', 'gateway', 'floor', 'gateway', 'service']);
});

test('there are enough requests for all connections', async () => {
  const { work } = noting();
  const [measured] = await measureWork(work, { ...EFFORT, connections: 8 });
  expect(measured!.cost.requests).toBe(4 * 16);
});

test('no further round begins after the time limit if there are three', async () => {
  const { work } = noting();
  const [measured] = await measureWork(work, { ...EFFORT, rounds: { least: 9, most: 9 }, workMaxMs: 0 });
  expect(measured!.ratios).toHaveLength(3);
});

test('a failed request fails the measurement', async () => {
  const { work } = noting();
  work.floor.send = async () => {
    throw new Error('refused');
  };
  await expect(measureWork(work, EFFORT)).rejects.toThrow('refused');
});

test('background work after the requests is waited for and measured separately', async () => {
  const busyMs = 500;
  const script = `
    const spin = (ms) => { const { user, system } = process.cpuUsage(); for (;;) {
      const used = process.cpuUsage(); if (used.user + used.system - user - system > ms * 1000) return; } };
    process.send('begun');
    setTimeout(() => { spin(${busyMs}); setInterval(() => spin(1), 100); }, 100);`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    await once(child, 'message');
    const before = threadsCpuMs([child.pid!]);
    const idleMs = await untilQuiet([child.pid!], 10_000);
    const usedMs = threadsCpuMs([child.pid!]) - before;
    expect(idleMs).toBeGreaterThan(20);
    expect(idleMs).toBeLessThan(200);
    expect(usedMs - idleMs).toBeGreaterThan(busyMs * 0.9);
    expect(usedMs - idleMs).toBeLessThan(busyMs * 1.3);
  } finally {
    child.kill();
  }
});
