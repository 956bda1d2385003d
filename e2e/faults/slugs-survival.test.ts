import { setTimeout as sleep } from 'node:timers/promises';
import type { Link, LinkList } from '@waymark/contract';
import { type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOwner, EMBEDDED_DATABASES, type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { type Answer, eventually, request } from '../support/world.ts';

// ADR 50: whenever a replica of links-svc or MongoDB is killed, no acknowledged change is lost, no slug has two owners, the
// log of each account has no gap, and counts and redirects are those of the links. Uses its own stack, because it kills
// processes. For long runs, set KILLS=40.
// KILL_ONLY=links-svc kills only this process.

const KILLS = Number(process.env.KILLS ?? 3);
const VICTIMS = process.env.KILL_ONLY?.split(',') ?? ['links-svc', 'links-svc-2', 'mongodb'];
const SLUGS = Array.from({ length: 12 }, (_, n) => `wanted-${n}`);
const CLIENTS_OF_EACH = 4;

let own: OwnStack;
let keys: string[];
beforeAll(async () => {
  own = await startOwnStack({ autoRestart: true, replicas: { 'links-svc': 2 }, ...EMBEDDED_DATABASES });
  keys = [own.key, (await createOwner(own.stack, 'rival')).key];
});
afterAll(() => own?.close());

const api = <Body>(key: string, path: string, method: string, json?: object): Promise<Answer<Body>> =>
  request<Body>(`/api/v1/links${path}`, { method, key, base: own.stack.urls.gateway, ...(json && { json }) });

const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;

/** What a client knows of a link that it created. A request without a response may or may not have worked. */
interface KnownLink {
  id: string;
  slugs: Set<string>;
  mayBeGone: boolean;
}

/** Creates, changes and deletes links of one account until it is stopped. Nobody else changes these links. */
class Client {
  /** How often each request got each response, such as `PUT 200`. A lost response has the status 0. */
  readonly statuses = new Map<string, number>();
  readonly links = new Map<string, KnownLink>();
  readonly #key: string;
  readonly #running: Promise<void>;
  #stopped = false;

  constructor(key: string) {
    this.#key = key;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const link = oneOf([...this.links.values()]);
      const method = link === undefined ? 'POST' : oneOf(['POST', 'PUT', 'PUT', 'DELETE']);
      const status = await this.#send(method, oneOf(SLUGS), link);
      const key = `${method} ${status}`;
      this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
      if (isUnknown(status)) await sleep(50);
    }
  }

  async #send(method: string, slug: string, link: KnownLink | undefined): Promise<number> {
    const path = method === 'POST' ? '' : `/${link!.id}`;
    const json = {
      POST: { slug, destination_url: `https://example.com/${Math.random()}` },
      PUT: { slug },
      DELETE: undefined,
    }[method];
    const { status, body } = await api<Link>(this.#key, path, method, json).catch(() => ({ status: 0, body: null }));
    if (method === 'POST') {
      if (status === 201) this.links.set(body!.id, { id: body!.id, slugs: new Set([slug]), mayBeGone: false });
    } else if (method === 'PUT') {
      if (status === 200 && link!.slugs.size === 1) link!.slugs.clear();
      if (status === 200 || isUnknown(status)) link!.slugs.add(slug);
    } else if (isUnknown(status)) link!.mayBeGone = true;
    else if (status === 204) this.links.delete(link!.id);
    if (status === 404) {
      expect(link!.mayBeGone, `${link!.id} is gone`).toBe(true);
      this.links.delete(link!.id);
    }
    return status;
  }
}

/** Returns true if a request may have worked although its response does not say so. */
function isUnknown(status: number): boolean {
  return status === 0 || status >= 500;
}

async function isReady(): Promise<void> {
  await eventually(async () => {
    expect((await request('/readyz', { base: own.stack.urls.gateway })).status).toBe(200);
    for (const key of keys) expect((await api<LinkList>(key, '', 'GET')).status).toBe(200);
  });
}

async function linksOf(key: string): Promise<Link[]> {
  return (await api<LinkList>(key, '?per=100', 'GET')).body.links;
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

test(
  'no change is lost and no slug has two owners, whenever a process is killed',
  async () => {
    const clients = keys.flatMap((key) => Array.from({ length: CLIENTS_OF_EACH }, () => new Client(key)));
    for (let kill = 0; kill < KILLS; kill += 1) {
      // Sometimes a process is killed while another one is still down.
      if (Math.random() < 0.7) await isReady();
      await sleep(Math.random() * 1_500);
      const victim = own.stack.processes[oneOf(VICTIMS)]!;
      await eventually(async () => expect(victim.pid).toBeDefined());
      await victim.kill('SIGKILL');
    }
    await isReady();
    await Promise.all(clients.map((client) => client.stop()));
    const statuses = new Map<string, number>();
    for (const client of clients)
      for (const [status, count] of client.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
    process.stdout.write(`${KILLS} kills: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}\n`);
    for (const done of ['POST 201', 'PUT 200', 'DELETE 204']) expect(statuses.get(done)).toBeGreaterThan(0);

    const links = (await Promise.all(keys.map(linksOf))).flat();
    const slugOf = new Map(links.map(({ id, slug }) => [id, slug]));
    expect(new Set(slugOf.values()).size, 'each slug has one link').toBe(links.length);
    for (const known of clients.flatMap((client) => [...client.links.values()])) {
      const slug = slugOf.get(known.id);
      if (slug === undefined) expect(known.mayBeGone, `${known.id} is gone`).toBe(true);
      else expect([...known.slugs], `the slug of ${known.id}`).toContain(slug);
    }
    for (const { slug, destination_url } of links)
      await eventually(async () => {
        const visit = await request(`/${slug}`, { base: own.stack.urls.gateway });
        expect([slug, visit.status, visit.headers.get('location')]).toEqual([slug, 302, destination_url]);
      });

    const used = new Set(slugOf.values());
    for (const slug of SLUGS) {
      const create = async (key: string) =>
        (await api(key, '', 'POST', { slug, destination_url: 'https://example.com/again' })).status;
      if (!used.has(slug)) expect([await create(keys[0]!), await create(keys[1]!)], slug).toEqual([201, 422]);
      for (const key of keys) expect(await create(key), slug).toBe(422);
    }
    const all = (await Promise.all(keys.map(linksOf))).flat().map(({ slug }) => slug);
    expect(all.sort()).toEqual([...SLUGS].sort());
    await expectConsistentAccounts();
  },
  120_000 + KILLS * 20_000,
);
