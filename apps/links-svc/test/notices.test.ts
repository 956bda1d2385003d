import type { HashtagList, LinkList } from '@waymark/contract';
import { hashtagListFromMessage, linkListFromMessage, listLinksRequest } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Lists and search: a list that is cut, empty or smaller than meant says why, over REST and gRPC alike.

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start();
  account = await service.createAccount();
  for (const [i, fields] of LINKS.entries())
    await service.create(account.live, { destination_url: `https://shop.example.com/${i}`, ...fields });
});
afterAll(() => service.close());

const LINKS = [
  { title: 'Summer sale', hashtags: ['press'] },
  { title: 'Winter sale', hashtags: ['press', 'old'], archived: true },
  { title: 'Spring', hashtags: ['old'], archived: true, visibility: 'private' },
  { title: 'Autumn', destination_url: 'https://shop.example.com/0' },
  { title: 'Hidden', destination_url: 'https://shop.example.com/0', visibility: 'private' },
  { title: 'Archived', destination_url: 'https://shop.example.com/0', archived: true },
];

async function listOf(query: Record<string, string>, identity = account.live): Promise<LinkList> {
  const { status, body } = await service.request<LinkList>(
    identity,
    'GET',
    `/api/v1/links?${new URLSearchParams(query)}`,
  );
  expect([status, body]).toEqual([200, expect.anything()]);
  const { fields: _fields, page, per, ...filters } = query;
  const request = listLinksRequest({
    ...filters,
    ...(page !== undefined && { page: Number(page) }),
    ...(per !== undefined && { per: Number(per) }),
  });
  const overGrpc = linkListFromMessage(await service.links.listLinks(request, await service.as(identity)));
  expect([overGrpc.total, overGrpc.notice]).toEqual([body.total, body.notice]);
  return body;
}
const noticeOf = async (query: Record<string, string>, identity = account.live) =>
  (await listOf(query, identity)).notice;

describe('archived links that also match', () => {
  test.each([
    [{ hashtag: 'press' }, '1 archived link also matches; send "archived" any to include it.'],
    [{ hashtag: 'old' }, '2 archived links also match; send "archived" any to include them.'],
    [{ q: 'sale' }, '1 archived link also matches; send "archived" any to include it.'],
    [{ q: '#old' }, '2 archived links also match; send "archived" any to include them.'],
    [{ domain: 'example.com' }, '3 archived links also match; send "archived" any to include them.'],
    [{}, '3 archived links also match; send "archived" any to include them.'],
  ])('are counted: %j', async (query, notice) => {
    expect(await noticeOf(query)).toBe(notice);
  });

  test('are those that the key sees', async () => {
    expect(await noticeOf({ hashtag: 'old' }, account.public)).toBe(
      '1 archived link also matches; send "archived" any to include it.',
    );
  });

  test.each([{ hashtag: 'old', archived: 'any' }, { archived: 'true' }, { q: 'autumn' }, { page: '2', per: '1' }])(
    'are not mentioned where there are none, they are listed, or a page before has said so: %j',
    async (query) => {
      expect(await listOf(query)).not.toHaveProperty('notice');
    },
  );

  test('have hashtags that the list of hashtags names', async () => {
    const { body } = await service.request<HashtagList>(account.live, 'GET', '/api/v1/hashtags');
    expect(body).toEqual({
      hashtags: [{ hashtag: 'press', links: 1, clicks: 0 }],
      notice:
        'Archived links are not counted, and some have hashtags; send "archived" any to list them. Only archived links have #old (2).',
    });
    const overGrpc = await service.links.listHashtags({}, await service.as(account.live));
    expect(hashtagListFromMessage(overGrpc)).toEqual(body);
    const asPublic = await service.request<HashtagList>(account.public, 'GET', '/api/v1/hashtags');
    expect(asPublic.body.notice).toContain('#old (1)');
  });
});

describe('what a list does not understand', () => {
  test.each([
    ['summer OR press', '"OR"'],
    ['summer AND press', '"AND"'],
    ['summer NOT press', '"NOT"'],
    ['summer | press', '"|"'],
    ['"summer sale"', '"\\"summer", "sale\\""'],
    ['summer*', '"summer*"'],
    ['summer,press', '"summer,press"'],
    ['summer, press', '"summer,"'],
    ['hashtag:press', '"hashtag:press"'],
    ['-press', '"-press"'],
    ['(summer press)', '"(summer", "press)"'],
  ])('operators in q: %j', async (q, terms) => {
    expect(await noticeOf({ q, archived: 'any' })).toBe(
      `"q" has no operators, so ${terms} must occur as text, and so must every other term. Search for plain words, one call for each alternative; #word finds a hashtag.`,
    );
  });

  test.each(['zebra', 'zebra horse', '#zebra', 'https://shop.example.com/9', 'a-b', 'C++'])(
    'a search that finds nothing for no known reason has no notice: %j',
    async (q) => {
      expect(await noticeOf({ q, archived: 'any' })).toBeUndefined();
    },
  );

  test('an asterisk in destination_url, and the host of a destination', async () => {
    expect(await noticeOf({ destination_url: 'https://shop.example.com/*' })).toMatch(
      /^"destination_url" is one whole/,
    );
    expect(await noticeOf({ host: 'shop.example.com' })).toBe(
      'This account has no short host "shop.example.com"; "domain" finds links by the host of their destination.',
    );
  });
});

test.each(['go.example', 'GO.EXAMPLE'])('the default host is found by its own name, %s', async (host) => {
  expect((await listOf({ host, archived: 'any' })).total).toBe(LINKS.length);
});

describe('duplicates', () => {
  const titles = ({ links }: LinkList) => links.map(({ title }) => title);

  test('are the links whose destination another link of the list has', async () => {
    const query = { duplicates: 'true', sort: 'destination_url', dir: 'asc' };
    expect(titles(await listOf(query))).toEqual(['Summer sale', 'Autumn', 'Hidden']);
    expect(titles(await listOf({ ...query, archived: 'any' }))).toEqual([
      'Summer sale',
      'Autumn',
      'Hidden',
      'Archived',
    ]);
    expect(titles(await listOf(query, account.public))).toEqual(['Summer sale', 'Autumn']);
    expect(titles(await listOf({ ...query, hashtag: 'press' }))).toEqual([]);
    expect(await listOf({ ...query, page: '2', per: '2' })).toMatchObject({ total: 3, total_pages: 2 });
  });

  test('are no filter beside q, of an export or of a job', async () => {
    const refused = await service.request(account.live, 'GET', '/api/v1/links?duplicates=true&q=x');
    expect([refused.status, refused.body]).toEqual([
      422,
      { error: '"duplicates" cannot be combined with "q"; use another filter.' },
    ]);
    expect((await service.request(account.live, 'GET', '/api/v1/links/export?duplicates=true')).status).toBe(422);
    const job = { kind: 'delete', filter: { duplicates: 'true' } };
    expect((await service.request(account.live, 'POST', '/api/v1/jobs', { body: job })).status).toBe(422);
  });
});
