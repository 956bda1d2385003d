import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiLoad } from '../support/api-load.ts';
import { Balancer } from '../support/balancer.ts';
import { expectNoFailures } from '../support/failures.ts';
import { type OwnStack, readClickHouse, startOwnStack } from '../support/own-stack.ts';
import { RedirectLoad } from '../support/redirect-load.ts';
import { originOf, replicasOf, rollingRestart, SERVICE_NAMES, TWO_OF_EACH } from '../support/rolling.ts';
import { eventually } from '../support/world.ts';

// Restarts two replicas of each service one after the other under load, as Kubernetes replaces pods during an upgrade.
// No request fails, and no click is lost or counted twice.

const SLUGS = Array.from({ length: 10 }, (_, n) => `rolling-${n}`);
let own: OwnStack;
let balancer: Balancer;
let linkId: string;
beforeAll(async () => {
  own = await startOwnStack(TWO_OF_EACH);
  linkId = (await own.createLinks(SLUGS))[0]!.id;
  balancer = new Balancer(replicasOf(own.stack, 'gateway').map(originOf));
  await balancer.allOpen();
});
afterAll(async () => {
  await balancer?.close();
  await own?.close();
});

const clicks: string[] = [];

test.each(SERVICE_NAMES)('a rolling restart of %s fails no request and loses no click', async (name) => {
  const nextOrigin = () => balancer.next();
  const visitors = new RedirectLoad({ nextOrigin, slugs: SLUGS, perSecond: 50 });
  const clients = new ApiLoad({ nextOrigin, linkId, key: own.key, publicKey: own.publicKey, perSecond: 10 });
  await sleep(1_000);
  try {
    await rollingRestart(own.stack, name);
  } finally {
    await Promise.all([visitors.stop(), clients.stop()]);
  }
  process.stdout.write(`${name} restarted: ${visitors.answered.size} redirects, ${clients.answered} requests\n`);

  clicks.push(...visitors.answered);
  expectNoFailures(clients.failures, own.stack);
  expectNoFailures(visitors.others, own.stack);
  expect(visitors.answered.size).toBe(visitors.asked.size);
  await eventually(async () => expect((await own.analytics()).clicks).toBe(clicks.length));
  const stored = await readClickHouse<{ source: string }>(own, 'SELECT source FROM clicks');
  expect(stored.map(({ source }) => source).toSorted()).toEqual(clicks.toSorted());
});
