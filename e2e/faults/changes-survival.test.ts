import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AccountEvent,
  type BulkResults,
  type EventLink,
  isHidden,
  type Job,
  type JobList,
  type Link,
  type LinkList,
} from '@waymark/contract';
import { type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EventReader, linkEvents, linksAfter, viewOf } from '../support/event-reader.ts';
import { createOwner, EMBEDDED_DATABASES, type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { SlugClient } from '../support/slug-client.ts';
import { type Answer, eventually, request } from '../support/world.ts';

// What holds whenever a replica of links-svc or MongoDB is killed. ADR 53: jobs go on, do each link exactly once, with one
// event each, and their counts are right. ADR 50: no acknowledged change is lost, no slug has two owners, the log of each
// account has no gap, and counts and redirects are those of the links. Uses its own stack, because it kills processes. For
// long runs, set KILLS=40: so many for each job, and for the other changes. KILL_ONLY=links-svc kills only this process.

const KILLS_OF_JOB = Number(process.env.KILLS ?? 1);
const KILLS = Number(process.env.KILLS ?? 3);
const VICTIMS = process.env.KILL_ONLY?.split(',') ?? ['links-svc', 'links-svc-2', 'mongodb'];
const LINKS = 1_000;
const SLUGS = Array.from({ length: 12 }, (_, n) => `wanted-${n}`);
const CLIENTS_OF_EACH = 4;

let own: OwnStack;
let kills = 0;
beforeAll(async () => {
  own = await startOwnStack({ autoRestart: true, replicas: { 'links-svc': 2 }, ...EMBEDDED_DATABASES });
});
afterAll(() => own?.close());

/** Sends a request with JSON, or with a file of CSV. */
const send = <Body>(method: string, path: string, body?: object | string, headers = {}): Promise<Answer<Body>> =>
  request<Body>(path, {
    method,
    key: own.key,
    base: own.stack.urls.gateway,
    ...(typeof body === 'string'
      ? { body, headers: { ...headers, 'content-type': 'text/csv' } }
      : { headers, ...(body && { json: body }) }),
  });

/** Sends a request until it gets a response that says what happened. */
async function insist<Body>(
  method: string,
  path: string,
  body: object | string | undefined,
  key: string,
): Promise<Body> {
  for (;;) {
    const answer = await send<Body>(method, path, body, { 'idempotency-key': key }).catch(() => null);
    if (answer !== null && answer.status < 300) return answer.body;
    expect([503, undefined], JSON.stringify(answer?.body)).toContain(answer?.status);
    await sleep(200);
  }
}

/** Returns a resource as soon as the replica that is asked has its database again. */
async function get<Body>(path: string): Promise<Body> {
  let body: Body | undefined;
  await eventually(async () => {
    const answer = await send<Body>('GET', path);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    body = answer.body;
  });
  return body!;
}

async function create(count: number): Promise<void> {
  for (let n = 0; n < count; n += 100) {
    const operations = Array.from({ length: 100 }, () => ({
      op: 'create',
      link: { destination_url: 'https://a.example/' },
    }));
    const { results } = await insist<BulkResults>('POST', '/api/v1/links/bulk', { operations }, `create-${n}`);
    expect(results.every(({ status }) => status === 201)).toBe(true);
  }
}

/** Runs a job while processes are killed, first while it is in the middle and then at random, and returns it. */
async function runWhileKilling(start: () => Promise<Job>): Promise<Job> {
  const before = (await get<JobList>('/api/v1/jobs')).jobs.length;
  const started = start();
  await eventually(async () => {
    const [job, ...others] = (await get<JobList>('/api/v1/jobs')).jobs;
    expect(others).toHaveLength(before);
    expect(job!.done).toBeGreaterThan(0);
  });
  for (let kill = 0; kill < KILLS_OF_JOB; kill++) {
    if (kill > 0) await sleep(200 + Math.random() * 1_000);
    await own.stack.processes[VICTIMS[kills++ % VICTIMS.length]!]!.kill('SIGKILL');
  }
  const { id } = await started;
  let job: Job | undefined;
  await eventually(async () => {
    const answer = await send<Job>('GET', `/api/v1/jobs/${id}`);
    expect(answer).toMatchObject({ status: 200, body: { finished_at: expect.any(String) } });
    job = answer.body;
  });
  return job!;
}

/** Returns how many events of a type the log has, and of how many links. Checks that the log has no gap. */
async function eventsOf(type: string): Promise<number[]> {
  const client = new MongoClient(own.stack.mongodbUrl);
  try {
    const log = await client.db(own.database).collection('events').find({}).sort({ _id: 1 }).toArray();
    expect(log.map(({ _id }) => Number(String(_id).split(':')[1]))).toEqual(log.map((_, n) => n + 1));
    const found = log.filter((event) => event.type === type);
    return [found.length, new Set(found.map(({ link_id }) => link_id)).size];
  } finally {
    await client.close();
  }
}

// No repetition: by its keys, it would get the answers of the first run.
const OPTIONS = { timeout: 240_000 + KILLS_OF_JOB * 25_000 };

test('whatever is killed, jobs do each link once', OPTIONS, async () => {
  await create(LINKS);
  const total = async (query: string) => (await get<LinkList>(`/api/v1/links?${query}`)).total;
  const all = { matched: LINKS, done: LINKS, unchanged: 0, refused: 0 };

  const body = {
    kind: 'edit',
    filter: { all: true },
    change: { replace_host: { from: 'a.example', to: 'b.example' } },
  };
  const edit = await runWhileKilling(() => insist<Job>('POST', '/api/v1/jobs', body, 'edit'));
  expect(edit).toMatchObject({ state: 'done', ...all, changed: LINKS });
  expect(await total('domain=b.example')).toBe(LINKS);
  expect(await eventsOf('link.updated')).toEqual([LINKS, LINKS]);

  const undo = await runWhileKilling(() => insist<Job>('POST', `/api/v1/jobs/${edit.id}/undo`, undefined, 'undo'));
  expect(undo).toMatchObject({ kind: 'undo', state: 'done', ...all, changed: LINKS });
  expect(await total('domain=a.example')).toBe(LINKS);
  expect(await eventsOf('link.updated')).toEqual([2 * LINKS, LINKS]);

  const deletion = { kind: 'delete', filter: { domain: 'a.example' } };
  const deleted = await runWhileKilling(() => insist<Job>('POST', '/api/v1/jobs', deletion, 'delete'));
  expect(deleted).toMatchObject({ state: 'done', ...all, deleted: LINKS });
  expect(await total('archived=any')).toBe(0);
  expect(await eventsOf('link.deleted')).toEqual([LINKS, LINKS]);

  const file = `url,title\n${Array.from({ length: LINKS }, (_, n) => `https://c.example/${n},T${n}\n`).join('')}`;
  const rows = { matched: LINKS, done: LINKS, refused: 0 };
  const imported = await runWhileKilling(() => insist<Job>('POST', '/api/v1/jobs/import', file, 'import'));
  expect(imported).toMatchObject({ state: 'done', ...rows, created: LINKS });
  expect(await total('domain=c.example')).toBe(LINKS);
  const again = await runWhileKilling(() => insist<Job>('POST', '/api/v1/jobs/import', file, 'again'));
  expect(again).toMatchObject({ state: 'done', ...rows, unchanged: LINKS });
  expect(await eventsOf('link.created')).toEqual([2 * LINKS, 2 * LINKS]);
  const kinds = (await get<JobList>('/api/v1/jobs')).jobs.map(({ kind }) => kind).sort();
  expect(kinds).toEqual(['delete', 'edit', 'import', 'import', 'undo']);
});

/** Sends a request about the links of an account. */
const links = <Body>(key: string, method: string, path: string, json?: object): Promise<Answer<Body>> =>
  request<Body>(`/api/v1/links${path}`, { method, key, base: own.stack.urls.gateway, ...(json && { json }) });

async function isReady(keys: readonly string[]): Promise<void> {
  await eventually(async () => {
    expect((await request('/readyz', { base: own.stack.urls.gateway })).status).toBe(200);
    for (const key of keys) expect((await links<LinkList>(key, 'GET', '')).status).toBe(200);
  });
}

async function linksOf(key: string): Promise<Link[]> {
  return (await links<LinkList>(key, 'GET', '?per=100')).body.links;
}

/** Checks in the database that the log, the counts and the redirects of every account agree with its links. */
async function expectConsistentAccounts(): Promise<void> {
  const client = new MongoClient(own.stack.mongodbUrl);
  const database = client.db(own.database);
  const all = (name: string) => database.collection<Document & { _id: string }>(name).find({}).toArray();
  const [accounts, links, redirects, events] = await Promise.all(['accounts', 'links', 'redirects', 'events'].map(all));
  await client.close();
  for (const { _id, revision, counts } of accounts!) {
    const log = events!.filter(({ account_id }) => account_id === _id).map((event) => event._id);
    const expected = Array.from({ length: revision }, (_, n) => `${_id}:${String(n + 1).padStart(12, '0')}`);
    expect(log.sort()).toEqual(expected);
    const own = links!.filter(({ account_id }) => account_id === _id);
    expect(Object.values<number>(counts).reduce((sum, count) => sum + count, 0)).toBe(own.length);
  }
  const leadTo = (pairs: [string, string][]) => pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  expect(leadTo(redirects!.map(({ _id, link_id }) => [_id, link_id]))).toEqual(
    leadTo(links!.map(({ _id, slug }) => [`/${slug.toLowerCase()}`, _id])),
  );
}

/** Reads the events of a key all the time until it is stopped. */
function follow(key: string) {
  const reader = new EventReader(key, own.stack.urls.gateway);
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      await reader.try();
      await sleep(50);
    }
  })();
  const stop = async () => {
    stopped = true;
    await running;
  };
  return { reader, stop };
}

