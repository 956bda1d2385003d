import { randomInt } from 'node:crypto';
import { DEVICES, type Device, type Link, type NotCountedReason, type RawClick } from '@waymark/contract';
import { expect, test } from 'vitest';
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

// docs/api.md, Clicks: which requests are clicks, from the visit at the gateway to the figures of both keys and the
// counters of links. apps/analytics-svc/test/analytics.test.ts compares every figure of every window, zone and filter.

/** How many visits. */
const CLICKS = Number(process.env.CLICKS ?? 500);
const LINKS = 6;
const AT_ONCE = 16;
const PASSWORD = 'open sesame';

const PEOPLE: Record<Device, string> = {
  desktop: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:144.0) Gecko/20100101 Firefox/144.0',
  mobile:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  tablet:
    'Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.7 Mobile/15E148 Safari/604.1',
  other:
    'Mozilla/5.0 (PlayStation; PlayStation 5/6.50) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.5 Safari/605.1.15',
};
/** Never counted, with the reason. */
const OTHERS: [userAgent: string, verdict: NotCountedReason][] = [
  ['', 'empty_user_agent'],
  ['curl/8.11.0', 'library'],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'bot'],
  ['Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'preview'],
];
/** The query and referrer of a visit, and the source and campaign that they must be counted under. */
const ORIGINS = [
  { query: '', referer: '', source: 'direct', campaign: 'spring' },
  { query: '', referer: stack.publicUrl, source: 'direct', campaign: 'spring' },
  { query: '', referer: 'https://www.google.com/', source: 'google.com', campaign: 'spring' },
  { query: '?utm_source=Newsletter', referer: 'https://www.google.com/', source: 'newsletter', campaign: 'spring' },
  {
    query: '?a=1&utm_source=%C3%89t%C3%A9%202026&utm_campaign=Caf%C3%89',
    referer: '',
    source: 'été 2026',
    campaign: 'café',
  },
];
/** What browsers send, and the language that they must be counted under. */
const LANGUAGES: [header: string | undefined, language: string | null][] = [
  ['de-DE,de;q=0.9,en;q=0.8', 'de'],
  ['EN', 'en'],
  ['fil-PH,en;q=0.9', null],
  [undefined, null],
];
const pick = <T>(items: readonly T[]): T => items[randomInt(items.length)]!;

interface Click {
  link: number;
  device: Device;
  source: string;
  campaign: string;
  language: string | null;
}

