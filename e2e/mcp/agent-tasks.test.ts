import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Analytics, BulkResults, HashtagList, Job, Link, LinkList } from '@waymark/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectMcp } from '../support/mcp.ts';
import { recordClicks } from '../support/recorded-clicks.ts';
import { createAccount, createLink, eventually, follow } from '../support/world.ts';

// What users ask agents for. docs/mcp.md has a table of these tasks, which says how many calls each takes, and how many
// bytes a model writes and reads at most: its arguments, and the texts of the results.

interface Limit {
  calls: number;
  bytes: number;
}
const limits = new Map<string, Limit>();
const played = new Set<string>();
beforeAll(async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8');
  for (const [, task, calls, bytes] of page.matchAll(/^\| ([^|]+) \| (\d+) \| ([\d,]+) \|$/gm))
    limits.set(task!, { calls: Number(calls), bytes: Number(bytes!.replace(',', '')) });
});

let agent: Awaited<ReturnType<typeof connectAgent>>;
beforeEach(async () => {
  agent = await connectAgent();
  return () => agent.close();
});
afterAll(() => expect([...played].sort()).toEqual([...limits.keys()].sort()));

/** Connects as a new account, and counts the calls and the bytes of their arguments and texts. */
async function connectAgent() {
  const account = await createAccount();
  const mcp = await connectMcp(account.live);
  let figures = { calls: 0, bytes: 0 };
  return {
    key: account.live,
    username: account.username,
    /** Forgets the calls so far, but these. */
    begin(but = { calls: 0, bytes: 0 }) {
      figures = { ...but };
    },
    /** Returns the figures since then. */
    figures: () => ({ ...figures }),
    /** Checks that the calls since then are what docs/mcp.md says about this task. */
    finish(task: string) {
      const limit = limits.get(task);
      expect(limit, `docs/mcp.md has no task "${task}"`).toBeDefined();
      played.add(task);
      expect(figures.calls, task).toBe(limit!.calls);
      expect(figures.bytes, task).toBeLessThanOrEqual(limit!.bytes);
    },
    close: () => mcp.close(),
    async call<Result>(name: string, args: Record<string, unknown> = {}): Promise<Result> {
      const { isError, text, result } = await mcp.call<Result>(name, args);
      expect(isError, text).toBe(false);
      figures.calls += 1;
      figures.bytes += Buffer.byteLength(JSON.stringify(args)) + Buffer.byteLength(text);
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

/** Creates links of a host over REST, a hundred in a request. */
async function createMany(count: number, linkOf: (i: number) => object): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const operations = Array.from({ length: Math.min(100, count - from) }, (_, i) => ({
      op: 'create',
      link: linkOf(from + i),
    }));
    await agent.call('bulk_edit_links', { operations, fields: 'id' });
  }
}

/** Edits many links, after a dry run: the only two calls of a task. */
async function editMany(filter: object, change: object): Promise<Job> {
  agent.begin();
  const dry = await agent.call<Job>('edit_links', { kind: 'edit', filter, change, dry_run: true });
  const job = await agent.call<Job>('edit_links', { kind: 'edit', filter, change });
  expect(job.state).toBe('done');
  expect([dry.matched, dry.changed]).toEqual([job.matched, job.changed]);
  return job;
}

test('shorten twelve URLs', async () => {
  const operations = Array.from({ length: 12 }, (_, i) => ({ op: 'create', link: campaignLink('example.com', i) }));
  agent.begin();
  const { results } = await agent.call<BulkResults>('bulk_edit_links', { operations, fields: 'short_url' });
  agent.finish('Shorten twelve URLs, with titles, descriptions and hashtags');
  expect(results.map(({ status, link }) => [status, Object.keys(link!)])).toEqual(
    operations.map(() => [201, ['id', 'short_url']]),
  );
});

test('change where a slug leads', async () => {
  const { slug } = await createLink(agent.key, campaignLink('example.com', 1));
  agent.begin();
  const changed = await agent.call<Link>('update_link', { id: slug, destination_url: 'https://example.com/new' });
  agent.finish('Change where a slug leads');
  expect(changed.destination_url).toBe('https://example.com/new');
});

test('find the duplicates of a URL among 150 links, and delete all but the oldest', async () => {
  await createMany(150, (i) => campaignLink('example.com', i % 75 === 0 ? 0 : i));
  agent.begin();
  const found = await agent.call<LinkList>('list_links', {
    destination_url: campaignLink('example.com', 0).destination_url,
    fields: 'slug,clicks',
    dir: 'asc',
  });
  const operations = found.links.slice(1).map(({ id }) => ({ op: 'delete', id }));
  await agent.call('bulk_edit_links', { operations });
  agent.finish('Find the duplicates of a URL among 150 links, and delete all but the oldest');
  expect(operations).toHaveLength(1);
  expect((await agent.call<LinkList>('list_links', { per: 1 })).total).toBe(149);
});

test('find the 24 links among 150 that share a destination', async () => {
  await createMany(150, (i) => campaignLink('example.com', i < 12 ? 149 - i : i));
  agent.begin();
  const query = { duplicates: 'true', sort: 'destination_url', dir: 'asc', fields: 'destination_url', per: 100 };
  const { links } = await agent.call<LinkList>('list_links', query);
  agent.finish('Find the 24 links among 150 that share a destination');
  expect(links).toHaveLength(24);
  const byUrl = Map.groupBy(links, (link) => link.destination_url);
  expect([...byUrl.values()].map((same) => same.length)).toEqual(Array.from({ length: 12 }, () => 2));
  expect(links).toEqual([...byUrl.values()].flat());
});

test('find the link that lost most week over week', async () => {
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
    agent.begin();
    const { top_links, ...analytics } = await agent.call<Analytics>('get_analytics', query);
    expect([analytics.clicks, analytics.previous?.clicks]).toEqual([16, 16]);
    expect(top_links.map(({ id, clicks, previous_clicks }) => [id, clicks, previous_clicks])).toEqual([
      [losing.id, 2, 7],
      [steady.id, 8, 8],
      [gaining.id, 6, 1],
    ]);
  });
  agent.finish('Find the link that lost most clicks, week over week');
});

