import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { type AccountIdentity, createSigner } from '@waymark/auth';
import type { Analytics, Link } from '@waymark/contract';
import { analyticsV1, createGrpcClient, IDENTITY_HEADER } from '@waymark/proto';
import type { StackProcess } from '@waymark/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectNoFailures } from '../support/failures.ts';
import { type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { RedirectLoad, roundRobin } from '../support/redirect-load.ts';
import { eventually, request, untilReady } from '../support/world.ts';

// docs/api.md, Freshness: the promises hold with one replica of each service or several.

const SLUGS = Array.from({ length: 12 }, (_, n) => `replica-${n}`);

const PER_SECOND = 25;

let own: OwnStack;
let links: Link[];
let mint: (identity: AccountIdentity) => Promise<string>;
let analyticsReplicas: StackProcess[];
let linksReplicas: StackProcess[];
let clicks = 0;

beforeAll(async () => {
  own = await startOwnStack({ replicas: { 'analytics-svc': 2, 'links-svc': 2 } });
  mint = createSigner({ current: own.stack.signingKey }).mint;
  const { processes } = own.stack;
  analyticsReplicas = ['analytics-svc', 'analytics-svc-2'].map((name) => processes[name]!);
  linksReplicas = ['links-svc', 'links-svc-2'].map((name) => processes[name]!);
  links = [
    ...(await own.createLinks(SLUGS.slice(0, 8))),
    ...(await own.createLinks(SLUGS.slice(8), { visibility: 'unlisted' })),
  ];
});
afterAll(() => own?.close());

const originOf = (replica: StackProcess) => `http://127.0.0.1:${replica.ports.http}`;
const pub = (): AccountIdentity => ({ ...own.identity, scope: 'public_links_only' });

/** Sends a request directly to one replica, bypassing the gateway. */
async function ask<Body>(replica: StackProcess, path: string, identity: AccountIdentity): Promise<Body> {
  const headers = { [IDENTITY_HEADER]: await mint(identity) };
  const { status, body } = await request<Body>(path, { base: originOf(replica), headers });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function visit(origins: string[], forMs: number): Promise<RedirectLoad> {
  const load = new RedirectLoad({ nextOrigin: roundRobin(...origins), slugs: SLUGS, perSecond: PER_SECOND });
  await sleep(forMs);
  await load.stop();
  expectNoFailures(load.others, own.stack);
  clicks += load.answered.size;
  return load;
}

async function untilCounted(): Promise<void> {
  await eventually(async () => expect((await own.analytics()).clicks).toBe(clicks));
}

test('two replicas of analytics-svc and of links-svc give the same responses', async () => {
  await visit([own.stack.urls.gateway, ...linksReplicas.map(originOf)], 1_000);
  await untilCounted();
  const source = (await own.analytics()).sources[0]!.source;
  for (const query of ['', '?days=1', '?days=365&tz=Asia/Kathmandu', '?days=2&tz=Pacific/Niue', `?source=${source}`]) {
    for (const [key, identity] of [
      [own.key, own.identity],
      [own.publicKey, pub()],
    ] as const) {
      const expected = await own.analytics(query, key);
      for (const replica of analyticsReplicas)
        expect(await ask(replica, `/api/v1/analytics${query}`, identity)).toEqual(expected);
    }
  }
  await eventually(async () => {
    const sum = (found: { links: Link[] }) => found.links.reduce((total, link) => total + link.clicks, 0);
    for (const replica of linksReplicas)
      expect(sum(await ask(replica, '/api/v1/links?per=100', own.identity))).toBe(clicks);
  });
  for (const path of [
    '/api/v1/me',
    '/api/v1/links?sort=clicks&per=5',
    '/api/v1/links?q=replica-1',
    `/api/v1/links/${links[0]!.id}`,
  ]) {
    const [first, second] = await Promise.all(linksReplicas.map((replica) => ask(replica, path, own.identity)));
    expect(second).toEqual(first);
  }
});

test('a link that one replica of links-svc hides leaves the analytics of all replicas for a public key at once', async () => {
  const hidden = links[3]!;
  for (const [n, visibility] of (['private', 'public', 'password-protected', 'unlisted'] as const).entries()) {
    const answer = await request(`/api/v1/links/${hidden.id}`, {
      method: 'PUT',
      base: originOf(linksReplicas[n % 2]!),
      headers: { [IDENTITY_HEADER]: await mint(own.identity) },
      json: visibility === 'password-protected' ? { visibility, password: 'secret' } : { visibility },
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const isHidden = visibility === 'private' || visibility === 'password-protected';
    for (const replica of analyticsReplicas) {
      const full = await ask<Analytics>(replica, '/api/v1/analytics?days=7', own.identity);
      const seen = await ask<Analytics>(replica, '/api/v1/analytics?days=7', pub());
      const { clicks: its } = full.top_links.find(({ id }) => id === hidden.id) ?? {
        clicks: await clicksOf(hidden.id),
      };
      expect(full.clicks).toBe(clicks);
      expect(seen.clicks).toBe(isHidden ? clicks - its : clicks);
      if (isHidden) expect(seen.top_links.map(({ id }) => id)).not.toContain(hidden.id);
    }
  }
});

async function clicksOf(id: string): Promise<number> {
  return (await ask<Link>(linksReplicas[0]!, `/api/v1/links/${id}`, own.identity)).clicks;
}

test('when a replica of analytics-svc is killed, no request fails and every click is counted once', async () => {
  const load = new RedirectLoad({
    nextOrigin: roundRobin(own.stack.urls.gateway),
    slugs: SLUGS,
    perSecond: PER_SECOND,
  });
  const client = createGrpcClient(analyticsV1.AnalyticsService, { address: own.stack.urls.analyticsGrpc });
  let asked = 0;
  let phase = 'before';
  const failures: string[] = [];
  const stop = new AbortController();
  const askOver = async (one: () => Promise<unknown>) => {
    while (!stop.signal.aborted) {
      asked += 1;
      await one().catch((error: unknown) => failures.push(`${phase}: ${inspect(error, { depth: 4 })}`));
      await sleep(200);
    }
  };
  const askers = Promise.all([
    askOver(() => own.analytics('?days=7')),
    askOver(() => own.analytics('?days=30', own.publicKey)),
    askOver(async () =>
      client.getAnalytics({ days: 7, tz: 'UTC' }, { timeoutMs: 30_000, identity: await mint(pub()) }),
    ),
  ]);
  const [victim] = analyticsReplicas as [StackProcess];
  await sleep(1_000);
  phase = `${victim.name} is killed`;
  await victim.kill('SIGKILL');
  await sleep(1_500);
  phase = `${victim.name} starts`;
  await victim.start();
  await untilReady(originOf(victim));
  phase = `${victim.name} is back`;
  // gRPC channels reconnect after about a second.
  await sleep(1_500);
  stop.abort();
  await askers;
  client.close();
  await load.stop();
  clicks += load.answered.size;
  process.stdout.write(`replicas of analytics-svc killed: ${asked} requests and ${load.asked.size} redirects\n`);
  expect(failures).toEqual([]);
  expectNoFailures(load.others, own.stack);
  await untilCounted();
});

test('when a replica of links-svc is killed, the other one continues and no click is lost', async () => {
  const [, victim] = linksReplicas as [StackProcess, StackProcess];
  const load = new RedirectLoad({
    nextOrigin: roundRobin(own.stack.urls.gateway),
    slugs: SLUGS,
    perSecond: PER_SECOND,
  });
  await sleep(1_000);
  await victim.kill('SIGKILL');
  // Only requests in flight on the killed replica may fail.
  await sleep(500);
  const lost = [...load.others.values()].reduce((sum, n) => sum + n, 0);
  await sleep(2_000);
  expect([...load.others.values()].reduce((sum, n) => sum + n, 0)).toBe(lost);
  await victim.start();
  await sleep(500);
  await load.stop();
  process.stdout.write(`a replica of links-svc killed: ${load.asked.size} redirects, ${lost} lost\n`);
  clicks += load.answered.size;
  // Some of the failed requests may already be recorded as clicks.
  await eventually(async () => {
    const counted = (await own.analytics()).clicks;
    expect(counted).toBeGreaterThanOrEqual(clicks);
    expect(counted).toBeLessThanOrEqual(clicks + lost);
  });
  await sleep(1_500);
  expect((await own.analytics()).clicks).toBeLessThanOrEqual(clicks + lost);
});