test(`${CLICKS} visits are the clicks of both keys and of the counters, and no other request is one`, async () => {
  const account = await createAccount();
  const live = api(account.live);
  const links: Link[] = [];
  const destination_url = 'https://example.com/?utm_campaign=Spring';
  for (let n = 0; n < LINKS; n += 1) links.push(await createLink(account.live, { destination_url }));
  const clicks: Click[] = [];
  const notCounted: { link: number; verdict: NotCountedReason }[] = [];

  async function visit(): Promise<void> {
    const link = randomInt(LINKS);
    const [{ query, referer, source, campaign }, device] = [pick(ORIGINS), pick(DEVICES)];
    const [[header, language], [otherAgent, otherVerdict]] = [pick(LANGUAGES), pick(OTHERS)];
    const kind = pick(['person', 'person', 'person', 'other', 'head', 'prefetch'] as const);
    const { status } = await request(`/${pick([links[link]!.slug, links[link]!.slug.toUpperCase()])}${query}`, {
      method: kind === 'head' ? 'HEAD' : 'GET',
      headers: {
        'user-agent': kind === 'other' ? otherAgent : PEOPLE[device],
        ...(header !== undefined && { 'accept-language': header }),
        ...(referer !== '' && { referer }),
        ...(kind === 'prefetch' && {
          [pick(['sec-purpose', 'purpose', 'x-purpose', 'x-moz'])]: pick(['prefetch', 'preview', 'prerender']),
        }),
      },
    });
    expect(status).toBe(302);
    if (kind === 'person') clicks.push({ link, device, source, campaign, language });
    else notCounted.push({ link, verdict: kind === 'other' ? otherVerdict : 'prefetch' });
  }
  let left = CLICKS;
  const visitor = async () => {
    while (left-- > 0) await visit();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, visitor));

  const [hidden, locked, unlisted, deleted] = [1, 2, 3, 4];
  expect((await live.update(links[hidden]!.id, { visibility: 'private' })).status).toBe(200);
  expect((await live.update(links[locked]!.id, { password: PASSWORD })).status).toBe(200);
  expect((await live.update(links[unlisted]!.id, { visibility: 'unlisted' })).status).toBe(200);
  expect((await live.delete(links[deleted]!.id)).status).toBe(204);
  for (const [n, status] of [
    [hidden, 404],
    [deleted, 404],
    [locked, 200],
  ] as const)
    expect((await request(`/${links[n]!.slug}`, { headers: { 'user-agent': PEOPLE.mobile } })).status).toBe(status);
  for (const [password, status] of [
    [PASSWORD, 303],
    ['wrong', 403],
  ] as const) {
    const answer = await request(`/${links[locked]!.slug}?utm_source=door`, {
      method: 'POST',
      headers: { 'user-agent': PEOPLE.tablet, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ password }).toString(),
    });
    expect(answer.status).toBe(status);
  }
  clicks.push({ link: locked, device: 'tablet', source: 'door', campaign: 'spring', language: null });

  const countBy = <One, Name>(some: One[], nameOf: (one: One) => Name) =>
    new Map([...Map.groupBy(some, nameOf)].map(([name, group]) => [name, group.length]));
  for (const [key, unseen] of [
    [account.live, [deleted]],
    [account.public, [deleted, hidden, locked]],
  ] as const) {
    const isSeen = ({ link }: { link: number }) => !unseen.some((one) => one === link);
    const shown = clicks.filter(isSeen);
    await eventually(async () => {
      // Midnight may have passed meanwhile.
      const { body } = await api(key).analytics('?days=2&include=languages,utm_campaigns,verdicts');
      expect(body.clicks).toBe(shown.length);
      expect(new Map(body.devices.map(({ device, clicks }) => [device, clicks]))).toEqual(
        countBy(shown, ({ device }) => device),
      );
      expect(new Map(body.sources.map(({ source, clicks }) => [source, clicks]))).toEqual(
        countBy(shown, ({ source }) => source),
      );
      expect(new Map(body.top_links.map(({ id, clicks }) => [id, clicks]))).toEqual(
        countBy(shown, ({ link }) => links[link]!.id),
      );
      expect(new Map(body.utm_campaigns!.map((entry) => [entry.utm_campaign, entry.clicks]))).toEqual(
        countBy(shown, ({ campaign }) => campaign),
      );
      expect(new Map(body.languages!.map(({ language, clicks }) => [language, clicks]))).toEqual(
        countBy(shown, ({ language }) => language),
      );
      expect(new Map(body.verdicts!.map(({ verdict, requests }) => [verdict, requests]))).toEqual(
        countBy(notCounted.filter(isSeen), ({ verdict }) => verdict),
      );
    });
  }
  const counts = countBy(clicks, ({ link }) => links[link]!.id);
  await eventually(async () => {
    for (const [n, { id }] of links.entries())
      if (n !== deleted) expect([id, (await live.get(id)).body.clicks]).toEqual([id, counts.get(id)]);
  });
});

/** Returns the raw clicks that a key sees. */
async function rawClicks(key: string, query = ''): Promise<RawClick[]> {
  const { status, body } = await request<string>(`/api/v1/clicks${query}`, { key });
  expect(status).toBe(200);
  const lines = body.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as RawClick);
}

async function forget(key: string, id: string): Promise<number> {
  return (await request(`/api/v1/links/${id}/clicks`, { method: 'DELETE', key })).status;
}

async function visit(link: Link, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) expect((await follow(link.slug)).status).toBe(302);
}

