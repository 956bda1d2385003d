import { type BulkResults, LINK_NOT_FOUND_MESSAGE, type Link } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectMcp, messageOfTool } from '../support/mcp.ts';
import {
  api,
  createAccount,
  createLink,
  eventually,
  follow,
  request,
  stack,
  type TestAccount,
} from '../support/world.ts';

// docs/api.md, Links: an id, a slug and a short URL name a link, through the gateway, over REST and MCP, and in the
// analytics. What they name while links change is in apps/links-svc/test/link-names.test.ts.

let account: TestAccount;
let mcp: Awaited<ReturnType<typeof connectMcp>>;
let hidden: Link;
let foreign: Link;
beforeAll(async () => {
  account = await createAccount();
  mcp = await connectMcp(account.live);
  hidden = await createLink(account.live, { visibility: 'private' });
  foreign = await createLink((await createAccount()).live, {});
});
afterAll(() => mcp?.close());

const namesOf = ({ id, slug, short_url }: Link) => [
  id,
  slug,
  slug.toUpperCase(),
  short_url,
  short_url.replace(/^https?:\/\//, ''),
  `${short_url.toUpperCase()}/?utm_source=${'x'.repeat(1_900)}#part`,
];
const pathOf = (name: string) => `/api/v1/links/${encodeURIComponent(name)}`;

test('a short URL in a path works as proxies leave it: decoded, and with one slash for two', async () => {
  const link = await createLink(account.live, {});
  const decoded = [link.short_url, link.short_url.replace('//', '/'), link.short_url.replace(/^https?:\/\//, '')];
  for (const path of decoded) {
    const { status, body } = await request<Link>(`/api/v1/links/${path}`, { key: account.live });
    expect([path, status, body.id]).toEqual([path, 200, link.id]);
  }
});

test('REST, tools and analytics find a link by each of its names', async () => {
  const link = await createLink(account.live, { slug: `Named-${Date.now().toString(36)}`, title: 'named' });
  await follow(link.slug);
  await eventually(async () => {
    expect((await api(account.live).analytics(`?link_id=${link.id}`)).body.clicks).toBe(1);
    expect((await api(account.live).get(link.id)).body.clicks).toBe(1);
  });
  const { body: shown } = await api(account.live).get(link.id);
  for (const name of namesOf(link)) {
    expect((await request(pathOf(name), { key: account.live })).body).toEqual(shown);
    expect((await request(`${pathOf(name)}/qr`, { key: account.live })).status).toBe(200);
    expect((await mcp.call<Link>('update_link', { id: name })).result).toEqual(shown);
    const analytics = await request(`/api/v1/analytics?link_id=${encodeURIComponent(name)}`, { key: account.live });
    expect(analytics.body).toMatchObject({ clicks: 1, link_id: name, top_links: [{ id: link.id }] });
    expect((await mcp.call('get_analytics', { link_id: name })).result).toEqual(analytics.body);
    const operations = [{ op: 'update', id: name, link: {} }];
    const results = [{ status: 200, link: shown }];
    expect((await api(account.live).bulk(operations)).body).toEqual({ results });
    expect((await mcp.call<BulkResults>('bulk_edit_links', { operations })).result).toEqual({ results });
  }
});

test('a tool deletes a link by its slug, and returns its id', async () => {
  const [one, other] = [await createLink(account.live, {}), await createLink(account.live, {})];
  expect((await mcp.call('delete_link', { id: one.slug.toUpperCase() })).result).toEqual({ id: one.id, deleted: true });
  expect((await request(pathOf(other.short_url), { method: 'DELETE', key: account.live })).status).toBe(204);
  for (const { id, slug } of [one, other])
    for (const name of [id, slug]) expect((await api(account.live).delete(name)).status).toBe(404);
});

describe('what the key does not see is the same 404 by every name', () => {
  const unknown = () => ({ ...foreign, id: `${foreign.id.slice(0, -6)}zzzzzz`, slug: 'no-such-link' });
  test.each(['foreign', 'hidden', 'unknown'])('%s', async (which) => {
    const link = { foreign, hidden, unknown: unknown() }[which]!;
    const short_url = `${stack.publicUrl}/${link.slug}`;
    const key = account.public;
    const agent = await connectMcp(key);
    for (const name of namesOf({ ...link, short_url })) {
      const path = pathOf(name);
      const answers = [
        await request(path, { key }),
        await request(`${path}/qr`, { key }),
        await request(path, { method: 'PUT', key, json: { title: 'x' } }),
        await request(path, { method: 'PUT', key, json: {} }),
        await request(path, { method: 'DELETE', key }),
        await request(`/api/v1/analytics?link_id=${encodeURIComponent(name)}`, { key }),
      ];
      for (const { status, body } of answers) expect([status, body]).toEqual([404, { error: LINK_NOT_FOUND_MESSAGE }]);
      const operations = [
        { op: 'update', id: name, link: { title: 'x' } },
        { op: 'delete', id: name },
      ];
      const result = { status: 404, error: LINK_NOT_FOUND_MESSAGE };
      expect((await api(key).bulk(operations)).body).toEqual({ results: [result, result] });
      const text = messageOfTool(LINK_NOT_FOUND_MESSAGE);
      for (const [tool, args] of [
        ['update_link', { id: name, title: 'x' }],
        ['delete_link', { id: name }],
        ['get_analytics', { link_id: name }],
      ] as const)
        expect(await agent.call(tool, args)).toMatchObject({ isError: true, text });
    }
    await agent.close();
    expect((await api(account.live).get(hidden.id)).body).toEqual(hidden);
  });
});

test('the URL of another host, a path of this one, and any other text are 404', async () => {
  const { slug, short_url } = await createLink(account.live, {});
  const { host } = new URL(stack.publicUrl);
  for (const text of [
    `https://go.example.org/${slug}`,
    `http://me@${host}/${slug}`,
    `ftp://${host}/${slug}`,
    `${short_url}/more`,
    `${stack.publicUrl}/docs`,
    `/${slug}`,
    `${slug} `,
  ])
    expect((await request(pathOf(text), { key: account.live })).status, text).toBe(404);
});

test('a text of any length is 404 in a path, and the export stays a route', async () => {
  for (const length of [65, 1_025, 5_000, 14_000])
    expect(await request(pathOf('x'.repeat(length)), { key: account.live })).toMatchObject({
      status: 404,
      body: { error: LINK_NOT_FOUND_MESSAGE },
    });
  const response = await request('/api/v1/links/export?format=ndjson', { key: account.live });
  expect(response.headers.get('content-disposition')).toContain('links.ndjson');
});

test('an upsert creates a link and then changes it, over REST and MCP', async () => {
  const slug = `Upsert-${Date.now().toString(36)}`;
  const upsert = (link: object) => [{ op: 'upsert', link: { slug, ...link } }];
  const [created] = (await api(account.live).bulk(upsert({ destination_url: 'https://example.com/', title: 'T' }))).body
    .results;
  expect(created).toMatchObject({ status: 201, link: { slug, title: 'T' } });
  const changed = await mcp.call<BulkResults>('bulk_edit_links', {
    operations: upsert({ title: null, note: 'N', auto_meta: null, visibility: null, destination_url: null }),
  });
  expect(changed.result.results).toEqual([
    { status: 200, link: { ...created!.link, note: 'N', updated_at: expect.any(String) } },
  ]);
  const [emptied] = (await api(account.live).bulk(upsert({ title: null }))).body.results;
  expect(emptied).toMatchObject({ status: 200, link: { id: created!.link!.id, title: null, note: 'N' } });
  const operations = [{ op: 'upsert', link: { slug: hidden.slug, title: 'x' } }];
  const [taken] = (await api(account.public).bulk(operations)).body.results;
  expect(taken).toEqual({ status: 422, error: `"slug" "${hidden.slug}" is taken; choose another one.` });
});
