import { randomBytes } from 'node:crypto';
import {
  ACTIONS,
  type Action,
  type CreateRestrictedKeyInput,
  type HashtagList,
  type Job,
  type Link,
  type NewRestrictedKey,
  needOf,
  OPERATIONS,
  type RestrictedKeys,
  TOOL_NAMES,
} from '@waymark/contract';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { connectMcp } from '../support/mcp.ts';
import type { TestAccount } from '../support/world.ts';
import { type Answer, api, createAccount, createLink, eventually, follow, request, signIn } from '../support/world.ts';

// docs/api.md, Restricted keys. What a key with a hashtag must not see is also in model.test.ts.

let account: TestAccount;
let session: string;
/** A link with the hashtag and one without, each with clicks. */
let inside: Link;
let outside: Link;

const TAG = 'promo';
const SOURCE = `s${randomBytes(6).toString('hex')}`;
const RESTRICTED = '/api/v1/me/keys/restricted';

beforeAll(async () => {
  account = await createAccount();
  session = await signIn(account.username);
  inside = await createLink(account.live, { title: 'needle inside', hashtags: [TAG, 'summer'] });
  outside = await createLink(account.live, { title: 'needle outside', hashtags: ['winter'] });
  await follow(inside.slug);
  await follow(`${outside.slug}?utm_source=${SOURCE}`);
  await follow(`${outside.slug}?utm_source=${SOURCE}`);
  await eventually(async () => expect((await api(account.live).analytics()).body.clicks).toBe(3));
});

