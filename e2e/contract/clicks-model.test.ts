import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSigner } from '@waymark/auth';
import { type Analytics, type CrossEntry, DEVICES, type Device, type Link } from '@waymark/contract';
import { analyticsV1, clicksToMessage, createGrpcClient } from '@waymark/proto';
import { expect, test } from 'vitest';
import { accounts, api, asAdmin, createAccount, createLink, eventually, request, stack } from '../support/world.ts';

// docs/api.md, Clicks and Analytics: compares which requests are clicks, and every analytics figure, with a plain count
// in memory. CLICKS is the number of visits through the gateway (long run: 10,000). The same number of clicks from the
// past year is sent directly to analytics-svc, as links-svc does.

const CLICKS = Number(process.env.CLICKS ?? 1_000);
const QUERIES = Number(process.env.QUERIES ?? 50);
const LINKS = 14;
/** Number of links that are private from the start and have past clicks: enough for analytics-svc to aggregate them. */
const PRIVATE_LINKS = 120;
const DAY_MS = 86_400_000;
const PASSWORD = 'open sesame';
const AT_ONCE = 16;

/** User agents of browsers, by device. Visits with {@link OTHERS} are never counted. */
const PEOPLE: Record<Device, string[]> = {
  desktop: [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:144.0) Gecko/20100101 Firefox/144.0',
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  ],
  mobile: [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 382.0.0.28.74 (iPhone14,5; iOS 18_5; de_DE; de; scale=3.00; 1170x2532; 735000000)',
  ],
  tablet: [
    'Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.7 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 14; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  ],
  other: [
    'Mozilla/5.0 (SMART-TV; LINUX; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) 94.0.4606.31/7.0 TV Safari/537.36',
    'Mozilla/5.0 (PlayStation; PlayStation 5/6.50) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.5 Safari/605.1.15',
  ],
};
const OTHERS = [
  '',
  'curl/8.11.0',
  'python-requests/2.32.3',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
];

/** The query and referrer of a visit, and the source that they must be counted under. */
interface Origin {
  query: string;
  referrer: string;
  source: string;
}
const ORIGINS: Origin[] = [
  { query: '', referrer: '', source: 'direct' },
  { query: '', referrer: '', source: 'direct' },
  { query: '', referrer: stack.publicUrl, source: 'direct' },
  { query: '', referrer: 'https://www.google.com/', source: 'google.com' },
  { query: '', referrer: 'https://l.facebook.com/l.php?u=x', source: 'facebook.com' },
  { query: '', referrer: 'https://news.bbc.co.uk/1/hi', source: 'bbc.co.uk' },
  { query: '?utm_source=Newsletter', referrer: 'https://www.google.com/', source: 'newsletter' },
  { query: '?a=1&utm_source=%C3%89t%C3%A9%202026', referrer: '', source: 'été 2026' },
  { query: '?utm_source=o%27brien%5C', referrer: '', source: "o'brien\\" },
  // More sources than the analytics report.
  ...Array.from({ length: 54 }, (_, n) => ({ query: `?utm_source=Post-${n}`, referrer: '', source: `post-${n}` })),
];

const ZONES = [
  'UTC',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/New_York',
  'America/St_Johns',
  'Europe/Berlin',
  'Africa/Casablanca',
  'Pacific/Kiritimati',
  'Pacific/Niue',
  'Pacific/Chatham',
];
const WINDOWS = [1, 2, 3, 7, 30, 31, 90, 200, 364, 365];

/** The link of this number has a destination with a `utm_source`. */
const LINK_WITH_SOURCE = 5;
const DESTINATION_SOURCE = 'Shop';

/** Returns the source that a click on a link is counted under. */
function sourceOf(link: number, { query, source }: Origin): string {
  return link === LINK_WITH_SOURCE && !query.includes('utm_source') ? DESTINATION_SOURCE.toLowerCase() : source;
}

/** Short hosts of past clicks. Visits are on the default host. */
const HOSTS = [null, 'go.example.com', 'xn--bcher-kva.example'];

