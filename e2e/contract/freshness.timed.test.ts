import type { Analytics, Link } from '@waymark/contract';
import type { StackProcess } from '@waymark/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSignInToken, type OwnStack, rotatePublicKey, setPlan, startOwnStack } from '../support/own-stack.ts';
import { originOf, replicasOf } from '../support/rolling.ts';
import { BROWSER, eventually, request, untilReady } from '../support/world.ts';

// docs/api.md, Freshness and Errors: the seconds that the API promises, each asserted once, with several replicas. All
// other tests wait for the same states without a clock.

let own: OwnStack;
let link: Link;
let gateways: string[];
let linksReplicas: string[];
beforeAll(async () => {
  own = await startOwnStack({ replicas: { gateway: 2, 'links-svc': 2 } });
  link = (await own.createLinks(['fresh']))[0]!;
  gateways = replicasOf(own.stack, 'gateway').map(originOf);
  linksReplicas = replicasOf(own.stack, 'links-svc').map(originOf);
  // Starts what the first request of a process starts.
  for (const base of gateways) for (let n = 0; n < 20; n += 1) await me(own.key, base);
  for (const base of linksReplicas) await leadsTo(base);
});
afterAll(() => own?.close());

const me = (key: string, base: string) => request<{ plan: string }>('/api/v1/me', { key, base });
const leadsTo = async (base: string) =>
  (await request('/fresh', { base, headers: { 'user-agent': 'curl/8' } })).headers.get('location');
async function send<Body>(method: string, path: string, key: string, json?: unknown): Promise<Body> {
  const { status, body } = await request<Body>(path, { method, key, json, base: gateways[0]! });
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body;
}

async function expectWithin(seconds: number, check: () => Promise<void>): Promise<void> {
  expect(await eventually(check)).toBeLessThan(seconds * 1_000);
}

/** Of several changes, whatever else the machine does may delay one, but not most of them. */
const ROUNDS = 5;
function expectMostWithin(seconds: number, tookMs: number[]): void {
  expect(tookMs.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)], `of ${tookMs}`).toBeLessThan(seconds * 1_000);
}

test('a changed link redirects anew on every replica within 2 seconds', async () => {
  const tookMs = [];
  for (let version = 1; version <= ROUNDS; version += 1) {
    const destination_url = `https://example.com/${version}`;
    await send('PUT', `/api/v1/links/${link.id}`, own.key, { destination_url });
    tookMs.push(
      await eventually(async () => {
        for (const base of linksReplicas) expect(await leadsTo(base)).toBe(destination_url);
      }),
    );
  }
  expectMostWithin(2, tookMs);
});

test('a click is in the analytics within 2 seconds, and in the counter of its link within 5', async () => {
  const shown = { analytics: [] as number[], counter: [] as number[] };
  for (let clicks = 1; clicks <= ROUNDS; clicks += 1) {
    await request('/fresh', { base: gateways[0]!, headers: { 'user-agent': BROWSER } });
    const [analytics, counter] = await Promise.all([
      eventually(async () => expect((await send<Analytics>('GET', '/api/v1/analytics', own.key)).clicks).toBe(clicks)),
      eventually(async () =>
        expect((await send<Link>('GET', `/api/v1/links/${link.id}`, own.key)).clicks).toBe(clicks),
      ),
    ]);
    shown.analytics.push(analytics);
    shown.counter.push(counter);
  }
  expectMostWithin(2, shown.analytics);
  expectMostWithin(5, shown.counter);
});

test('a rotated key and an ended session stop working on every gateway within 5 seconds', async () => {
  for (const base of gateways) expect((await me(own.publicKey, base)).status).toBe(200);
  await rotatePublicKey(own.stack);
  await expectWithin(5, async () => {
    for (const base of gateways) expect((await me(own.publicKey, base)).status).toBe(401);
  });

  const json = { token: await createSignInToken(own.stack) };
  const { token } = (await request<{ token: string }>('/api/v1/sessions', { method: 'POST', json, base: gateways[1]! }))
    .body;
  for (const base of gateways) expect((await me(token, base)).status).toBe(200);
  await send('DELETE', '/api/v1/sessions/current', token);
  await expectWithin(5, async () => {
    for (const base of gateways) expect((await me(token, base)).status).toBe(401);
  });
});

test('a new plan is in force on every gateway within 5 seconds', async () => {
  await setPlan(own.stack, 'business');
  await expectWithin(5, async () => {
    for (const base of gateways) expect((await me(own.key, base)).body.plan).toBe('business');
  });
});

test.each(['mongodb', 'clickhouse', 'links-svc', 'analytics-svc', 'mcp-svc'])(
  'while %s hangs, every request gets its response within 5 seconds',
  async (name) => {
    const hanging = own.stack.processes;
    const frozen: StackProcess[] = name === 'links-svc' ? replicasOf(own.stack, name) : [hanging[name]!];
    const headers = { accept: 'application/json, text/event-stream' };
    const tool = (tool: string) => ({
      ...{ method: 'POST', headers },
      json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } },
    });
    for (const { pid } of frozen) process.kill(pid!, 'SIGSTOP');
    try {
      const created = { method: 'POST', json: { destination_url: 'https://example.com/' } };
      const took = [
        ...[
          millisecondsOf('/api/v1/links'),
          millisecondsOf('/api/v1/links', created),
          millisecondsOf('/api/v1/analytics'),
          millisecondsOf('/fresh'),
        ],
        ...[
          millisecondsOf('/unknown'),
          millisecondsOf('/mcp', tool('list_links')),
          millisecondsOf('/mcp', tool('get_analytics')),
        ],
      ];
      for (const ms of await Promise.all(took)) expect(ms).toBeLessThan(5_000);
    } finally {
      for (const { pid } of frozen) process.kill(pid!, 'SIGCONT');
    }
    await untilReady(gateways[0]!);
  },
);

/** Sends a request, and returns the milliseconds until its response was complete. */
async function millisecondsOf(path: string, options: Parameters<typeof request>[1] = {}): Promise<number> {
  const startedMs = performance.now();
  await request(path, { key: own.key, base: gateways[0]!, ...options });
  return performance.now() - startedMs;
}