/** Checks that the log of an account has each change of its clients, and no other, once. */
function expectEvents(events: readonly AccountEvent[], clients: readonly SlugClient[], links: readonly Link[]): void {
  const titles = linkEvents(events).flatMap(({ type, data }) => {
    const link = data.link as EventLink;
    if (type === 'link.updated') expect(data.changes!.title!.to).toBe(link.title);
    return type === 'link.deleted' ? [] : [link.title!];
  });
  expect(new Set(titles).size).toBe(titles.length);
  const done = clients.flatMap(({ doneTitles }) => doneTitles);
  expect(new Set(titles)).toEqual(new Set([...titles, ...done]));
  const asked = new Set([...done, ...clients.flatMap(({ unknownTitles }) => unknownTitles)]);
  expect(titles.filter((title) => !asked.has(title))).toEqual([]);
  const deleted = linkEvents(events).flatMap(({ type, data }) => (type === 'link.deleted' ? [data.link.id] : []));
  expect(new Set(deleted).size).toBe(deleted.length);
  expect(deleted).toEqual(expect.arrayContaining(clients.flatMap(({ deletedIds }) => deletedIds)));
  expectLinks(events, links);
}

/** Checks that whoever followed the events knows these links. */
function expectLinks(events: readonly AccountEvent[], links: readonly Link[]): void {
  const known = [...linksAfter(events).values()].map(({ id, slug, title }) => [id, slug, title]);
  expect(known.sort()).toEqual(links.map(({ id, slug, title }) => [id, slug, title]).sort());
}

