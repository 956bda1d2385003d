import type { Analytics, BulkResults, LinkList } from '@waymark/contract';
import { expect, test } from 'vitest';
import { connectMcp } from '../support/mcp.ts';
import { createAccount, createLink, eventually, follow } from '../support/world.ts';

// What users ask agents for, and how many calls it takes an agent at most.

/** Connects as a new account and counts the calls. */
async function connectAgent() {
  const account = await createAccount();
  const mcp = await connectMcp(account.live);
  let calls = 0;
  return {
    key: account.live,
    calls: () => calls,
    close: () => mcp.close(),
    async call<Result>(name: string, args: Record<string, unknown>): Promise<Result> {
      calls += 1;
      const { isError, text, result } = await mcp.call<Result>(name, args);
      expect(isError, text).toBe(false);
      return result;
    },
  };
}

test('shorten twelve URLs with tags: at most 2 calls', async () => {
  const agent = await connectAgent();
  const operations = Array.from({ length: 12 }, (_, i) => ({
    op: 'create',
    link: { destination_url: `https://example.com/${i}`, hashtags: ['launch', `part-${i % 3}`] },
  }));
  const { results } = await agent.call<BulkResults>('bulk_edit_links', { operations });
  expect(results.map(({ status, link }) => [status, link?.destination_url])).toEqual(
    operations.map(({ link }) => [201, link.destination_url]),
  );
  expect(agent.calls()).toBeLessThanOrEqual(2);
  await agent.close();
});

test('find the link that lost most clicks: at most 2 calls', async () => {
  const agent = await connectAgent();
  const [popular] = [await createLink(agent.key, {}), await createLink(agent.key, {})];
  for (let i = 0; i < 3; i++) await follow(popular.slug);
  await eventually(async () => {
    const before = agent.calls();
    const analytics = await agent.call<Analytics>('get_analytics', {
      days: 7,
      include: 'previous',
      top_by: 'decline',
      top: 1,
    });
    expect(agent.calls() - before).toBeLessThanOrEqual(2);
    expect(analytics.top_links[0]).toMatchObject({ id: popular.id, clicks: 3, previous_clicks: 0 });
  });
  await agent.close();
});

test('move all links of a host: at most 3 calls', async () => {
  const agent = await connectAgent();
  const create = (host: string, count: number) => ({
    operations: Array.from({ length: count }, (_, i) => ({
      op: 'create',
      link: { destination_url: `https://${host}/page/${i}?a=b` },
    })),
  });
  await agent.call('bulk_edit_links', create('old.example.com', 22));
  await agent.call('bulk_edit_links', create('new.example.com', 3));
  const before = agent.calls();
  const { links, total } = await agent.call<LinkList>('list_links', { domain: 'old.example.com', per: 100 });
  expect([links.length, total]).toEqual([22, 22]);
  const { results } = await agent.call<BulkResults>('bulk_edit_links', {
    operations: links.map(({ id, destination_url }) => ({
      op: 'update',
      id,
      link: { destination_url: destination_url.replace('old.', 'new.') },
    })),
  });
  expect(results.every(({ status }) => status === 200)).toBe(true);
  expect(agent.calls() - before).toBeLessThanOrEqual(3);
  expect((await agent.call<LinkList>('list_links', { domain: 'old.example.com' })).total).toBe(0);
  expect((await agent.call<LinkList>('list_links', { domain: 'new.example.com' })).total).toBe(25);
  await agent.close();
});

test('archive what nobody clicks: at most 3 calls', async () => {
  const agent = await connectAgent();
  const operations = Array.from({ length: 80 }, (_, i) => ({
    op: 'create',
    link: { destination_url: `https://example.com/${i}` },
  }));
  const { results } = await agent.call<BulkResults>('bulk_edit_links', { operations });
  const clicked = results[7]!.link!;
  await follow(clicked.slug);
  const unclicked = { last_clicked_before: '2100-01-01', fields: 'last_clicked_at', per: 100 };
  await eventually(async () => {
    const { links } = await agent.call<LinkList>('list_links', unclicked);
    expect(links.find(({ id }) => id === clicked.id)?.last_clicked_at).not.toBeNull();
  });
  const before = agent.calls();
  const { links } = await agent.call<LinkList>('list_links', {
    last_clicked_before: '2001-01-01',
    fields: 'id',
    per: 100,
  });
  expect(links).toHaveLength(79);
  expect(Object.keys(links[0]!)).toEqual(['id']);
  const archived = await agent.call<BulkResults>('bulk_edit_links', {
    operations: links.map(({ id }) => ({ op: 'update', id, link: { archived: true } })),
  });
  expect(archived.results.every(({ status, link }) => status === 200 && link!.archived)).toBe(true);
  expect(agent.calls() - before).toBeLessThanOrEqual(3);
  expect(await agent.call<LinkList>('list_links', { fields: 'id' })).toMatchObject({
    links: [{ id: clicked.id }],
    total: 1,
  });
  await agent.close();
});

test('report a month by source and country: at most 2 calls', async () => {
  const agent = await connectAgent();
  const link = await createLink(agent.key, {});
  for (const source of ['mail', 'mail', 'flyer']) await follow(`${link.slug}?utm_source=${source}`);
  await eventually(async () => {
    const before = agent.calls();
    const analytics = await agent.call<Analytics>('get_analytics', { days: 30, include: 'countries' });
    expect(agent.calls() - before).toBeLessThanOrEqual(2);
    expect(analytics.sources).toEqual([
      { source: 'mail', clicks: 2 },
      { source: 'flyer', clicks: 1 },
    ]);
    expect(analytics.countries).toEqual([{ country: null, clicks: 3 }]);
  });
  await agent.close();
});

test('what a failed operation says lets a model correct it', async () => {
  const agent = await connectAgent();
  const link = await createLink(agent.key, { slug: `hint-${Date.now().toString(36)}` });
  const { results } = await agent.call<BulkResults>('bulk_edit_links', {
    operations: [
      { op: 'delete', id: link.slug },
      { op: 'update', id: link.id, link: { url: 'https://example.com/' } },
      { op: 'create', link: { destination_url: 'example.com' } },
      { op: 'create', destination_url: 'https://example.com/' },
      { op: 'archive', id: link.id },
    ],
  });
  expect(results.map(({ status }) => status)).toEqual([404, 422, 422, 422, 422]);
  const errors = results.map(({ error }) => error);
  expect(errors[0]).toContain('An id comes from list_links; a slug is not an id.');
  expect(errors[1]).toContain('"url" is not a known field; the known ones are');
  expect(errors[2]).toContain('"destination_url" must be an absolute http or https URL');
  expect(errors[3]).toContain('"destination_url" is not a known field; the known ones are op, id, link');
  expect(errors[4]).toContain('"op" must be one of create, update, delete');
  await agent.close();
});
