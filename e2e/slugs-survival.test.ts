import { setTimeout as sleep } from 'node:timers/promises';
import type { Link, LinkList } from '@waymark/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EMBEDDED_DATABASES, type OwnStack, startOwnStack } from './support/own-stack.ts';
import { type Answer, eventually, request } from './support/world.ts';

// ADR 41: whenever links-svc or MongoDB is killed, no slug is lost and none has two owners. Uses its own stack, because
// it kills processes. For long runs, set KILLS=40. KILL_ONLY=links-svc kills only this process.

const KILLS = Number(process.env.KILLS ?? 6);
const VICTIMS = process.env.KILL_ONLY?.split(',') ?? ['links-svc', 'links-svc', 'mongodb'];
const SLUGS = Array.from({ length: 12 }, (_, n) => `wanted-${n}`);
const CLIENTS = 8;

let own: OwnStack;
beforeAll(async () => {
  own = await startOwnStack({ autoRestart: true, ...EMBEDDED_DATABASES });
});
afterAll(() => own?.close());

const api = <Body>(path: string, method: string, json?: object): Promise<Answer<Body>> =>
  request<Body>(`/api/v1/links${path}`, { method, key: own.key, base: own.stack.urls.gateway, ...(json && { json }) });

const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;

/** Creates, changes and deletes links of a few slugs until it is stopped. Counts the responses by status. */
class SlugLoad {
  readonly statuses = new Map<string, number>();
  #ids: string[] = [];
  readonly #clients: Promise<void>[];
  #stopped = false;
  #made = 0;

  constructor() {
    this.#clients = Array.from({ length: CLIENTS }, () => this.#run());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const what = this.#ids.length === 0 ? 'POST' : oneOf(['POST', 'PUT', 'PUT', 'DELETE']);
      // A lost response is what this test is about.
      const status = await this.#send(what).catch(() => 0);
      const key = `${what} ${status}`;
      this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
      if (status === 0 || status >= 500) await sleep(50);
    }
  }

  async #send(what: string): Promise<number> {
    const slug = oneOf(SLUGS);
    if (what === 'POST') {
      this.#made += 1;
      const { status, body } = await api<Link>('', 'POST', {
        slug,
        destination_url: `https://example.com/${this.#made}`,
      });
      if (status === 201) this.#ids.push(body.id);
      return status;
    }
    const id = oneOf(this.#ids);
    if (what === 'PUT') return (await api(`/${id}`, 'PUT', { slug })).status;
    const { status } = await api(`/${id}`, 'DELETE');
    if (status === 204 || status === 404) this.#ids = this.#ids.filter((one) => one !== id);
    return status;
  }
}

async function isReady(): Promise<void> {
  await eventually(async () => {
    expect((await request('/readyz', { base: own.stack.urls.gateway })).status).toBe(200);
    expect((await api<LinkList>('', 'GET')).status).toBe(200);
  }, 60_000);
}

test(
  'no slug is lost and none has two owners, whenever a process is killed',
  async () => {
    const load = new SlugLoad();
    for (let kill = 0; kill < KILLS; kill += 1) {
      await isReady();
      await sleep(300 + Math.random() * 1_000);
      await own.stack.processes[VICTIMS[kill % VICTIMS.length]!]!.kill('SIGKILL');
    }
    await isReady();
    await load.stop();
    process.stdout.write(`${KILLS} kills: ${JSON.stringify(Object.fromEntries([...load.statuses].sort()))}\n`);
    for (const done of ['POST 201', 'PUT 200', 'DELETE 204']) expect(load.statuses.get(done)).toBeGreaterThan(0);

    const { links } = (await api<LinkList>('?per=100', 'GET')).body;
    const slugs = links.map(({ slug }) => slug);
    expect(new Set(slugs).size, 'each slug has one link').toBe(slugs.length);
    for (const { slug, destination_url } of links)
      await eventually(async () => {
        const visit = await request(`/${slug}`, { base: own.stack.urls.gateway });
        expect([slug, visit.status, visit.headers.get('location')]).toEqual([slug, 302, destination_url]);
      });
    for (const slug of SLUGS) {
      const again = () => api<Link>('', 'POST', { slug, destination_url: 'https://example.com/again' });
      if (slugs.includes(slug)) expect((await again()).status, slug).toBe(422);
      // The account itself can use a slug 10 seconds after a crash.
      else await eventually(async () => expect((await again()).status, slug).toBe(201), 60_000);
    }
    expect((await api<LinkList>('?per=100', 'GET')).body.total).toBe(SLUGS.length);
  },
  120_000 + KILLS * 20_000,
);