test(
  'no change is lost, each has one event, and no slug has two owners, whenever a process is killed',
  async () => {
    const owners = [await createOwner(own.stack, 'first'), await createOwner(own.stack, 'rival')];
    const keys = owners.map(({ key }) => key);
    const base = own.stack.urls.gateway;
    const clients = keys.flatMap((key) =>
      Array.from({ length: CLIENTS_OF_EACH }, () => new SlugClient({ base, key, slugs: SLUGS })),
    );
    const followers = owners.map(({ key, publicKey }) => [follow(key), follow(publicKey)] as const);
    for (let kill = 0; kill < KILLS; kill += 1) {
      // Sometimes a process is killed while another one is still down.
      if (Math.random() < 0.7) await isReady(keys);
      await sleep(Math.random() * 1_500);
      const victim = own.stack.processes[VICTIMS[Math.floor(Math.random() * VICTIMS.length)]!]!;
      await eventually(async () => expect(victim.pid).toBeDefined());
      await victim.kill('SIGKILL');
    }
    await isReady(keys);
    await Promise.all(clients.map((client) => client.stop()));
    const statuses = new Map<string, number>();
    for (const client of clients)
      for (const [status, count] of client.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
    process.stdout.write(`${KILLS} kills: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}\n`);
    for (const done of ['POST 201', 'PUT 200', 'DELETE 204']) expect(statuses.get(done)).toBeGreaterThan(0);

    for (const [at, { key, publicKey }] of owners.entries()) {
      for (const { stop } of followers[at]!) await stop();
      const [full, seen] = await Promise.all(followers[at]!.map(({ reader }) => reader.all()));
      expect(await new EventReader(key, base).all()).toEqual(full);
      const ownClients = clients.slice(at * CLIENTS_OF_EACH, (at + 1) * CLIENTS_OF_EACH);
      expectEvents(full!, ownClients, await linksOf(key));
      expectLinks(seen!, await linksOf(publicKey));
      expect(JSON.stringify(seen)).not.toContain('hidden');
      const view = (await new EventReader(publicKey, base).all()).map(({ created_at: _, ...event }) => event);
      expect(view).toEqual(viewOf(full!, ({ visibility }) => !isHidden(visibility)));
    }

    const all = (await Promise.all(keys.map(linksOf))).flat();
    const slugOf = new Map(all.map(({ id, slug }) => [id, slug]));
    expect(new Set(slugOf.values()).size, 'each slug has one link').toBe(all.length);
    for (const known of clients.flatMap((client) => [...client.links.values()])) {
      const slug = slugOf.get(known.id);
      if (slug === undefined) expect(known.mayBeGone, `${known.id} is gone`).toBe(true);
      else expect([...known.slugs], `the slug of ${known.id}`).toContain(slug);
    }
    for (const { slug, destination_url, visibility } of all)
      await eventually(async () => {
        const visit = await request(`/${slug}`, { base });
        const expected = visibility === 'private' ? [404, null] : [302, destination_url];
        expect([slug, visit.status, visit.headers.get('location')]).toEqual([slug, ...expected]);
      });

    const used = new Set(slugOf.values());
    for (const slug of SLUGS) {
      const create = async (key: string) =>
        (await links(key, 'POST', '', { slug, destination_url: 'https://example.com/again' })).status;
      if (!used.has(slug)) expect([await create(keys[0]!), await create(keys[1]!)], slug).toEqual([201, 422]);
      for (const key of keys) expect(await create(key), slug).toBe(422);
    }
    const slugs = (await Promise.all(keys.map(linksOf))).flat().map(({ slug }) => slug);
    expect(slugs.sort()).toEqual([...SLUGS].sort());
    await expectConsistentAccounts();
  },
  120_000 + KILLS * 20_000,
);

test.each([0, 1])(
  'a link with max_clicks 1,000 redirects 1,000 visitors on 64 connections, with %i kills not one more',
  OPTIONS,
  async (killed) => {
    await isReady([own.key]);
    const { slug } = await insist<Link>(
      'POST',
      '/api/v1/links',
      { destination_url: 'https://a.example/', max_clicks: 1_000 },
      `limited-${killed}`,
    );
    const statuses = new Map<number | undefined, number>();
    const count = (status: number | undefined) => statuses.get(status) ?? 0;
    const visit = async () => {
      // Once it has expired, and after that on every replica.
      while (count(410) < 200) {
        const answer = await request(`/${slug}`, { base: own.stack.urls.gateway }).catch(() => undefined);
        statuses.set(answer?.status, count(answer?.status) + 1);
        if (answer?.status !== 302 && answer?.status !== 410) await sleep(50);
      }
    };
    const visitors = Array.from({ length: 64 }, visit);
    if (killed > 0) {
      await expect.poll(() => count(302), { timeout: 60_000, interval: 5 }).toBeGreaterThan(200);
      await own.stack.processes['links-svc-2']!.kill('SIGKILL');
    }
    await Promise.all(visitors);
    process.stdout.write(`max_clicks, ${killed} kills: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}\n`);
    expect(count(302)).toBeLessThanOrEqual(1_000);
    // A redirect that was taken but not sent is one of those that were in flight.
    expect(count(302)).toBeGreaterThanOrEqual(1_000 - 64 * killed);
  },
);