/** A click in the model. It happened at some time between `earliest` and `latest` (milliseconds since the epoch). */
interface ModelClick {
  link: number;
  earliest: number;
  latest: number;
  device: Device;
  source: string;
  /** The short host, or null for the default host. */
  host: string | null;
}

const pick = <T>(items: readonly T[]): T => items[randomInt(items.length)]!;

async function inParallel(count: number, one: () => Promise<void>): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left > 0) {
        left -= 1;
        await one();
      }
    }),
  );
}

/** Returns a time in the past year, often next to a quarter hour, where the midnights of all time zones lie. */
function pastMoment(now: number): number {
  const quarter = 900_000;
  const any = now - randomInt(1, 366 * 86_400) * 1_000 - randomInt(1_000);
  const edge = Math.floor(any / quarter) * quarter;
  return pick([any, any, edge, edge - 1, edge + 1]);
}

test(`every figure of every window, zone, source and key equals a plain count of ${CLICKS} visitors`, async () => {
  const account = await createAccount();
  const { account: found } = await accounts.getAccount({ username: account.username }, await asAdmin());
  const prefix = `m${randomBytes(4).toString('hex')}`;
  const links: Link[] = [];
  for (let n = 0; n < LINKS; n += 1)
    links.push(
      await createLink(account.live, {
        slug: `${prefix}-${n}`,
        title: n % 2 ? `Link ${n}` : null,
        ...(n === LINK_WITH_SOURCE && { destination_url: `https://example.com/?utm_source=${DESTINATION_SOURCE}` }),
      }),
    );
  for (let n = 0; n < PRIVATE_LINKS; n += 1)
    links.push(await createLink(account.live, { slug: `${prefix}-private-${n}`, visibility: 'private' }));
  const clicks: ModelClick[] = [];

  // Send each batch of past clicks twice, as a client does after a lost response.
  const rpc = createGrpcClient(analyticsV1.AnalyticsService, { address: stack.analyticsGrpc });
  const signer = createSigner({ current: stack.signingKey });
  const identity = await signer.mint({ kind: 'service', service: 'links-svc' });
  const now = Date.now();
  for (let sent = 0; sent < CLICKS; sent += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, CLICKS - sent) }, () => {
      const origin = pick(ORIGINS);
      const device = pick(DEVICES);
      const counts = Math.random() < 0.9;
      const link = randomInt(3) === 0 ? LINKS + randomInt(PRIVATE_LINKS) : Math.min(randomInt(LINKS), randomInt(LINKS));
      const at = pastMoment(now);
      const source = sourceOf(link, origin);
      const host = pick(HOSTS);
      if (counts) clicks.push({ link, earliest: at, latest: at, device, source, host });
      return {
        id: randomBytes(16).toString('hex'),
        accountId: found!.id,
        linkId: links[link]!.id,
        clickedAtMs: at,
        userAgent: counts ? pick(PEOPLE[device]) : pick(OTHERS),
        referrer: origin.referrer,
        // links-svc sends the destination's if the short URL has none.
        utmSource:
          new URLSearchParams(origin.query).get('utm_source') ?? (link === LINK_WITH_SOURCE ? DESTINATION_SOURCE : ''),
        country: '',
        visitor: '',
        host: host ?? '',
        prefetch: false,
      };
    });
    const batchToken = randomUUID();
    for (const maybeStored of [false, true])
      await rpc.recordClicks(
        { batchToken, clicks: clicksToMessage(batch), maybeStored },
        { timeoutMs: 15_000, identity },
      );
  }
  rpc.close();

  /** Visits a random public link. */
  async function visit(): Promise<void> {
    // Some links are far more popular than others.
    const link = Math.min(randomInt(LINKS), randomInt(LINKS));
    const origin = pick(ORIGINS);
    const device = pick(DEVICES);
    const kind = pick(['person', 'person', 'person', 'person', 'person', 'other', 'head', 'prefetch'] as const);
    const slug = pick([links[link]!.slug, links[link]!.slug.toUpperCase()]);
    const earliest = Date.now();
    const { status } = await request(`/${slug}${origin.query}`, {
      method: kind === 'head' ? 'HEAD' : 'GET',
      headers: {
        'user-agent': kind === 'other' ? pick(OTHERS) : pick(PEOPLE[device]),
        ...(origin.referrer === '' ? {} : { referer: origin.referrer }),
        ...(kind === 'prefetch'
          ? { [pick(['sec-purpose', 'purpose', 'x-purpose', 'x-moz'])]: pick(['prefetch', 'preview', 'prerender']) }
          : {}),
      },
    });
    expect(status).toBe(302);
    if (kind === 'person')
      clicks.push({ link, earliest, latest: Date.now(), device, source: sourceOf(link, origin), host: null });
  }
  await inParallel(CLICKS, visit);

  // Make one link private, one password-protected and one unlisted, and delete one. Then visit some of them again.
  const [hidden, locked, unlisted, deleted] = [1, 2, 3, 4];
  const live = api(account.live);
  expect((await live.update(links[hidden]!.id, { visibility: 'private' })).status).toBe(200);
  expect((await live.update(links[locked]!.id, { password: PASSWORD })).status).toBe(200);
  expect((await live.update(links[unlisted]!.id, { visibility: 'unlisted' })).status).toBe(200);
  expect((await live.delete(links[deleted]!.id)).status).toBe(204);
  for (const [n, status] of [
    [hidden, 404],
    [deleted, 404],
    [locked, 200],
  ] as const)
    expect((await request(`/${links[n]!.slug}`, { headers: { 'user-agent': PEOPLE.mobile[0]! } })).status).toBe(status);
  for (const [password, status] of [
    [PASSWORD, 303],
    ['wrong', 403],
    [PASSWORD, 303],
  ] as const) {
    const earliest = Date.now();
    const answer = await request(`/${links[locked]!.slug}?utm_source=door`, {
      method: 'POST',
      headers: { 'user-agent': PEOPLE.tablet[0]!, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ password }).toString(),
    });
    expect(answer.status).toBe(status);
    if (status === 303)
      clicks.push({ link: locked, earliest, latest: Date.now(), device: 'tablet', source: 'door', host: null });
  }

  const shownTo = (key: 'live' | 'public', { link }: ModelClick) =>
    link !== deleted && (key === 'live' || (link !== hidden && link !== locked && link < LINKS));
  const days = new Map(ZONES.map((tz) => [tz, datesIn(tz, clicks)]));

  async function compare(query: Query, key: 'live' | 'public') {
    const text = new URLSearchParams({ days: String(query.days), tz: query.tz });
    if (query.source !== undefined) text.set('source', query.source);
    if (query.host !== undefined) text.set('host', query.host ?? 'default');
    if (query.cross !== undefined) text.set('cross', query.cross);
    const answer = await api(account[key]).analytics(`?${text}`);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const dates = days.get(query.tz)!;
    if (dates === null) return;
    const seen = clicks.flatMap((click, n) =>
      shownTo(key, click) &&
      (query.source ?? click.source) === click.source &&
      (query.host === undefined || query.host === click.host)
        ? [{ ...click, date: dates[n]! }]
        : [],
    );
    expect({ key, ...answer.body }).toEqual({ key, ...model(seen, query, answer.body.to, links) });
    expect(dates.at(-1)! <= answer.body.to && answer.body.to <= dateIn(query.tz)(Date.now())).toBe(true);
  }

  await eventually(() => compare({ days: 365, tz: 'UTC', source: undefined }, 'live'));
  // Give duplicate deliveries time to arrive.
  await sleep(500);
  const sources = [undefined, undefined, 'shop', 'direct', 'google.com', "o'brien\\", 'post-7', 'door', 'never seen'];
  for (let n = 0; n < QUERIES; n += 1) {
    const query: Query = { days: pick(WINDOWS), tz: ZONES[n % ZONES.length]!, source: pick(sources) };
    if (n % 2 === 0) query.cross = pick(['source,device', 'day,source', 'device,day', 'host,day', 'source,host']);
    if (n % 5 === 0) query.host = pick(HOSTS);
    await Promise.all([compare(query, 'live'), compare(query, 'public')]);
  }

  // The all-time counters of the visited links must agree.
  await eventually(async () => {
    for (const [n, link] of links.slice(0, LINKS).entries()) {
      if (n === deleted) continue;
      const { body } = await live.get(link.id);
      const its = clicks.filter((click) => click.link === n);
      expect([n, body.clicks]).toEqual([n, its.length]);
      const last = Date.parse(body.last_clicked_at!);
      expect(last).toBeGreaterThanOrEqual(Math.max(...its.map(({ earliest }) => earliest)));
      expect(last).toBeLessThanOrEqual(Math.max(...its.map(({ latest }) => latest)));
    }
  });
}, 600_000);

