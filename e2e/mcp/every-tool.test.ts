import type { Analytics, BulkResults, Link, LinkList } from '@waymark/contract';
import { expect, test } from 'vitest';
import { connectMcp, messageOfTool } from '../support/mcp.ts';
import { api, createAccount, request } from '../support/world.ts';

test('an MCP client that sends only the header lists all tools and uses each of them', async () => {
  const account = await createAccount();
  const mcp = await connectMcp(account.live);

  const { tools } = await mcp.client.listTools();
  expect(tools.map((tool) => tool.name)).toEqual([
    'get_me',
    'list_links',
    'create_link',
    'update_link',
    'delete_link',
    'get_analytics',
    'bulk_edit_links',
    'get_qr_code',
    'edit_links',
    'get_job',
    'list_hashtags',
  ]);

  const rest = api(account.live);
  expect((await mcp.call('get_me')).result).toEqual((await rest.me()).body);

  const created = (
    await mcp.call<Link>('create_link', { destination_url: 'https://example.com/a', title: 'A', hashtags: ['#New'] })
  ).result;
  expect(created).toEqual((await rest.get(created.id)).body);

  const updated = (await mcp.call<Link>('update_link', { id: created.id, title: '', note: 'seen' })).result;
  expect(updated).toMatchObject({ id: created.id, title: null, note: 'seen', hashtags: ['new'] });
  expect(updated).toEqual((await rest.get(created.id)).body);

  const listed = (await mcp.call<LinkList>('list_links', { q: 'SEEN' })).result;
  expect(listed).toEqual((await rest.list('?q=SEEN')).body);
  expect(listed.total).toBe(1);

  expect((await mcp.call<Analytics>('get_analytics', { days: 7 })).result).toEqual(
    (await rest.analytics('?days=7')).body,
  );

  expect((await mcp.call('get_qr_code', { id: created.id })).result).toEqual({ short_url: created.short_url });

  const { results } = (await mcp.call<BulkResults>('bulk_edit_links', { operations: [{ op: 'delete', id: 'x' }] }))
    .result;
  expect(results.map(({ status }) => status)).toEqual([404]);

  expect((await mcp.call('delete_link', { id: created.id })).result).toEqual({ id: created.id, deleted: true });
  expect((await rest.get(created.id)).status).toBe(404);
  await mcp.close();
});

test('REST and MCP refuse with the same message, and MCP also says where an id comes from', async () => {
  const account = await createAccount();
  const mcp = await connectMcp(account.live);
  const cases: [string, Record<string, unknown>, () => Promise<{ status: number; body: unknown }>][] = [
    ['create_link', { destination_url: 'nope' }, () => api(account.live).create({ destination_url: 'nope' })],
    [
      'create_link',
      { destination_url: 'https://e.com', slug: 'api' },
      () => api(account.live).create({ destination_url: 'https://e.com', slug: 'api' }),
    ],
    ['update_link', { id: 'nothing', title: 'x' }, () => api(account.live).update('nothing', { title: 'x' })],
    ['delete_link', { id: 'nothing' }, () => api(account.live).delete('nothing')],
    ['list_links', { per: 101 }, () => api(account.live).list('?per=101')],
    ['get_analytics', { days: 0 }, () => api(account.live).analytics('?days=0')],
    ['get_analytics', { tz: 'Nowhere' }, () => api(account.live).analytics('?tz=Nowhere')],
  ];
  for (const [tool, args, rest] of cases) {
    const [viaMcp, viaRest] = [await mcp.call(tool, args), await rest()];
    expect(viaMcp.isError, tool).toBe(true);
    expect(viaRest.status).toBeGreaterThanOrEqual(400);
    expect(viaMcp.text).toBe(messageOfTool((viaRest.body as { error: string }).error));
  }
  await mcp.close();
});

test('GET and DELETE get 405, or 401 without a key', async () => {
  const { live } = await createAccount();
  for (const method of ['GET', 'DELETE']) {
    const answer = await request('/mcp', { method, key: live });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect((await request('/mcp', { method })).status).toBe(401);
  }
  const refused = await request('/mcp', { method: 'POST', body: 'not json' });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/);
  expect(refused.headers.get('www-authenticate')).not.toContain('resource_metadata');
});
