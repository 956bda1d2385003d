import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { type AccountIdentity, createSigner } from '@waymark/auth';
import type { Analytics, CreateLinkInput, Link } from '@waymark/contract';
import { analyticsV1, createGrpcClient, IDENTITY_HEADER } from '@waymark/proto';
import type { StackProcess } from '@waymark/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DnsServer } from '../../apps/links-svc/test/support/dns-server.ts';
import { createOwner, type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { RedirectLoad, roundRobin } from '../support/redirect-load.ts';
import { followOn, verifyHost } from '../support/short-hosts.ts';
import { eventually, request } from '../support/world.ts';

// docs/api.md, Freshness: the promises hold with one replica of each service or several.

const SLUGS = Array.from({ length: 12 }, (_, n) => `replica-${n}`);

let dns: DnsServer;
let own: OwnStack;
let links: Link[];
let mint: (identity: AccountIdentity) => Promise<string>;
let analyticsReplicas: StackProcess[];
let linksReplicas: StackProcess[];
let clicks = 0;

beforeAll(async () => {
  dns = await DnsServer.start();
  const env = { DNS_SERVERS: dns.address };
  own = await startOwnStack({ replicas: { 'analytics-svc': 3, 'links-svc': 2 }, env });
  mint = createSigner({ current: own.stack.signingKey }).mint;
  const { processes } = own.stack;
  analyticsReplicas = ['analytics-svc', 'analytics-svc-2', 'analytics-svc-3'].map((name) => processes[name]!);
  linksReplicas = ['links-svc', 'links-svc-2'].map((name) => processes[name]!);
  links = [
    ...(await own.createLinks(SLUGS.slice(0, 8))),
    ...(await own.createLinks(SLUGS.slice(8), { visibility: 'unlisted' })),
  ];
});
afterAll(async () => {
  await own?.close();
  await dns?.close();
});

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
  const load = new RedirectLoad({ nextOrigin: roundRobin(...origins), slugs: SLUGS, perSecond: 100 });
  await sleep(forMs);
  await load.stop();
  expect(Object.fromEntries(load.others)).toEqual({});
  clicks += load.answered.size;
  return load;
}

async function untilCounted(): Promise<void> {
  await eventually(async () => expect((await own.analytics()).clicks).toBe(clicks));
}