/** Returns a function that gives the date of a time in the zone, computed by the runtime's own calendar. */
function dateIn(tz: string): (atMs: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: tz, year: 'numeric', month: '2-digit', day: '2-digit' });
  return (atMs) => format.format(atMs);
}

/** Returns the dates of the clicks in the zone, or null if a click spans midnight, so that its date is unknown. */
function datesIn(tz: string, clicks: readonly ModelClick[]): string[] | null {
  const date = dateIn(tz);
  const dates = clicks.map(({ earliest }) => date(earliest));
  return clicks.every(({ latest }, n) => date(latest) === dates[n]) ? dates : null;
}

interface Query {
  days: number;
  tz: string;
  source: string | undefined;
  /** Null for the default host. */
  host?: string | null;
  cross?: string;
}

/** Returns the analytics that the contract requires for these clicks. `to` is the last day of the response. */
function model(
  clicks: readonly (ModelClick & { date: string })[],
  query: Query,
  to: string,
  links: readonly Link[],
): Analytics {
  const dates = Array.from({ length: query.days }, (_, n) =>
    new Date(Date.parse(to) - (query.days - 1 - n) * DAY_MS).toISOString().slice(0, 10),
  );
  const inWindow = clicks.filter(({ date }) => date >= dates[0]! && date <= to);
  const countBy = (nameOf: (click: (typeof inWindow)[number]) => string) =>
    [...Map.groupBy(inWindow, nameOf)]
      .map(([name, group]) => ({ name, clicks: group.length, link: links[group[0]!.link]! }))
      .sort((a, b) => b.clicks - a.clicks || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  const byDate = new Map(countBy(({ date }) => date).map(({ name, clicks: count }) => [name, count]));
  return {
    days: query.days,
    source: query.source ?? null,
    tz: query.tz,
    from: dates[0]!,
    to,
    clicks: inWindow.length,
    clicks_by_day: dates.map((date) => ({ date, clicks: byDate.get(date) ?? 0 })),
    devices: countBy(({ device }) => device).map(({ name, clicks: count }) => ({
      device: name as Device,
      clicks: count,
    })),
    sources: countBy(({ source }) => source)
      .slice(0, 50)
      .map(({ name, clicks: count }) => ({ source: name, clicks: count })),
    top_links: countBy(({ link }) => links[link]!.slug)
      .slice(0, 10)
      .map(({ link: { id, slug, short_url, title, destination_url }, clicks: count }) => ({
        id,
        slug,
        short_url,
        title,
        destination_url,
        clicks: count,
      })),
    ...(query.host !== undefined && { host: query.host ?? 'default' }),
    ...(query.cross !== undefined && { cross: crossOf(inWindow, query.cross) }),
  };
}

/** Returns the 200 most frequent pairs of what two parts name, of `day`, `source`, `device` and `host`. */
function crossOf(clicks: readonly (ModelClick & { date: string })[], cross: string): CrossEntry[] {
  const parts = cross.split(',');
  const named = clicks.map(
    ({ date, source, device, host }) => ({ day: date, source, device, host }) as Record<string, string | null>,
  );
  return [...Map.groupBy(named, (names) => parts.map((part) => names[part]).join('\0'))]
    .map(([key, group]) => ({ key: Buffer.from(key), names: group[0]!, clicks: group.length }))
    .sort((a, b) => b.clicks - a.clicks || Buffer.compare(a.key, b.key))
    .slice(0, 200)
    .map(({ names, clicks: count }) => ({
      ...Object.fromEntries(parts.map((part) => [part, names[part]])),
      clicks: count,
    }));
}
