import type { Analytics, BulkResults, LinkList } from '@waymark/contract';
import { expect, test } from 'vitest';
import { connectMcp } from '../support/mcp.ts';
import { recordClicks } from '../support/recorded-clicks.ts';
import { createAccount, createLink, eventually, follow } from '../support/world.ts';

// What users ask agents for, and how many calls and bytes it takes an agent at most. The bytes are those of the texts
// that a model reads. With six tools, without filters, `fields` and bulk edits, the tasks took 12 calls, were impossible,
// took 24 calls and 55 kB, 82 calls and 45 kB read, and were impossible.

const THIRD_OF_MOVING = 55_000 / 3;
const THIRD_OF_ARCHIVING = 45_000 / 3;

/** Connects as a new account, and counts the calls and the bytes of their texts. */
async function connectAgent() {
  const account = await createAccount();
  const mcp = await connectMcp(account.live);
  let figures = { calls: 0, sent: 0, read: 0 };
  return {
    key: account.live,
    username: account.username,
    /** Returns the figures since this was called last. */
    figures() {
      const since = figures;
      figures = { calls: 0, sent: 0, read: 0 };
      return since;
    },
    close: () => mcp.close(),
    async call<Result>(name: string, args: Record<string, unknown>): Promise<Result> {
      const { isError, text, result } = await mcp.call<Result>(name, args);
      expect(isError, text).toBe(false);
      figures.calls += 1;
      figures.sent += Buffer.byteLength(JSON.stringify(args));
      figures.read += Buffer.byteLength(text);
      return result;
    },
  };
}

/** A link as campaigns have them, with a long destination. */
const campaignLink = (host: string, i: number) => ({
  destination_url: `https://${host}/shop/summer/offers/item-${i}?utm_source=newsletter&utm_medium=email&utm_campaign=summer-${i}`,
  title: `Summer offers, part ${i}: everything for the garden`,
  description: 'What is on offer in the third week of July, for subscribers of the newsletter.',
  hashtags: ['summer', 'newsletter', `part-${i % 3}`],
});
const creations = (host: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ op: 'create', link: campaignLink(host, i) }));

test('shorten twelve URLs with tags: at most 2 calls, and a third of the bytes read', async () => {
  const agent = await connectAgent();
  const operations = creations('example.com', 12);
  for (const { link } of operations) await agent.call('create_link', link);
  const before = agent.figures();
  expect(before.calls).toBe(12);
  const { results } = await agent.call<BulkResults>('bulk_edit_links', { operations, fields: 'short_url' });
  const after = agent.figures();
  expect(results.map(({ status, link }) => [status, Object.keys(link!)])).toEqual(
    operations.map(() => [201, ['id', 'short_url']]),
  );
  expect(after.calls).toBeLessThanOrEqual(2);
  expect(after.read).toBeLessThanOrEqual(before.read / 3);
  await agent.close();
});

test('find the link that lost most week over week: at most 2 calls', async () => {
  const agent = await connectAgent();
  const [steady, losing, gaining] = [
    await createLink(agent.key, { title: 'steady' }),
    await createLink(agent.key, { title: 'losing' }),
    await createLink(agent.key, { title: 'gaining' }),
  ];
  const clicks = (linkId: string, daysAgo: number, count: number) =>
    Array.from({ length: count }, () => ({ linkId, at: new Date(Date.now() - daysAgo * 86_400_000) }));
  // Far enough from the ends of both weeks that a midnight during the test changes nothing.
  await recordClicks(agent.username, [
    ...clicks(losing.id, 12, 3),
    ...clicks(losing.id, 9, 4),
    ...clicks(losing.id, 3, 2),
    ...clicks(gaining.id, 10, 1),
    ...clicks(gaining.id, 2, 6),
    ...clicks(steady.id, 11, 8),
    ...clicks(steady.id, 4, 8),
  ]);
  const query = { days: 7, include: 'previous', top_by: 'decline', top: 3 };
  await eventually(async () => {
    agent.figures();
    const { top_links, ...analytics } = await agent.call<Analytics>('get_analytics', query);
    expect(agent.figures().calls).toBeLessThanOrEqual(2);
    expect([analytics.clicks, analytics.previous?.clicks]).toEqual([16, 16]);
    expect(top_links.map(({ id, clicks, previous_clicks }) => [id, clicks, previous_clicks])).toEqual([
      [losing.id, 2, 7],
      [steady.id, 8, 8],
      [gaining.id, 6, 1],
    ]);
  });
  await agent.close();
});

