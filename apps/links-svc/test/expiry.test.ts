import { createLinkRequest, linkFromMessage, updateLinkRequest } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventsOf } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Links: the fields `expires_at` and `expired_url`. redirects.test.ts has what visitors of expired links get.

const MOMENT = '2027-01-31T12:00:00.000Z';
const expired_url = 'https://example.com/over';
const destination_url = 'https://example.com/';

let nowMs = Date.parse(MOMENT) - 1;
const now = () => nowMs;
let service: Service;
let replica: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start({ now });
  replica = await Service.start({ now, databaseName: service.databaseName });
  account = await service.createAccount();
});
afterAll(async () => {
  await replica.close();
  await service.close();
});

const visit = async (at: Service, slug: string) => {
  const response = await fetch(`${at.origin}/${slug}`, { redirect: 'manual' });
  return [response.status, response.headers.get('location')];
};

test('each replica follows a link until the millisecond of expires_at, and its expired_url from then on', async () => {
  const { slug, expires_at } = await service.createLink(account.live, {
    expires_at: '2027-01-31T14:00:00+02:00',
    expired_url,
  });
  expect(expires_at).toBe(MOMENT);
  nowMs = Date.parse(MOMENT) - 1;
  for (const one of [service, replica]) expect(await visit(one, slug)).toEqual([302, destination_url]);
  nowMs = Date.parse(MOMENT);
  for (const one of [service, replica]) expect(await visit(one, slug)).toEqual([302, expired_url]);
});

test('"" and null empty expires_at and expired_url, over REST and gRPC', async () => {
  const fields = { destination_url, expires_at: MOMENT, expired_url, archived: true };
  const options = await service.as(account.public);
  const { link } = await service.links.createLink(createLinkRequest(fields), options);
  const created = linkFromMessage(link);
  expect(created).toMatchObject(fields);
  const kept = await service.links.updateLink(updateLinkRequest(created.id, { title: 'x' }), options);
  expect(linkFromMessage(kept.link)).toMatchObject({ ...fields, title: 'x' });
  const emptied = await service.links.updateLink(
    updateLinkRequest(created.id, { expires_at: '', expired_url: '', archived: false }),
    options,
  );
  const empty = { expires_at: null, expired_url: null, archived: false };
  expect(linkFromMessage(emptied.link)).toMatchObject(empty);
  await service.update(account.live, created.id, fields);
  expect((await service.update(account.live, created.id, { expires_at: null, expired_url: null })).body).toMatchObject({
    ...empty,
    archived: true,
  });
});

describe('expires_at is RFC 3339 and at most 100 years ahead', () => {
  const year = new Date().getUTCFullYear();
  test.each([
    '2026-02-30T00:00:00Z',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00+24:00',
    '0001-01-01T00:00:00+01:00',
    `${year + 101}-01-01T00:00:00Z`,
    'tomorrow',
  ])('%s is refused', async (expires_at) => {
    const answer = await service.create(account.live, { destination_url, expires_at });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatch(/^"expires_at" must be a time such as 2027-01-31T12:00:00Z, at most 100 years/);
  });
  test.each([
    ['1999-12-31t23:59:59.9999z', '1999-12-31T23:59:59.999Z'],
    ['2024-02-29T00:00:00-23:59', '2024-02-29T23:59:00.000Z'],
    [`${year + 99}-12-31T00:00:00Z`, `${year + 99}-12-31T00:00:00.000Z`],
  ])('%s is shown as %s', async (expires_at, shown) => {
    expect((await service.createLink(account.live, { expires_at })).expires_at).toBe(shown);
  });
});

test('expired_url has the rules of destination_url', async () => {
  for (const url of [
    'ftp://example.com/',
    'https://user@example.com/',
    '/over',
    `https://example.com/${'x'.repeat(2_048)}`,
  ])
    expect((await service.create(account.live, { destination_url, expired_url: url })).status).toBe(422);
});

