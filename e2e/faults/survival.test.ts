import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '@waymark/contract';
import type { StackProcess } from '@waymark/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectExactlyOnce, report } from '../support/exactly-once.ts';
import { EMBEDDED_DATABASES, type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { RedirectLoad, roundRobin } from '../support/redirect-load.ts';
import { eventually, untilReady } from '../support/world.ts';

// docs/api.md, Clicks: each click is counted exactly once, even if a process is killed or a database is down. Uses its
// own stack, because it kills processes.
//
// For long runs, set KILLS=40. KILL_ONLY=clickhouse,mongodb kills only these processes.

const PROCESSES = ['analytics-svc', 'clickhouse', 'links-svc', 'mongodb', 'gateway'];
const KILLS = Number(process.env.KILLS ?? PROCESSES.length);
const VICTIMS = process.env.KILL_ONLY?.split(',') ?? PROCESSES;
const PER_SECOND = 50;
const SLUGS = Array.from({ length: 20 }, (_, n) => `survive-${n}`);

let own: OwnStack;
let links: Link[];
beforeAll(async () => {
  own = await startOwnStack({ autoRestart: true, ...EMBEDDED_DATABASES });
  links = await own.createLinks(SLUGS);
});
afterAll(() => own?.close());

/** Waits until a killed process runs again and accepts connections. */
async function untilBack(victim: StackProcess): Promise<void> {
  for (const port of Object.values(victim.ports))
    await eventually(
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket.destroy() && undefined));
          socket.once('error', reject);
        }),
    );
}

test(
  'every completed redirect is counted exactly once, whichever process is killed at any time',
  async () => {
    const nextOrigin = roundRobin(own.stack.urls.gateway);
    const load = new RedirectLoad({ nextOrigin, slugs: SLUGS, perSecond: PER_SECOND });
    await sleep(1_000);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const victim = own.stack.processes[VICTIMS[kill % VICTIMS.length]!]!;
      await untilBack(victim);
      await sleep(Math.random() * 1_000);
      await victim.kill('SIGKILL');
      // Sometimes kill the next process while this one is still down.
      if (Math.random() < 0.7) await untilBack(victim);
    }
    for (const name of PROCESSES) await untilBack(own.stack.processes[name]!);
    await untilReady(own.stack.urls.gateway);
    await sleep(500);
    await load.stop();
    const stored = await expectExactlyOnce(own, links, load);
    report(`${KILLS} kills of ${VICTIMS.join(', ')}`, load, { stored });
    expect([...load.others.keys()].filter((answer) => !/^(503|E[A-Z]+)$/.test(answer))).toEqual([]);
    expect(load.answered.size).toBeGreaterThan(load.asked.size / 4);
  },
  120_000 + KILLS * 15_000,
);