test('move all links of a host', async () => {
  await createMany(22, (i) => campaignLink('old.example.com', i));
  await createMany(3, (i) => campaignLink('new.example.com', i));
  const replace_host = { from: 'old.example.com', to: 'new.example.com' };
  expect((await editMany({ domain: 'old.example.com', archived: 'any' }, { replace_host })).changed).toBe(22);
  agent.finish('Move all links of a host to another host');
  expect((await agent.call<LinkList>('list_links', { domain: 'new.example.com' })).total).toBe(25);
});

test('rename a hashtag on 800 links', async () => {
  await createMany(800, (i) => campaignLink('example.com', i));
  const replace_hashtag = { from: 'summer', to: 'summer-2026' };
  expect((await editMany({ hashtag: 'summer', archived: 'any' }, { replace_hashtag })).changed).toBe(800);
  agent.finish('Rename a hashtag on 800 links');
  expect((await agent.call<LinkList>('list_links', { hashtag: 'summer-2026', per: 1 })).total).toBe(800);
});

test('undo an edit of many links', async () => {
  await createMany(120, (i) => campaignLink('example.com', i));
  const edit = await editMany({ hashtag: 'summer' }, { replace_hashtag: { from: 'summer', to: 'winter' } });
  agent.begin();
  const undo = await agent.call<Job>('undo_job', { id: edit.id });
  agent.finish('Undo an edit of many links');
  expect(undo).toMatchObject({ kind: 'undo', state: 'done', matched: 120, changed: 120 });
  const { hashtags } = await agent.call<HashtagList>('list_hashtags');
  expect(hashtags.map(({ hashtag }) => hashtag)).not.toContain('winter');
  expect(hashtags).toContainEqual({ hashtag: 'summer', links: 120, clicks: 0 });
});

test('archive what nobody clicked', async () => {
  await createMany(80, (i) => campaignLink('example.com', i));
  const { slug, id } = await createLink(agent.key, {});
  await follow(slug);
  await eventually(async () => {
    const { links } = await agent.call<LinkList>('list_links', { q: slug, fields: 'last_clicked_at' });
    expect(links[0]!.last_clicked_at).not.toBeNull();
  });
  expect((await editMany({ last_clicked_before: '2001-01-01' }, { archived: true })).changed).toBe(80);
  agent.finish('Archive what nobody clicked');
  expect(await agent.call<LinkList>('list_links', { fields: 'id' })).toMatchObject({ links: [{ id }], total: 1 });
});