// docs/api.md, Limited links
describe('`max_clicks`', () => {
  /** Visits a slug on both replicas from 64 connections, so often together, and returns how many were redirected. */
  const visitTogether = async (slug: string, visits: number) => {
    let [left, redirected] = [visits, 0];
    const visitor = async (_: unknown, n: number) => {
      while (left-- > 0) if ((await visit(n % 2 === 0 ? service : replica, slug))[0] === 302) redirected += 1;
    };
    await Promise.all(Array.from({ length: 64 }, visitor));
    return redirected;
  };
  const limits = (link_id: string) => service.database.collections.clickLimits.countDocuments({ link_id });
  const expired = async (id: string) =>
    (await eventsOf(service.database, account.id)).filter(
      ({ type, link_id }) => type === 'link.expired' && link_id === id,
    );
  const isListed = async (id: string, query: Record<string, string>) =>
    (await replica.list(account.live, { per: '100', ...query })).body.links.some((link) => link.id === id);

  test('allows exactly so many redirects on two replicas, then the link has expired, with one event', async () => {
    const link = await service.createLink(account.live, { max_clicks: 150, title: 'few' });
    expect(await isListed(link.id, { expired: 'false' })).toBe(true);
    expect(await visitTogether(link.slug, 400)).toBe(150);
    expect(await limits(link.id)).toBe(0);
    expect(await visitTogether(link.slug, 10)).toBe(0);
    expect((await visit(service, link.slug))[0]).toBe(410);
    for (const query of [{}, { q: 'few' }]) {
      expect(await isListed(link.id, { ...query, expired: 'true' })).toBe(true);
      expect(await isListed(link.id, { ...query, expired: 'false' })).toBe(false);
    }
    expect((await expired(link.id)).map(({ data }) => data)).toMatchObject([
      { link: { id: link.id, expires_at: null } },
    ]);
    expect((await service.get(account.live, link.id)).body).toMatchObject({ max_clicks: 150, expires_at: null });
  });

  test('once the last redirect was answered, lists and the page of the link know that it has expired', async () => {
    const link = await service.createLink(account.live, { max_clicks: 2 });
    const isPage = async () => (await visit(service, `${link.slug}+`))[0];
    expect([await visit(service, link.slug), await isPage()]).toEqual([[302, destination_url], 200]);
    expect((await visit(service, link.slug))[0]).toBe(302);
    expect(await isListed(link.id, { expired: 'true' })).toBe(true);
    expect(await isListed(link.id, { expired: 'false' })).toBe(false);
    expect([await isPage(), await limits(link.id), (await expired(link.id)).length]).toEqual([404, 0, 1]);
  });

  test('what a killed replica left spent expires too', async () => {
    const link = await service.createLink(account.live, { max_clicks: 2 });
    await service.database.collections.clickLimits.updateOne({ link_id: link.id }, { $set: { left: 0 } });
    await expect.poll(async () => (await expired(link.id)).length).toBe(1);
    expect((await visit(replica, link.slug))[0]).toBe(410);
  });

  test('a replica whose clock is a minute behind redirects nobody more', async () => {
    const late = await Service.start({ now: () => nowMs - 60_000, databaseName: service.databaseName });
    const link = await service.createLink(account.live, { max_clicks: 1 });
    expect((await visit(service, link.slug))[0]).toBe(302);
    expect((await visit(late, link.slug))[0]).toBe(410);
    await late.close();
  });

  test('counts from the moment it was set: another value begins anew, no other change does, and null removes it', async () => {
    const link = await service.createLink(account.live, { max_clicks: 3 });
    expect(await visitTogether(link.slug, 2)).toBe(2);
    await service.update(account.live, link.id, { title: 'T', max_clicks: 3, slug: `${link.slug}x` });
    expect(await visitTogether(`${link.slug}x`, 20)).toBe(1);
    await replica.update(account.live, link.id, { max_clicks: 5 });
    expect(await visitTogether(`${link.slug}x`, 20)).toBe(5);
    expect(await limits(link.id)).toBe(0);
    // The time of clients is another thing.
    const later = '2099-01-01T00:00:00.000Z';
    expect((await service.update(account.live, link.id, { expires_at: later })).body.expires_at).toBe(later);
    expect(await visitTogether(`${link.slug}x`, 20)).toBe(0);
    await service.update(account.live, link.id, { max_clicks: null });
    await expect.poll(() => visitTogether(`${link.slug}x`, 20)).toBe(20);
    expect(await isListed(link.id, { expired: 'false' })).toBe(true);
    nowMs = Date.parse(later);
    expect((await visit(service, `${link.slug}x`))[0]).toBe(410);
    nowMs = Date.parse(MOMENT);
  });

  test('a deleted link leaves no count', async () => {
    const { id } = await service.createLink(account.live, { max_clicks: 3 });
    expect(await limits(id)).toBe(1);
    await service.delete(account.live, id);
    expect(await limits(id)).toBe(0);
  });
});