test('move all links of a host: at most 3 calls, and a third of the bytes', async () => {
  const agent = await connectAgent();
  await agent.call('bulk_edit_links', { operations: creations('old.example.com', 22) });
  await agent.call('bulk_edit_links', { operations: creations('new.example.com', 3) });
  agent.figures();
  const { links, total } = await agent.call<LinkList>('list_links', {
    domain: 'old.example.com',
    fields: 'destination_url',
    per: 100,
  });
  expect([links.length, total]).toEqual([22, 22]);
  const { results } = await agent.call<BulkResults>('bulk_edit_links', {
    operations: links.map(({ id, destination_url }) => ({
      op: 'update',
      id,
      link: { destination_url: destination_url.replace('old.', 'new.') },
    })),
    fields: 'id',
  });
  const { calls, sent, read } = agent.figures();
  expect(results).toEqual(links.map(({ id }) => ({ status: 200, link: { id } })));
  expect(calls).toBeLessThanOrEqual(3);
  expect(sent + read).toBeLessThanOrEqual(THIRD_OF_MOVING);
  expect((await agent.call<LinkList>('list_links', { domain: 'old.example.com' })).total).toBe(0);
  expect((await agent.call<LinkList>('list_links', { domain: 'new.example.com' })).total).toBe(25);
  await agent.close();
});

test('archive what nobody clicks: at most 3 calls, and a third of the bytes read', async () => {
  const agent = await connectAgent();
  const operations = creations('example.com', 80);
  const { results } = await agent.call<BulkResults>('bulk_edit_links', { operations });
  const clicked = results[7]!.link!;
  await follow(clicked.slug);
  const unclicked = { last_clicked_before: '2100-01-01', fields: 'last_clicked_at', per: 100 };
  await eventually(async () => {
    const { links } = await agent.call<LinkList>('list_links', unclicked);
    expect(links.find(({ id }) => id === clicked.id)?.last_clicked_at).not.toBeNull();
  });
  agent.figures();
  const { links } = await agent.call<LinkList>('list_links', {
    last_clicked_before: '2001-01-01',
    fields: 'id',
    per: 100,
  });
  expect(links).toHaveLength(79);
  expect(Object.keys(links[0]!)).toEqual(['id']);
  const archived = await agent.call<BulkResults>('bulk_edit_links', {
    operations: links.map(({ id }) => ({ op: 'update', id, link: { archived: true } })),
    fields: 'archived',
  });
  const { calls, read } = agent.figures();
  expect(archived.results).toEqual(links.map(({ id }) => ({ status: 200, link: { id, archived: true } })));
  expect(calls).toBeLessThanOrEqual(3);
  expect(read).toBeLessThanOrEqual(THIRD_OF_ARCHIVING);
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
    agent.figures();
    const analytics = await agent.call<Analytics>('get_analytics', { days: 30, include: 'countries' });
    expect(agent.figures().calls).toBeLessThanOrEqual(2);
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
      { op: 'delete', id: `${link.slug}-2` },
      { op: 'update', id: link.slug, link: { url: 'https://example.com/' } },
      { op: 'create', link: { destination_url: 'example.com' } },
      { op: 'create', destination_url: 'https://example.com/' },
      { op: 'archive', id: link.id },
    ],
  });
  expect(results.map(({ status }) => status)).toEqual([404, 422, 422, 422, 422]);
  const errors = results.map(({ error }) => error);
  expect(errors[0]).toContain('Find its id, slug or short URL with list_links.');
  expect(errors[1]).toContain('"url" is not a known field; the known ones are');
  expect(errors[2]).toContain('"destination_url" must be an absolute http or https URL');
  expect(errors[3]).toContain('"destination_url" is not a known field; the known ones are op, id, link');
  expect(errors[4]).toContain('"op" must be one of create, update, upsert, delete');
  await agent.close();
});
