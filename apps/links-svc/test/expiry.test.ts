import { createLinkRequest, linkFromMessage, updateLinkRequest } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