/** Expects these clicks of links in all that both keys see. */
async function expectClicks({ live, public: publicKey }: TestAccount, expected: Map<string, number>): Promise<void> {
  const total = [...expected.values()].reduce((sum, clicks) => sum + clicks, 0);
  const counted = new Map([...expected].filter(([, clicks]) => clicks > 0));
  for (const key of [live, publicKey]) {
    const { body } = await api(key).analytics('?days=2&include=browsers&cross=day,device');
    expect([body.clicks, body.browsers?.[0]?.clicks ?? 0]).toEqual([total, total]);
    expect(body.cross?.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(total);
    expect(new Map(body.top_links.map(({ id, clicks }) => [id, clicks]))).toEqual(counted);
    const raw = Map.groupBy(await rawClicks(key), ({ link_id }) => link_id);
    expect(new Map([...raw].map(([id, clicks]) => [id, clicks.length]))).toEqual(counted);
    for (const [id, clicks] of expected) {
      expect((await api(key).analytics(`?days=2&link_id=${id}`)).body.clicks).toBe(clicks);
      expect(await rawClicks(key, `?link_id=${id}`)).toHaveLength(clicks);
      const { body: link } = await api(key).get(id);
      expect([link.clicks, link.last_clicked_at === null]).toEqual([clicks, clicks === 0]);
    }
  }
}

test('the clicks of a link are forgotten at once in all that shows them, and later ones count', async () => {
  const account = await createAccount();
  const [one, other] = [await createLink(account.live, { hashtags: ['a'] }), await createLink(account.live, {})];
  await visit(one, 4);
  await visit(other, 2);
  await eventually(() =>
    expectClicks(
      account,
      new Map([
        [one.id, 4],
        [other.id, 2],
      ]),
    ),
  );
  expect(await forget((await createAccount()).live, one.id)).toBe(404);
  expect(await forget(account.live, one.slug)).toBe(204);
  await expectClicks(
    account,
    new Map([
      [one.id, 0],
      [other.id, 2],
    ]),
  );

  // Of visits before, also of those that are not stored yet, nothing is left.
  await visit(one, 3);
  expect(await forget(account.public, one.id)).toBe(204);
  await visit(other, 1);
  await eventually(() =>
    expectClicks(
      account,
      new Map([
        [one.id, 0],
        [other.id, 3],
      ]),
    ),
  );

  await visit(one, 2);
  await eventually(() =>
    expectClicks(
      account,
      new Map([
        [one.id, 2],
        [other.id, 3],
      ]),
    ),
  );
  expect((await api(account.live).analytics('?days=2&hashtag=a')).body.clicks).toBe(2);
  expect((await api(account.live).update(one.id, { visibility: 'private' })).status).toBe(200);
  expect((await api(account.public).analytics('?days=2')).body.clicks).toBe(3);
  expect(await rawClicks(account.public)).toHaveLength(3);
  expect(await forget(account.public, one.id)).toBe(404);
  expect((await api(account.live).delete(one.id)).status).toBe(204);
  expect((await api(account.live).analytics('?days=2')).body.clicks).toBe(3);
});

test('raw clicks pass the gateway as lines and as CSV, and go on from a cursor', async () => {
  const account = await createAccount();
  const link = await createLink(account.live, {});
  await visit(link, 3);
  await eventually(async () => expect(await rawClicks(account.live)).toHaveLength(3));
  const [first, ...others] = await rawClicks(account.live);
  expect(await rawClicks(account.live, `?limit=1`)).toEqual([first]);
  expect(await rawClicks(account.live, `?after=${first!.cursor}`)).toEqual(others);
  const path = '/api/v1/clicks?format=csv';
  const csv = await request<string>(path, { key: account.live });
  expect(csv.headers.get('content-type')).toContain('text/csv');
  expect(csv.body.split('\r\n')[0]).toBe(Object.keys(first!).join(','));
  expect(csv.body.split('\r\n')).toHaveLength(5);
  const head = await request(path, { key: account.live, method: 'HEAD' });
  expect([head.status, head.headers.get('content-type'), head.body]).toEqual([
    200,
    csv.headers.get('content-type'),
    '',
  ]);
  expect((await request('/api/v1/clicks?after=x', { key: account.live, method: 'HEAD' })).status).toBe(422);
  expect((await request('/api/v1/clicks?after=x', { key: account.live })).status).toBe(422);
  expect((await request('/api/v1/clicks?limit=0', { key: account.live })).status).toBe(422);
});