test('three replicas of analytics-svc and two of links-svc give the same responses', async () => {
  await visit([own.stack.urls.gateway, ...linksReplicas.map(originOf)], 3_000);
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

test('a change of a link is seen by redirects at once on the replica that made it and within 2 seconds on all others', async () => {
  const [first, second] = linksReplicas.map(originOf) as [string, string];
  const locationAt = async (base: string) => {
    const { headers } = await request(`/${SLUGS[5]}`, { base, headers: { 'user-agent': 'curl/8.0' } });
    return headers.get('location');
  };
  await Promise.all([locationAt(first), locationAt(second)]);
  const destination_url = 'https://example.com/changed';
  const changed = await request(`/api/v1/links/${links[5]!.id}`, {
    method: 'PUT',
    base: first,
    headers: { [IDENTITY_HEADER]: await mint(own.identity) },
    json: { destination_url },
  });
  expect(changed.status).toBe(200);
  expect(await locationAt(first)).toBe(destination_url);
  await sleep(2_000);
  expect(await locationAt(second)).toBe(destination_url);
});

/** Sends a request with a key through the gateway. Fails the test if it is refused. */
async function send<Body>(key: string, method: string, path: string, json?: unknown): Promise<Body> {
  const { status, body } = await request<Body>(path, { method, key, json, base: own.stack.urls.gateway });
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body;
}
const addLink = (key: string, json: CreateLinkInput) => send<Link>(key, 'POST', '/api/v1/links', json);

/** What a host leads to, in milliseconds from when that was asked for until the next change was done. */
const stateOf = (to: string | number, from: number) => ({ to, from, until: Number.POSITIVE_INFINITY });
const FRESH_MS = 2_000;

test('one slug leads elsewhere on three hosts, and both replicas show each change within 2 seconds', async () => {
  const gateway = own.stack.urls.gateway;
  const origins = [gateway, ...linksReplicas.map(originOf)];
  const [one, two] = [await createOwner(own.stack, 'hosts-one'), await createOwner(own.stack, 'hosts-two')];
  const [main, go, shop] = [new URL(own.stack.publicUrl).host, 'go.one.example', 'shop.two.example'];
  const goHost = await verifyHost(gateway, one.key, go, dns);
  const shopHost = await verifyHost(gateway, two.key, shop, dns);
  const missing = 'https://missing.test/';
  await send(two.key, 'PUT', `/api/v1/hosts/${shopHost.id}`, { not_found_url: missing });
  const slug = 'Same';
  const urlOf = (host: string, version: number) => `https://${host.replace(':', '-')}.test/${version}`;
  const linkOf = new Map<string, { key: string; id: string }>();
  for (const [host, key] of [
    [main, one.key],
    [go, one.key],
    [shop, two.key],
  ] as const) {
    const fields = { slug, host: host === main ? null : host, destination_url: urlOf(host, 0) };
    linkOf.set(host, { key, id: (await addLink(key, fields)).id });
  }

  const history = new Map([main, go, shop].map((host) => [host, [stateOf(urlOf(host, 0), 0)]]));
  async function change(host: string, to: string | number, make: () => Promise<unknown>): Promise<void> {
    const states = history.get(host)!;
    const before = states.at(-1)!;
    states.push(stateOf(to, performance.now()));
    await make();
    before.until = performance.now();
  }
  const isNow = (host: string, seen: string | number) => seen === history.get(host)!.at(-1)!.to;
  const untilSeen = () =>
    eventually(async () => {
      for (const origin of origins)
        for (const host of [main, go, shop])
          expect([host, isNow(host, await followOn(origin, host, `/${slug}`))]).toEqual([host, true]);
    });
  await untilSeen();

  const stop = new AbortController();
  const wrong: unknown[] = [];
  let asked = 0;
  async function watch(origin: string, host: string): Promise<void> {
    while (!stop.signal.aborted) {
      const from = performance.now();
      const seen = await followOn(origin, host, `/${slug}`);
      const until = performance.now();
      asked += 1;
      const isTrue = history
        .get(host)!
        .some((state) => state.to === seen && state.from <= until && state.until + FRESH_MS >= from);
      if (!isTrue) wrong.push({ origin, host, seen, history: history.get(host) });
      await sleep(10);
    }
  }
  const watching = Promise.all(origins.flatMap((origin) => [main, go, shop].map((host) => watch(origin, host))));

  for (const [host, { key, id }] of linkOf)
    await change(host, urlOf(host, 1), () =>
      send(key, 'PUT', `/api/v1/links/${id}`, { destination_url: urlOf(host, 1) }),
    );
  await untilSeen();
  // The host moves to the other account: it is lost to the first one, whose link no longer redirects. In between, nobody
  // owns it, and then it is the default host.
  dns.records.delete(goHost.txt.name);
  await change(go, urlOf(main, 1), () => change(go, 404, () => verifyHost(gateway, two.key, go, dns)));
  await change(shop, missing, () => send(two.key, 'DELETE', `/api/v1/links/${linkOf.get(shop)!.id}`));
  await untilSeen();
  await change(shop, urlOf(main, 1), () => send(two.key, 'DELETE', `/api/v1/hosts/${shopHost.id}`));
  await untilSeen();
  await change(main, 404, async () => {
    await change(shop, 404, () => send(one.key, 'DELETE', `/api/v1/links/${linkOf.get(main)!.id}`));
  });
  await untilSeen();
  await sleep(FRESH_MS);
  stop.abort();
  await watching;
  expect(wrong).toEqual([]);
  expect(asked).toBeGreaterThan(500);
});

test('clicks on one slug of three hosts are counted by host, the same by every replica, and hidden links never', async () => {
  const gateway = own.stack.urls.gateway;
  const [one, two] = [await createOwner(own.stack, 'clicks-one'), await createOwner(own.stack, 'clicks-two')];
  const main = new URL(own.stack.publicUrl).host;
  const [go, to, foreign] = ['go.clicks.example', 'to.clicks.example', 'x.example.org'];
  for (const host of [go, to]) await verifyHost(gateway, one.key, host, dns);
  await verifyHost(gateway, two.key, foreign, dns);
  const slug = 'Sale';
  const urlOf = (host: string) => `https://${host.replace(':', '-')}.test/`;
  const add = (host: string, fields: Partial<CreateLinkInput>) =>
    addLink(one.key, { slug, host: host === main ? null : host, destination_url: urlOf(host), ...fields });
  await add(main, { hashtags: ['autumn'] });
  const onGo = await add(go, { hashtags: ['autumn', 'winter'] });
  const hidden = await add(to, { hashtags: ['winter'] });
  await add(go, { slug: 'Locked', password: 'sesame' });
  const origins = [gateway, ...linksReplicas.map(originOf)];
  await eventually(async () => {
    for (const origin of origins) {
      // HEAD is no click.
      for (const host of [main, go, to])
        expect(await followOn(origin, host, `/${slug}`, { method: 'HEAD' })).toBe(urlOf(host));
      expect(await followOn(origin, go, '/Locked', { method: 'HEAD' })).toBe(200);
    }
  });

  const visits = [
    { on: main, hashtags: ['autumn'], referer: `https://${go}:8443/page`, source: 'direct' },
    { on: main, hashtags: ['autumn'], referer: own.stack.publicUrl, source: 'direct' },
    { on: main, hashtags: ['autumn'], referer: '', source: 'direct' },
    { on: main, hashtags: ['autumn'], referer: `https://${foreign}/`, source: 'example.org' },
    { on: go, hashtags: ['autumn', 'winter'], referer: `https://${to.toUpperCase()}./`, source: 'direct' },
    { on: go, hashtags: ['autumn', 'winter'], referer: 'https://www.example.com/', source: 'example.com' },
    { on: to, hashtags: ['winter'], referer: `https://${go}/`, source: 'direct', isHidden: true },
    { on: go, hashtags: [], referer: `https://${go}/Locked`, source: 'direct', isHidden: true, password: 'sesame' },
  ];
  const clicks: ((typeof visits)[number] & { host: string })[] = [];
  for (const visit of visits)
    for (const origin of origins) {
      const { on, referer, password } = visit;
      const headers = { ...(referer !== '' && { referer }) };
      const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
      const post = { method: 'POST', headers: form, body: `password=${password}` };
      const leads = password
        ? await followOn(origin, on, '/Locked', post)
        : await followOn(origin, on, `/${slug}`, { headers });
      expect(leads).toBe(urlOf(on));
      clicks.push({ ...visit, host: on === main ? '' : on });
    }
  await send(one.key, 'PUT', `/api/v1/links/${hidden.id}`, { visibility: 'private' });

  // It is noon in this zone, so all clicks are of one day.
  const hour = new Date().getUTCHours();
  const tz = hour < 12 ? `Etc/GMT-${12 - hour}` : `Etc/GMT+${hour - 12}`;
  const isMost = (a: { name: string; clicks: number }, b: typeof a) =>
    b.clicks - a.clicks || (a.name < b.name ? -1 : 1);
  const countBy = (some: typeof clicks, namesOf: (click: (typeof clicks)[number]) => string[]) =>
    [...Map.groupBy(some.flatMap(namesOf), (name) => name)]
      .map(([name, group]) => ({ name, clicks: group.length }))
      .sort(isMost);
  const hostOf = (name: string) => (name === '' ? null : name);
  const get = async (query: string, isPublic: boolean) => {
    const path = `/api/v1/analytics?days=1&tz=${encodeURIComponent(tz)}&${query}`;
    const answer = await send<Analytics>(isPublic ? one.publicKey : one.key, 'GET', path);
    const identity = { ...one.identity, scope: isPublic ? 'public_links_only' : 'full_access' } as const;
    for (const replica of analyticsReplicas) expect(await ask(replica, path, identity)).toEqual(answer);
    return answer;
  };
  await eventually(async () => expect((await get('', false)).clicks).toBe(clicks.length));
  for (const isPublic of [false, true]) {
    const seen = clicks.filter(({ isHidden }) => !isPublic || !isHidden);
    const all = await get('include=hosts,referrers&cross=host,day', isPublic);
    const byHost = countBy(seen, ({ host }) => [host]).map(({ name, clicks }) => ({ host: hostOf(name), clicks }));
    expect(all).toMatchObject({
      clicks: seen.length,
      hosts: byHost,
      sources: countBy(seen, ({ source }) => [source]).map(({ name, clicks }) => ({ source: name, clicks })),
      referrers: ['www.example.com', foreign].map((referrer) => ({ referrer, clicks: origins.length })),
      cross: byHost.map(({ host, clicks }) => ({ host, day: all.to, clicks })),
    });
    const pairs = ({ host, hashtags }: (typeof clicks)[number]) => hashtags.map((hashtag) => `${host} ${hashtag}`);
    expect((await get('cross=host,hashtag', isPublic)).cross).toEqual(
      countBy(seen, pairs).map(({ name, clicks }) => {
        const [host, hashtag] = name.split(' ') as [string, string];
        return { host: hostOf(host), hashtag, clicks };
      }),
    );
    for (const [filter, host] of [
      ['default', ''],
      ['GO.clicks.example', go],
      [to, to],
      [foreign, foreign],
    ] as const) {
      const its = seen.filter((click) => click.host === host);
      const answer = await get(`host=${filter}&include=hosts`, isPublic);
      expect(answer).toMatchObject({ host: filter, clicks: its.length });
      expect(answer.hosts).toEqual(its.length === 0 ? [] : [{ host: hostOf(host), clicks: its.length }]);
    }
  }
  const { top_links } = await get(`host=${go}`, true);
  const [{ short_url, id }] = top_links as [Analytics['top_links'][number]];
  expect([top_links.length, id, short_url]).toEqual([1, onGo.id, onGo.short_url]);
  expect(new URL(short_url).hostname).toBe(go);
});

test('gRPC calls are spread over the three replicas of analytics-svc', async () => {
  const client = createGrpcClient(analyticsV1.AnalyticsService, { address: own.stack.urls.analyticsGrpc });
  const call = async () =>
    client.getAnalytics({ days: 30, tz: 'UTC' }, { timeoutMs: 5_000, identity: await mint(own.identity) });
  for (let n = 0; n < 15; n += 1) await call();
  const before = analyticsReplicas.map(cpuTicksOf);
  for (let n = 0; n < 150; n += 1) await call();
  const used = analyticsReplicas.map((replica, n) => cpuTicksOf(replica) - before[n]!);
  client.close();
  const all = used.reduce((sum, ticks) => sum + ticks, 0);
  for (const ticks of used) expect(ticks / all, `CPU time of the replicas: ${used}`).toBeGreaterThan(0.2);
});

/** Returns the CPU time of a process in kernel ticks (proc(5): utime and stime). */
function cpuTicksOf({ pid }: StackProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

test('when a replica of analytics-svc is killed, no request fails and every click is counted once', async () => {
  const load = new RedirectLoad({ nextOrigin: roundRobin(own.stack.urls.gateway), slugs: SLUGS, perSecond: 100 });
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
    askOver(async () => client.getAnalytics({ days: 7, tz: 'UTC' }, { timeoutMs: 5_000, identity: await mint(pub()) })),
  ]);
  for (const victim of analyticsReplicas) {
    await sleep(1_000);
    phase = `${victim.name} is killed`;
    await victim.kill('SIGKILL');
    await sleep(1_500);
    phase = `${victim.name} starts`;
    await victim.start();
    await eventually(async () => {
      expect((await request('/readyz', { base: originOf(victim) })).status).toBe(200);
    });
    phase = `${victim.name} is back`;
    // gRPC channels reconnect after about a second.
    await sleep(3_000);
  }
  stop.abort();
  await askers;
  client.close();
  await load.stop();
  clicks += load.answered.size;
  process.stdout.write(`replicas of analytics-svc killed: ${asked} requests and ${load.asked.size} redirects\n`);
  expect(failures).toEqual([]);
  expect(Object.fromEntries(load.others)).toEqual({});
  await untilCounted();
});

test('when a replica of links-svc is killed, the other one continues and no click is lost', async () => {
  const [, victim] = linksReplicas as [StackProcess, StackProcess];
  const load = new RedirectLoad({ nextOrigin: roundRobin(own.stack.urls.gateway), slugs: SLUGS, perSecond: 100 });
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