async function create(input: Partial<CreateRestrictedKeyInput> = {}, owner = session): Promise<NewRestrictedKey> {
  const json = { name: 'agent', scope: 'full_access', actions: [...ACTIONS], ...input };
  const { status, body } = await request<NewRestrictedKey>(RESTRICTED, { method: 'POST', key: owner, json });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

const tagged = async (input: Partial<CreateRestrictedKeyInput> = {}) => (await create({ hashtag: TAG, ...input })).key;

/** Waits until a key is refused. */
function refused(key: string): Promise<number> {
  return eventually(async () => expect((await api(key).me()).status).toBe(401));
}

describe('a session manages restricted keys', () => {
  test('a key is shown once, with what it may do', async () => {
    const created = await create({ name: 'News agent', actions: ['read'], hashtag: '#PROMO' });
    const { key, ...shown } = created;
    expect(key).toMatch(/^key_res_[0-9A-Za-z]{32,}$/);
    expect(shown).toEqual({
      id: expect.any(String),
      name: 'News agent',
      scope: 'full_access',
      hint: `…${key.slice(-4)}`,
      actions: ['read'],
      hashtag: TAG,
      expires_at: null,
      created_at: expect.any(String),
      last_used_at: null,
    });
    const { body } = await request<RestrictedKeys>(RESTRICTED, { key: session });
    expect(body.keys).toContainEqual(shown);
    expect(JSON.stringify(body)).not.toContain(key);
  });

  test('its use is shown', async () => {
    const { id, key } = await create();
    expect((await api(key).me()).status).toBe(200);
    await eventually(async () => {
      const { body } = await request<RestrictedKeys>(RESTRICTED, { key: session });
      expect(body.keys.find((one) => one.id === id)!.last_used_at).not.toBeNull();
    });
  });

  test.each([
    [{ name: '' }, '"name"'],
    [{ name: 'x'.repeat(51) }, '"name"'],
    [{ scope: 'everything' }, '"scope"'],
    [{ actions: [] }, '"actions"'],
    [{ actions: ['read', 'read'] }, '"actions"'],
    [{ actions: ['manage'] }, '"actions'],
    [{ hashtag: 'two words' }, '"hashtag"'],
    [{ hashtag: '' }, '"hashtag"'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, '"expires_at" must be in the future.'],
    [{ expires_at: 'tomorrow' }, '"expires_at"'],
    [{ surprise: true }, '"surprise"'],
  ])('%j is 422 with the name of the field', async (input, message) => {
    const json = { name: 'agent', scope: 'full_access', actions: ['read'], ...input };
    const { status, body } = await request<{ error: string }>(RESTRICTED, { method: 'POST', key: session, json });
    expect([status, body.error]).toEqual([422, expect.stringContaining(message)]);
  });

  test('no API key manages keys', async () => {
    const own = (await create()).key;
    for (const key of [account.live, account.public, own]) {
      expect((await request(RESTRICTED, { key })).status).toBe(403);
      expect((await request(RESTRICTED, { method: 'POST', key, json: {} })).status).toBe(403);
      expect((await request(`${RESTRICTED}/x`, { method: 'DELETE', key })).status).toBe(403);
    }
  });

  test('a deleted key is 401, deleting it again is 404, and others go on', async () => {
    const [one, other] = [await create(), await create()];
    expect((await api(one.key).me()).status).toBe(200);
    expect((await request(`${RESTRICTED}/${one.id}`, { method: 'DELETE', key: session })).status).toBe(204);
    expect((await request(`${RESTRICTED}/${one.id}`, { method: 'DELETE', key: session })).status).toBe(404);
    await refused(one.key);
    expect((await api(other.key).me()).status).toBe(200);
  });

  test('an expired key is 401 and leaves the list', async () => {
    const { id, key } = await create({ expires_at: new Date(Date.now() + 3_000).toISOString() });
    expect((await api(key).me()).status).toBe(200);
    await refused(key);
    const { body } = await request<RestrictedKeys>(RESTRICTED, { key: session });
    expect(body.keys.map((one) => one.id)).not.toContain(id);
  });

  test('at most 100; rotating the key of the scope keeps them, revoking it ends them', async () => {
    const other = await createAccount();
    const owner = await signIn(other.username);
    const keys: NewRestrictedKey[] = [];
    for (let i = 0; i < 100; i++)
      keys.push(await create({ scope: i % 2 ? 'full_access' : 'public_links_only' }, owner));
    const json = { name: 'agent', scope: 'full_access', actions: ['read'] };
    const { status, body } = await request<{ error: string }>(RESTRICTED, { method: 'POST', key: owner, json });
    expect([status, body.error]).toEqual([422, 'An account can have at most 100 restricted keys; delete one first.']);
    const [ofPublic, ofFull] = keys;
    const rotated = await request('/api/v1/me/keys/public_links_only/rotate', { method: 'POST', key: owner });
    expect(rotated.status).toBe(200);
    expect((await api(ofPublic!.key).me()).status).toBe(200);
    expect((await request('/api/v1/me/keys/public_links_only', { method: 'DELETE', key: owner })).status).toBe(204);
    await refused(ofPublic!.key);
    expect((await api(ofFull!.key).me()).status).toBe(200);
    const left = (await request<RestrictedKeys>(RESTRICTED, { key: owner })).body.keys;
    expect(left.map(({ scope }) => scope)).toEqual(Array(50).fill('full_access'));
    const ofRevoked = { name: 'agent', scope: 'public_links_only', actions: ['read'] };
    expect((await request(RESTRICTED, { method: 'POST', key: owner, json: ofRevoked })).status).toBe(422);
  });
});

describe('GET /me', () => {
  test('says what a restricted key may do', async () => {
    const expires_at = '2090-01-31T12:00:00.000Z';
    const { key } = await create({
      name: 'News',
      scope: 'public_links_only',
      actions: ['read'],
      hashtag: TAG,
      expires_at,
    });
    expect((await api(key).me()).body).toEqual({
      username: account.username,
      plan: 'developer',
      key_scope: 'public_links_only',
      key: { name: 'News', actions: ['read'], hashtag: TAG, expires_at },
    });
  });

  test('of the two keys is byte for byte what it was', async () => {
    for (const [key, scope] of [
      [account.live, 'full_access'],
      [account.public, 'public_links_only'],
    ] as const) {
      const response = await fetch(new URL('/api/v1/me', inject('stack').publicUrl), {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(await response.text()).toBe(
        `{"username":"${account.username}","plan":"developer","key_scope":"${scope}"}`,
      );
    }
  });
});

describe('a key may do what its actions say, and nothing else', () => {
  const keys = {} as Record<Action, string>;
  beforeAll(async () => {
    for (const action of ACTIONS) keys[action] = (await create({ actions: [action] })).key;
  });

  const routes = OPERATIONS.flatMap(({ routes = [] }) => routes);
  test.each(routes)('%s', async (route) => {
    const [method, path] = route.split(' ') as [string, string];
    const url = path
      .replace(/:scheme\([^)]*\)/, 'http:')
      .replace(/:host/, 'none.example')
      .replace(/:\w+/g, 'none');
    const need = needOf(route);
    for (const action of ACTIONS) {
      const { status, body } = await request<{ error: string }>(url, { method, key: keys[action] });
      if (need === 'account' || [need].flat().includes(action)) {
        // Sessions only, or a link that does not exist.
        if (status === 403) expect(body.error).toContain('session');
        else if (status === 404) expect(body.error).not.toContain('does not support');
      } else {
        const words = need === 'manage' ? 'A restricted key may not do this.' : 'This key lacks the action "';
        expect([action, status, body.error]).toEqual([action, 403, expect.stringContaining(words)]);
      }
    }
  });

  test('each operation of a bulk', async () => {
    const link = await createLink(account.live, {});
    const operations = [
      { op: 'create', link: { destination_url: 'https://example.com/' } },
      { op: 'update', id: link.id, link: { title: 'new' } },
      { op: 'upsert', link: { slug: link.slug, destination_url: 'https://example.com/' } },
      { op: 'delete', id: link.id },
    ];
    const statuses = async (key: string) => (await api(key).bulk(operations)).body.results.map(({ status }) => status);
    expect(await statuses(keys.create)).toEqual([201, 403, 403, 403]);
    expect(await statuses(keys.update)).toEqual([403, 200, 403, 403]);
    expect(await statuses((await create({ actions: ['create', 'update'] })).key)).toEqual([201, 200, 200, 403]);
    expect(await statuses(keys.delete)).toEqual([403, 403, 403, 204]);
  });

  test('jobs, as what they do', async () => {
    const start = (key: string, json: unknown) => request<Job>('/api/v1/jobs', { method: 'POST', key, json });
    const filter = { hashtag: 'nobody' };
    const edit = { kind: 'edit', filter, change: { title: 'x' } };
    expect((await start(keys.delete, edit)).status).toBe(403);
    expect((await start(keys.update, { kind: 'delete', filter })).status).toBe(403);
    const done = await start(keys.update, edit);
    expect(done.status).toBe(200);
    expect((await request(`/api/v1/jobs/${done.body.id}/undo`, { method: 'POST', key: keys.delete })).status).toBe(403);
  });

  test('over MCP it has its tools only, and a refusal says what the key lacks', async () => {
    for (const action of ACTIONS) {
      const mcp = await connectMcp(keys[action]);
      const { tools } = await mcp.client.listTools();
      const may = TOOL_NAMES.filter((name) => needOf(name) === 'account' || [needOf(name)].flat().includes(action));
      expect(tools.map(({ name }) => name)).toEqual(may);
      const refusedTool = action === 'delete' ? 'create_link' : 'delete_link';
      const { isError, text } = await mcp.call(refusedTool, { id: 'none' });
      expect(isError).toBe(true);
      expect(text).toMatch(/^This key lacks the action "(create|delete)"; ask for a key that has it\.$/);
      await mcp.close();
    }
  });
});

describe('what the hashtag of a key leaves out is nowhere', () => {
  const figures = async (key: string, query: string) => {
    const { status, body } = await api(key).analytics(query);
    return { status, body: { ...body, from: undefined, to: undefined, hashtag: undefined } };
  };

  test('in analytics: each figure is that of the links with the hashtag', async () => {
    const key = await tagged();
    const PARTS = 'visitors,previous,countries,browsers,operating_systems,hosts,languages,utm_campaigns,verdicts';
    for (const query of [
      `?include=${PARTS}`,
      '?days=7',
      '?source=direct',
      '?cross=day,hashtag',
      '?top_by=growth&include=previous',
    ]) {
      const all = await figures(account.live, `${query}&hashtag=${TAG}`);
      expect([query, await figures(key, query)]).toEqual([query, all]);
      expect(all.body.clicks).toBe(1);
    }
    const ofOther = await figures(key, `?source=${SOURCE}`);
    expect(ofOther.body.clicks).toBe(0);
    expect(JSON.stringify(ofOther).replaceAll(SOURCE, 'S')).toBe(
      JSON.stringify(await figures(key, '?source=never')).replaceAll('never', 'S'),
    );
    expect((await figures(key, '?hashtag=winter')).body.clicks).toBe(0);
    expect((await figures(key, '?hashtag=summer')).body.clicks).toBe(1);
    expect((await figures(key, `?link_id=${inside.id}`)).body.clicks).toBe(1);
    for (const name of [outside.id, outside.slug]) expect((await figures(key, `?link_id=${name}`)).status).toBe(404);
    const { body } = await api(key).analytics();
    expect(body.top_links.map(({ id }) => id)).toEqual([inside.id]);
  });

  test('a link that loses or gains the hashtag counts no more, or counts', async () => {
    const link = await createLink(account.live, { hashtags: ['moving'] });
    await follow(link.slug);
    await eventually(async () =>
      expect((await api(account.live).analytics(`?link_id=${link.id}`)).body.clicks).toBe(1),
    );
    const key = await tagged({ hashtag: 'moving' });
    expect((await api(key).analytics()).body.clicks).toBe(1);
    await api(account.live).update(link.id, { hashtags: [] });
    expect((await api(key).analytics()).body.clicks).toBe(0);
    await api(account.live).update(link.id, { hashtags: ['moving'] });
    expect((await api(key).analytics()).body.clicks).toBe(1);
  });

  test('in search, hashtags, export, QR codes and short URLs', async () => {
    const key = await tagged();
    expect((await api(key).list('?q=needle')).body.links.map(({ id }) => id)).toEqual([inside.id]);
    expect((await api(key).list(`?q=${encodeURIComponent(outside.short_url)}`)).body.total).toBe(0);
    expect((await api(key).list('?hashtag=winter')).body.total).toBe(0);
    const { body: tags } = await request<HashtagList>('/api/v1/hashtags', { key });
    expect(tags.hashtags.map(({ hashtag }) => hashtag).sort()).toEqual([TAG, 'summer']);
    const { body: file } = await request<string>('/api/v1/links/export?format=ndjson', { key });
    expect(file).toContain(inside.id);
    expect(file).not.toContain(outside.id);
    expect((await request(`/api/v1/links/${inside.id}/qr`, { key })).status).toBe(200);
    expect((await request(`/api/v1/links/${outside.id}/qr`, { key })).status).toBe(404);
  });

  test('what it creates has the hashtag: alone, in bulk, by upsert and by import', async () => {
    const key = await tagged();
    const alone = await createLink(key, { hashtags: ['other'] });
    expect(alone.hashtags.sort()).toEqual(['other', TAG]);
    const slug = `u${randomBytes(5).toString('hex')}`;
    const link = { slug, destination_url: 'https://example.com/' };
    const { results } = (
      await api(key).bulk([
        { op: 'create', link: { destination_url: 'https://example.com/' } },
        { op: 'upsert', link },
      ])
    ).body;
    expect(results.map(({ status, link }) => [status, link?.hashtags])).toEqual([
      [201, [TAG]],
      [201, [TAG]],
    ]);
    const taken = { op: 'upsert', link: { ...link, slug: outside.slug } };
    expect((await api(key).bulk([taken])).body.results[0]!.status).toBe(422);
    const csv = 'destination_url,hashtags\nhttps://example.com/imported,winter\n';
    const headers = { 'content-type': 'text/csv' };
    const started = await request<Job>('/api/v1/jobs/import', { method: 'POST', key, body: csv, headers });
    expect(started.status).toBe(202);
    await eventually(async () => {
      const { body } = await api(key).list('?q=imported');
      expect(body.links.map(({ hashtags }) => [...hashtags].sort())).toEqual([[TAG, 'winter']]);
    });
  });

  test('a job sees and changes no other link, and other keys with a hashtag do not see the job', async () => {
    const key = await tagged();
    const edit = { kind: 'edit', filter: { q: 'needle' }, change: { note: 'seen' }, dry_run: true };
    const { status, body } = await request<Job>('/api/v1/jobs', { method: 'POST', key, json: edit });
    expect([status, body.matched]).toEqual([200, 1]);
    const byId = { kind: 'edit', filter: { ids: [inside.id, outside.id] }, change: { note: 'seen' }, dry_run: true };
    const second = await request<Job>('/api/v1/jobs', { method: 'POST', key, json: byId });
    expect([second.body.changed, second.body.refused]).toEqual([1, 1]);
    const other = await tagged();
    expect((await request(`/api/v1/jobs/${body.id}`, { key: other })).status).toBe(404);
    expect((await request(`/api/v1/jobs/${body.id}`, { key })).status).toBe(200);
    expect((await request(`/api/v1/jobs/${body.id}`, { key: account.live })).status).toBe(200);
  });

  test.each([
    ['an update', (key: string) => api(key).update(inside.id, { hashtags: ['summer'] })],
    ['an update to no hashtags', (key: string) => api(key).update(inside.id, { hashtags: [] })],
    ['a job that sets others', (key: string) => startEdit(key, { hashtags: ['summer'] })],
    ['a job that removes it', (key: string) => startEdit(key, { remove_hashtags: ['#Promo'] })],
    ['a job that replaces it', (key: string) => startEdit(key, { replace_hashtag: { from: TAG, to: 'x' } })],
  ] satisfies [string, (key: string) => Promise<Answer<unknown>>][])(
    '%s that takes the hashtag off is 403',
    async (_, ask) => {
      const { status, body } = await ask(await tagged());
      expect([status, body]).toEqual([
        403,
        { error: `This key is for links with the hashtag "${TAG}"; it may not take it off a link.` },
      ]);
      expect((await api(account.live).get(inside.id)).body.hashtags).toContain(TAG);
    },
  );

  test('an answer of another key is not repeated for the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') };
    const json = { destination_url: 'https://example.com/' };
    const keys = [account.live, await tagged(), await tagged()];
    const ids = new Set<string>();
    for (const key of [...keys, ...keys]) ids.add((await api(key).create(json, headers)).body.id);
    expect(ids.size).toBe(3);
  });
});