test('report a month by source and country', async () => {
  const link = await createLink(agent.key, {});
  for (const source of ['mail', 'mail', 'flyer']) await follow(`${link.slug}?utm_source=${source}`);
  await eventually(async () => {
    agent.begin();
    const query = { days: 30, cross: 'source,country' };
    const { cross } = await agent.call<Analytics>('get_analytics', query);
    expect(cross).toMatchObject([
      { source: 'mail', country: null, clicks: 2 },
      { source: 'flyer', country: null, clicks: 1 },
    ]);
  });
  agent.finish('Report a month by source and country');
});

test('make a campaign of five links, and report it', async () => {
  const sources = ['mail', 'flyer', 'poster', 'radio', 'search'];
  const operations = sources.map((source) => ({
    op: 'create',
    link: {
      destination_url: `https://example.com/launch?utm_source=${source}&utm_campaign=launch`,
      title: `Launch, ${source}`,
      hashtags: ['launch'],
    },
  }));
  agent.begin();
  const { results } = await agent.call<BulkResults>('bulk_edit_links', { operations, fields: 'slug' });
  const ofMaking = agent.figures();
  for (const { link } of results.slice(0, 2)) await follow(link!.slug);
  await eventually(async () => {
    agent.begin(ofMaking);
    const report = await agent.call<Analytics>('get_analytics', { hashtag: 'launch', days: 7 });
    expect(report.sources).toEqual([
      { source: 'flyer', clicks: 1 },
      { source: 'mail', clicks: 1 },
    ]);
  });
  agent.finish('Make a campaign of five links, and report its week');
});

test('draw a QR code', async () => {
  const { slug } = await createLink(agent.key, {});
  agent.begin();
  await agent.call('get_qr_code', { id: slug });
  agent.finish('Draw the QR code of a slug');
});

test('find what has expired', async () => {
  await createMany(30, (i) => ({ ...campaignLink('example.com', i), ...(i < 5 && { expires_at: EXPIRED }) }));
  agent.begin();
  const found = await agent.call<LinkList>('list_links', { expired: 'true', fields: 'slug,expires_at' });
  agent.finish('Find the five links that have expired');
  expect(found.total).toBe(5);
});
const EXPIRED = '2020-01-01T00:00:00Z';

test('extend the links that have expired to one day', async () => {
  await createMany(30, (i) => ({ ...campaignLink('example.com', i), ...(i < 5 && { expires_at: EXPIRED }) }));
  const expires_at = new Date(Date.now() + YEAR_MS).toISOString();
  expect((await editMany({ expired: 'true', archived: 'any' }, { expires_at })).changed).toBe(5);
  agent.finish('Extend the five links that have expired to one day');
  expect((await agent.call<LinkList>('list_links', { expired: 'false', per: 1 })).total).toBe(30);
});

test('extend the links that have expired, each by the same time', async () => {
  const later = (expired: string) => new Date(Date.parse(expired) + 30 * YEAR_MS).toISOString();
  const times = Array.from({ length: 5 }, (_, i) => `201${i}-01-01T00:00:00.000Z`);
  await createMany(30, (i) => ({ ...campaignLink('example.com', i), ...(i < 5 && { expires_at: times[i] }) }));
  agent.begin();
  const found = await agent.call<LinkList>('list_links', { expired: 'true', fields: 'expires_at' });
  const operations = found.links.map(({ id, expires_at }) => ({
    op: 'update',
    id,
    link: { expires_at: later(expires_at!) },
  }));
  const { results } = await agent.call<BulkResults>('bulk_edit_links', { operations, fields: 'expires_at' });
  agent.finish('Extend the five links that have expired, each by 30 years');
  expect(results.map(({ link }) => link!.expires_at).sort()).toEqual(times.map(later));
});
const YEAR_MS = 365 * 86_400_000;

test('summarise 1,000 links by topic', async () => {
  await createMany(1_000, (i) => ({ destination_url: 'https://example.com/', hashtags: [`topic-${i % 40}`, 'all'] }));
  agent.begin();
  const { hashtags } = await agent.call<HashtagList>('list_hashtags');
  agent.finish('Summarise 1,000 links by topic');
  expect(hashtags).toHaveLength(41);
});

test('what a failed operation says lets a model correct it', async () => {
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
});
