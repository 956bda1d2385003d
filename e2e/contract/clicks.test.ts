import { randomInt } from 'node:crypto';
import { DEVICES, type Device, type Link, type NotCountedReason } from '@waymark/contract';
import { expect, test } from 'vitest';
import { api, createAccount, createLink, eventually, request, stack } from '../support/world.ts';

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