function startEdit(key: string, change: unknown): Promise<Answer<unknown>> {
  const json = { kind: 'edit', filter: { hashtag: TAG }, change };
  return request('/api/v1/jobs', { method: 'POST', key, json });
}

describe('rotation with grace', () => {
  const rotate = (owner: string, json?: unknown) =>
    request<{ key: string }>('/api/v1/me/keys/full_access/rotate', { method: 'POST', key: owner, json });

  test('the old key works beside the new one until the end; of two rotations only the last old key does', async () => {
    const other = await createAccount();
    const owner = await signIn(other.username);
    const second = (await rotate(owner, { grace_seconds: 3600 })).body.key;
    for (const key of [other.live, second]) expect((await api(key).me()).status).toBe(200);
    const { body } = await request<{ keys: unknown[] }>('/api/v1/me/keys', { key: owner });
    expect(body.keys[0]).toMatchObject({
      hint: `…${second.slice(-4)}`,
      old_key: { hint: `…${other.live.slice(-4)}`, expires_at: expect.any(String) },
    });
    const third = (await rotate(owner, { grace_seconds: 5 })).body.key;
    await refused(other.live);
    expect((await api(third).me()).status).toBe(200);
    await refused(second);
    expect((await api(third).me()).status).toBe(200);
    expect(
      (await request<{ keys: { old_key?: unknown }[] }>('/api/v1/me/keys', { key: owner })).body.keys[0]!.old_key,
    ).toBeUndefined();
  });

  test('revoking the key revokes the old one too, and a grace is at most a day', async () => {
    const other = await createAccount();
    const owner = await signIn(other.username);
    for (const grace_seconds of [-1, 86_401, 1.5, '60'])
      expect((await rotate(owner, { grace_seconds })).status).toBe(422);
    const second = (await rotate(owner, { grace_seconds: 86_400 })).body.key;
    expect((await request('/api/v1/me/keys/full_access', { method: 'DELETE', key: owner })).status).toBe(204);
    await refused(other.live);
    await refused(second);
  });
});
