import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Analytics, Link, LinkList } from '@waymark/contract';
import { type Stack, startStack } from '@waymark/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOwner, EMBEDDED_DATABASES, type Owner, rotatePublicKey } from '../support/own-stack.ts';
import { BROWSER, eventually, request } from '../support/world.ts';

// docs/operations.md, “Back up and restore”: the state after restoring both databases, and after restoring only one of
// them to yesterday. A copy of a stopped database's folder replaces a dump, because the dump tools are not installed.

let folder: string;
let owner: Owner;
const running = new Set<Stack>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-backup-'));
});
afterAll(async () => {
  for (const stack of running) await stack.close();
  await rm(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);
const copy = (from: string, to: string) => cp(at(from), at(to), { recursive: true });

async function on<Result>(name: string, work: (stack: Stack) => Promise<Result>): Promise<Result> {
  const stack = await startStack({
    dataDir: at(name),
    allInOne: true,
    publicUrl: 'https://go.example.com',
    ...EMBEDDED_DATABASES,
    env: { CLICKHOUSE_DATABASE: 'waymark' },
  });
  running.add(stack);
  try {
    return await work(stack);
  } finally {
    await stack.close();
    running.delete(stack);
  }
}

async function ask<Body>(stack: Stack, path: string, options: Parameters<typeof request>[1] = {}): Promise<Body> {
  const answer = await request<Body>(path, { key: owner.key, base: stack.urls.gateway, ...options });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

const create = (stack: Stack, slug: string) =>
  ask<Link>(stack, '/api/v1/links', { method: 'POST', json: { slug, destination_url: 'https://example.com/' } });
const analyticsOf = (stack: Stack) => ask<Analytics>(stack, '/api/v1/analytics');
const linksOf = async (stack: Stack) => (await ask<LinkList>(stack, '/api/v1/links?sort=slug&dir=asc')).links;
const clicksOf = async (stack: Stack) =>
  Object.fromEntries((await linksOf(stack)).map(({ slug, clicks }) => [slug, clicks]));

async function visit(stack: Stack, slug: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const { status } = await request(`/${slug}`, { base: stack.urls.gateway, headers: { 'user-agent': BROWSER } });
    expect(status).toBe(302);
  }
}

const untilCounted = (stack: Stack, clicks: number) =>
  eventually(async () => expect((await analyticsOf(stack)).clicks).toBe(clicks));

let gone: Link;

test('a copy of the stopped stack’s data folder has all links, keys and analytics, and the clicks in the spool', async () => {
  await on('yesterday', async (stack) => {
    owner = await createOwner(stack);
    for (const slug of ['kept', 'changed']) await create(stack, slug);
    gone = await create(stack, 'gone');
    await visit(stack, 'kept', 5);
    await visit(stack, 'changed', 3);
    await visit(stack, 'gone', 2);
    await untilCounted(stack, 10);
    await eventually(async () => expect(await clicksOf(stack)).toEqual({ changed: 3, gone: 2, kept: 5 }));
    // With ClickHouse stopped, these clicks are only in the spool.
    await stack.processes.clickhouse!.stop(5_000);
    await visit(stack, 'kept', 4);
  });
  await copy('yesterday', 'today');
  await on('today', async (stack) => {
    await untilCounted(stack, 14);
    await eventually(async () => expect(await clicksOf(stack)).toEqual({ changed: 3, gone: 2, kept: 9 }));
    expect((await request('/api/v1/me', { key: owner.publicKey, base: stack.urls.gateway })).status).toBe(200);

    // What the other tests restore is from before this.
    await create(stack, 'made');
    await visit(stack, 'made', 2);
    await visit(stack, 'kept', 1);
    await ask(stack, `/api/v1/links/${gone.id}`, { method: 'DELETE' });
    await untilCounted(stack, 9 + 3 + 2 + 1);
    await eventually(async () => expect(await clicksOf(stack)).toEqual({ changed: 3, kept: 10, made: 2 }));
    owner = { ...owner, publicKey: await rotatePublicKey(stack) };
  });
});

test('restoring MongoDB alone brings back old links and keys, removes newer links and keeps their clicks', async () => {
  await copy('today', 'old-mongodb');
  await rm(at('old-mongodb/mongodb'), { recursive: true });
  await copy('yesterday/mongodb', 'old-mongodb/mongodb');
  await on('old-mongodb', async (stack) => {
    expect((await linksOf(stack)).map(({ slug }) => slug)).toEqual(['changed', 'gone', 'kept']);
    expect((await request('/made', { base: stack.urls.gateway })).status).toBe(404);
    const { clicks, top_links } = await analyticsOf(stack);
    // The deleted link's two clicks count only if they were not purged before the copy was made.
    expect([9 + 3 + 2 + 1, 9 + 3 + 2 + 1 + 2]).toContain(clicks);
    expect(top_links.map(({ slug }) => slug)).not.toContain('made');
    expect((await request('/api/v1/me', { key: owner.publicKey, base: stack.urls.gateway })).status).toBe(401);
    await visit(stack, 'kept', 1);
    await untilCounted(stack, clicks + 1);
    await eventually(async () => expect((await clicksOf(stack)).kept).toBe(11));
  });
});

test('restoring ClickHouse alone loses newer clicks, but lowers no link’s counter', async () => {
  await copy('today', 'old-clickhouse');
  await rm(at('old-clickhouse/clickhouse'), { recursive: true });
  await copy('yesterday/clickhouse', 'old-clickhouse/clickhouse');
  await on('old-clickhouse', async (stack) => {
    // A link that was deleted since the backup stays excluded.
    expect((await analyticsOf(stack)).clicks).toBe(5 + 3);
    expect(await clicksOf(stack)).toEqual({ changed: 3, kept: 10, made: 2 });
    await visit(stack, 'kept', 1);
    await untilCounted(stack, 5 + 3 + 1);
    expect(await clicksOf(stack)).toEqual({ changed: 3, kept: 10, made: 2 });
  });
});
