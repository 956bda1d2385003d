import { randomUUID } from 'node:crypto';
import {
  ANALYTICS_FIELDS,
  ANALYTICS_PARTS,
  type Analytics,
  BROWSERS,
  CROSS_PARTS,
  DEVICES,
  OPERATING_SYSTEMS,
  UTM_NAMES,
  withAnalyticsFields,
} from '@waymark/contract';
import { analyticsFromMessage, analyticsRequest } from '@waymark/proto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAnalyticsStore } from '../src/analytics/analytics.store.ts';
import type { ClickQuery } from '../src/analytics/click-query.ts';
import {
  account,
  account as accountIdentity,
  CHROME,
  type FakeLinks,
  IPAD,
  IPHONE,
  LINKS_SERVICE,
  openTestDatabase,
  purge,
  record,
  type SentClick,
  signer,
  slugOf,
  startFakeLinks,
  startService,
  type TestDatabase,
  type TestService,
} from './harness.ts';
import { type Asked, analyticsOf, DAY_MS, type Device, model, sentClick } from './model.ts';

// docs/api.md, Analytics: the authoritative tests of every figure and message, with a links-svc that the test plays.

let db: TestDatabase;
let links: FakeLinks;
let service: TestService;
beforeAll(async () => {
  db = await openTestDatabase();
  links = await startFakeLinks();
  service = await startService({ ...db.env, PUBLIC_URL: 'https://Bücher.example.:8443', LINKS_GRPC: links.address });
});
afterAll(async () => {
  await service?.close();
  await links?.close();
  await db?.close();
});
beforeEach(() => {
  links.beforeList = () => {};
  links.afterHashtags = () => {};
  links.beforeBatchGet = () => {};
});

const analytics = (
  query: Asked,
  accountId: string,
  scope: 'full_access' | 'public_links_only' = 'full_access',
): Promise<Analytics> => analyticsOf(service, query, accountId, scope);

const ZONES = [
  'UTC',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/New_York',
  'Europe/Berlin',
  'Pacific/Kiritimati',
  'Pacific/Niue',
  'America/St_Johns',
  'Pacific/Chatham',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Pacific/Kwajalein',
];
/** How many times the random questions of `test` are asked. */
const LENGTH = Number(process.env.ANALYTICS_LENGTH ?? 1);
const SOURCES = ['direct', 'google.com', 'newsletter', 'été', "o'brien\\"];
const LINKS = 14;

const PARTS = ANALYTICS_PARTS.filter((part) => part !== 'hours');
const COUNTRIES = ['', 'DE', 'NP', 'US'];
const HOSTS = ['', 'go.example.com', 'xn--mnchen-3ya.example'];
const LANGUAGES = ['', 'de', 'en'];
const UTMS = ['Summer', 'été', "o'brien\\"];
/** Links with an even number that have hashtags have it. */
const HASHTAG = 'even';
/** Returns the hashtags of a link of the tests. Every third link has none. */
const hashtagsOf = (link: number): string[] =>
  link % 3 === 0 ? [] : [...(link % 2 === 0 ? [HASHTAG] : []), `mod-${link % 4}`, 'été'];

const windows: fc.Arbitrary<Asked> = fc.oneof(
  fc.record({ days: fc.oneof(fc.constantFrom(1, 2, 3, 30, 365), fc.integer({ min: 1, max: 365 })) }),
  fc.constant({}),
  fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 366 })).map(([ago, length]) => {
    const to = Date.now() - ago * DAY_MS;
    const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    return { from: date(to - (length - 1) * DAY_MS), to: date(to) };
  }),
);
/** At most three filters: hardly a click matches more. */
const filters = (linkId: (link: number) => string): fc.Arbitrary<Asked> => {
  const all = {
    source: fc.constantFrom(...SOURCES, 'nobody'),
    link_id: fc.nat(LINKS - 1).map(linkId),
    hashtag: fc.constantFrom(HASHTAG, 'mod-1', 'unused'),
    device: fc.constantFrom('desktop', 'Mobile', 'tablet'),
    country: fc.constantFrom('DE', 'np', 'unknown', 'FR'),
    browser: fc.constantFrom('Chrome', 'safari', 'Ladybird'),
    os: fc.constantFrom('Windows', 'ios', 'Bada'),
    host: fc.constantFrom('default', 'GO.example.com', 'xn--mnchen-3ya.example', 'lost.example.com'),
    language: fc.constantFrom('de', 'EN', 'unknown', 'xx'),
    utm_campaign: fc.constantFrom(...UTMS, 'never'),
    utm_medium: fc.constantFrom('SUMMER', 'never'),
    utm_content: fc.constantFrom('Été', 'never'),
    utm_term: fc.constantFrom(...UTMS),
  };
  return fc
    .subarray(Object.keys(all) as (keyof typeof all)[], { maxLength: 3 })
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, all[name] as fc.Arbitrary<never>]))));
};
const crosses = fc.shuffledSubarray([...CROSS_PARTS], { minLength: 2, maxLength: 2 }).map((parts) => parts.join());
const options: fc.Arbitrary<Asked> = fc
  .record(
    {
      tz: fc.constantFrom(...ZONES),
      include: fc.subarray(PARTS, { minLength: 1 }).map((parts) => parts.join(',')),
      cross: crosses,
      top: fc.constantFrom(1, 3, 100),
      top_by: fc.constantFrom('clicks', 'growth', 'decline'),
    },
    { requiredKeys: ['tz'] },
  )
  .map(({ top_by, ...rest }) => ({
    ...rest,
    ...(top_by !== undefined && (rest.include?.includes('previous') || top_by === 'clicks') && { top_by }),
  }));

describe('every figure equals a plain count of the clicks', () => {
  const clickArbitrary = fc.record({
    link: fc.nat(LINKS - 1),
    // Clicks of the future count too, and some lie in the window before.
    atMs: fc.oneof(fc.nat(3 * DAY_MS), fc.nat(60 * DAY_MS), fc.nat(735 * DAY_MS)),
    device: fc.constantFrom<Device>('desktop', 'mobile', 'tablet', 'other'),
    source: fc.constantFrom(...SOURCES),
    country: fc.constantFrom(...COUNTRIES),
    host: fc.constantFrom(...HOSTS),
    visitor: fc.nat(9),
    language: fc.constantFrom(...LANGUAGES),
    utm: fc.record(
      {
        utm_campaign: fc.constantFrom(...UTMS),
        utm_medium: fc.constantFrom(...UTMS),
        utm_content: fc.constantFrom(...UTMS),
        utm_term: fc.constantFrom(...UTMS),
      },
      { requiredKeys: [] },
    ),
    prefetch: fc.nat(5).map((n) => n === 0),
  });

  /** Checks some questions about random clicks, for both keys. One filter alone is the most common question. */
  async function check(queriesOf: (linkId: (link: number) => string) => fc.Arbitrary<Asked>, numRuns: number) {
    const accountId = randomUUID();
    let account = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(clickArbitrary, { minLength: 1, maxLength: 300 }),
        fc.infiniteStream(queriesOf((link) => `LINK-${link}`)),
        fc.nat(2 ** LINKS - 1),
        fc.nat(2 ** LINKS - 1),
        async (drawn, queries, hiddenBits, deletedBits) => {
          const id = `${accountId}-${account++}`;
          const linkId = (link: number) => `${id}-${String(link).padStart(2, '0')}`;
          for (let link = 0; link < LINKS; link++) {
            const hidden = (hiddenBits & (1 << link)) !== 0;
            const deleted = (deletedBits & (hiddenBits >> 1) & (1 << link)) !== 0;
            links.links.set(linkId(link), { accountId: id, hidden, deleted, hashtags: hashtagsOf(link) });
          }
          links.revision++;
          const now = Date.now();
          const clicks = drawn.map((click) => ({ ...click, atMs: now + DAY_MS / 2 - click.atMs }));
          await record(
            service.client,
            clicks.map((click) => sentClick(click, id, linkId)),
          );
          for (const drawnQuery of queries.take(6)) {
            const query = { ...drawnQuery };
            if (query.link_id !== undefined) query.link_id = linkId(Number(query.link_id.slice('LINK-'.length)));
            for (const scope of ['full_access', 'public_links_only'] as const) {
              const isSeen = (link: number) => {
                const { hidden, deleted } = links.links.get(linkId(link))!;
                return !deleted && (scope === 'full_access' || !hidden);
              };
              if (query.link_id !== undefined && !isSeen(Number(query.link_id.slice(-2)))) {
                const parameters = new URLSearchParams(query as Record<string, string>);
                const { status } = await service.get(`/api/v1/analytics?${parameters}`, accountIdentity(id, scope));
                expect(status).toBe(404);
                continue;
              }
              const { notice: _, ...answer } = await analytics(query, id, scope);
              const seen = clicks.filter(({ link }) => isSeen(link));
              const today = answer.to;
              expect(answer, JSON.stringify({ scope, query })).toEqual(model(seen, query, today, linkId, hashtagsOf));
            }
          }
        },
      ),
      // Shrinking would ask hundreds of questions.
      { numRuns: numRuns * LENGTH, endOnFailure: true },
    );
  }

  test('of the default question, of every window, zone, source and key', async () => {
    await check(
      () =>
        fc
          .tuple(
            windows,
            fc.record(
              { tz: fc.constantFrom(...ZONES), source: fc.constantFrom(...SOURCES, 'nobody') },
              { requiredKeys: ['tz'] },
            ),
          )
          .map(([window, rest]) => ({ ...window, ...rest })),
      1,
    );
  });

  test('of any question: filters, further parts and orders of top links, combined', async () => {
    await check(
      (linkId) =>
        fc
          .tuple(windows, filters(linkId), options)
          .map(([window, filter, rest]) => ({ ...window, ...rest, ...filter })),
      2,
    );
  });

  test('of questions with one filter', async () => {
    await check(
      (linkId) =>
        fc.tuple(windows, filters(linkId), options).map(([window, filter, rest]) => ({
          ...window,
          ...rest,
          ...Object.fromEntries(Object.entries(filter).slice(0, 1)),
        })),
      1,
    );
  });

  test('of clicks by two parts, of every pair, with filters', async () => {
    await check(
      (linkId) =>
        fc
          .tuple(windows, filters(linkId), crosses, options)
          .map(([window, filter, cross, { tz }]) => ({ ...window, tz: tz!, cross, ...filter })),
      2,
    );
  });

  test('by the hours of a zone, with filters and further parts', async () => {
    await check(
      (linkId) =>
        fc
          .tuple(
            fc.constantFrom<Asked>({ days: 1 }, { days: 3 }, { days: 31 }, { from: '2026-10-20', to: '2026-10-31' }),
            fc.constantFrom('UTC', 'Asia/Kathmandu', 'Europe/Berlin', 'America/New_York'),
            filters(linkId),
            fc.subarray(PARTS),
          )
          .map(([window, tz, filter, parts]) => ({ ...window, tz, ...filter, include: ['hours', ...parts].join(',') })),
      1,
    );
  });
});

describe('a window around a day that a zone skipped', () => {
  test.each([
    ['Pacific/Apia', '2011-12-30', '2011-12-29', '2011-12-31'],
    ['Pacific/Kwajalein', '1993-08-21', '1993-08-20', '1993-08-22'],
  ])('%s: every question about it has an answer', async (tz, skipped, dayBefore, dayAfter) => {
    const accountId = randomUUID();
    const linkId = (link: number) => `${accountId}-${link}`;
    for (const link of [0, 1])
      links.links.set(linkId(link), { accountId, hidden: link === 1, deleted: false, hashtags: [HASHTAG] });
    links.revision++;
    const clicks = Array.from({ length: 40 }, (_, n) => ({
      link: n % 2,
      atMs: Date.parse(skipped) - 2 * DAY_MS + n * (DAY_MS / 10),
      device: 'mobile' as const,
      source: 'direct',
      country: n % 3 === 0 ? 'DE' : 'NP',
      visitor: 1 + (n % 4),
    }));
    await record(
      service.client,
      clicks.map((click) => sentClick(click, accountId, linkId)),
    );
    const spans = [
      [skipped, skipped],
      [dayAfter, dayAfter],
      [dayBefore, skipped],
      [skipped, dayAfter],
      [dayBefore, dayAfter],
    ];
    for (const [from, to] of spans)
      for (const [scope, question] of [
        ['full_access', { include: 'previous' }],
        ['full_access', { country: 'DE' }],
        ['public_links_only', { hashtag: HASHTAG, include: [...PARTS, 'hours'].join(','), cross: 'day,hashtag' }],
      ] as const) {
        const query: Asked = { from: from!, to: to!, tz, ...question };
        const seen = clicks.filter(({ link }) => scope === 'full_access' || link === 0);
        expect(await analytics(query, accountId, scope), JSON.stringify({ scope, query })).toEqual(
          model(seen, query, to!, linkId, () => [HASHTAG]),
        );
      }
  });
});

/** Creates an account with a shown and a hidden link, and some clicks of today on both. */
async function accountWithHiddenLink() {
  const accountId = randomUUID();
  const [shown, hidden] = [`${accountId}-shown`, `${accountId}-hidden`];
  links.links.set(shown, { accountId, hidden: false, deleted: false });
  links.links.set(hidden, { accountId, hidden: true, deleted: false });
  links.revision++;
  const atMs = Date.now();
  await record(service.client, [
    { accountId, linkId: shown, atMs },
    { accountId, linkId: shown, atMs },
    { accountId, linkId: hidden, atMs },
  ]);
  return { accountId, shown, hidden };
}

describe('a hidden link is absent from every figure', () => {
  test.each([1, 30])('of %i days, and back the moment that it is shown again', async (days) => {
    const { accountId, hidden } = await accountWithHiddenLink();
    expect(await analytics({ days }, accountId, 'public_links_only')).toMatchObject({ clicks: 2 });
    expect(await analytics({ days }, accountId)).toMatchObject({ clicks: 3 });
    links.links.get(hidden)!.hidden = false;
    links.revision++;
    expect(await analytics({ days }, accountId, 'public_links_only')).toMatchObject({ clicks: 3 });
  });

  test.each([1, 30])('of %i days, also where it is hidden while the answer is being made', async (days) => {
    const { accountId, shown, hidden } = await accountWithHiddenLink();
    links.links.get(hidden)!.hidden = false;
    links.revision++;
    links.beforeBatchGet = () => {
      links.links.get(hidden)!.hidden = true;
      links.revision++;
    };
    const answer = await analytics({ days }, accountId, 'public_links_only');
    expect(answer.clicks).toBe(2);
    expect(answer.top_links.map(({ id }) => id)).toEqual([shown]);
    expect(answer.sources).toEqual([{ source: 'direct', clicks: 2 }]);
  });

  test('and the list of hidden links is not sent again while it holds', async () => {
    const { accountId } = await accountWithHiddenLink();
    await analytics({}, accountId, 'public_links_only');
    const before = links.listsSent;
    for (let i = 0; i < 3; i++) await analytics({}, accountId, 'public_links_only');
    expect(links.listsSent).toBe(before);
  });

  test('however many questions arrive while the list is sent, and even if their clients do not wait for it', async () => {
    const { accountId, hidden } = await accountWithHiddenLink();
    const held = Promise.withResolvers<void>();
    links.beforeList = () => held.promise;
    const before = links.listsSent;
    const ask = () => service.get('/api/v1/analytics', account(accountId, 'public_links_only'));
    const early = await Promise.all(Array.from({ length: 20 }, ask));
    expect(new Set(early.map(({ status }) => status))).toEqual(new Set([503]));
    expect(links.listsSent).toBe(before + 1);
    const late = ask();
    held.resolve();
    expect(await late).toMatchObject({ status: 200, body: { clicks: 2 } });
    expect(await ask()).toMatchObject({ status: 200, body: { clicks: 2 } });
    expect(links.listsSent).toBe(before + 1);
    links.links.get(hidden)!.hidden = false;
    links.revision++;
    expect(await ask()).toMatchObject({ status: 200, body: { clicks: 3 } });
  });

  test('that was hidden while a list was being sent, if the question came after that', async () => {
    const { accountId, shown } = await accountWithHiddenLink();
    const held = Promise.withResolvers<void>();
    links.beforeList = () => held.promise;
    const first = analytics({}, accountId, 'public_links_only');
    await expect.poll(() => links.listsSent).toBeGreaterThan(0);
    links.links.get(shown)!.hidden = true;
    links.revision++;
    const second = analytics({}, accountId, 'public_links_only');
    held.resolve();
    expect(await second).toMatchObject({ clicks: 0, top_links: [] });
    await first;
  });
});

describe('of 50,000 hidden links', () => {
  const HIDDEN = 50_000;
  const include = 'visitors,previous';
  let accountId: string;
  let shown: string;
  beforeAll(async () => {
    accountId = randomUUID();
    shown = `${accountId}-shown`;
    links.links.set(shown, { accountId, hidden: false, deleted: false, hashtags: ['many'] });
    for (let n = 0; n < HIDDEN; n++)
      links.links.set(`${accountId}-${n}`, { accountId, hidden: true, deleted: false, hashtags: ['many'] });
    links.revision++;
    const atMs = Date.now() - 1_000;
    const clicked = [shown, shown, `${accountId}-0`, `${accountId}-${HIDDEN / 2}`, `${accountId}-${HIDDEN - 1}`];
    await record(
      service.client,
      clicked.map((linkId, n) => ({ accountId, linkId, atMs, visitor: String(n + 1).padStart(16, '0') })),
    );
  });
  afterAll(() => {
    for (const [id, link] of links.links) if (link.accountId === accountId) links.links.delete(id);
  });

  test('none is in an answer, and one more or less is noticed by the next', async () => {
    const ask = () => analytics({ include, days: 30 }, accountId, 'public_links_only');
    expect(await ask()).toMatchObject({ clicks: 2, visitors: 2, previous: { clicks: 0 }, top_links: [{ id: shown }] });
    const last = links.links.get(`${accountId}-${HIDDEN - 1}`)!;
    last.hidden = false;
    links.revision++;
    expect(await ask()).toMatchObject({ clicks: 3, visitors: 3 });
    last.hidden = true;
    links.links.get(shown)!.hidden = true;
    links.revision++;
    expect(await ask()).toMatchObject({ clicks: 0, visitors: 0, top_links: [] });
    links.links.get(shown)!.hidden = false;
    links.revision++;
  });

  test('a hashtag of as many links counts their clicks', async () => {
    expect(await analytics({ include, hashtag: 'many' }, accountId)).toMatchObject({ clicks: 5, visitors: 5 });
  });
});

test('a link_id may be whatever names the link; it selects the same clicks, and is repeated as it was sent', async () => {
  const { accountId, shown } = await accountWithHiddenLink();
  links.links.get(shown)!.hashtags = ['named'];
  for (const filter of [{}, { hashtag: 'named' }, { hashtag: 'other' }]) {
    const byId = await analytics({ ...filter, link_id: shown }, accountId);
    expect(await analytics({ ...filter, link_id: slugOf(shown) }, accountId)).toEqual({
      ...byId,
      link_id: slugOf(shown),
    });
    if (filter.hashtag !== 'other') expect(byId).toMatchObject({ clicks: 2, top_links: [{ id: shown }] });
  }
});

describe('"cross" counts clicks by two parts', () => {
  /** Creates an account with clicks on links with hashtags, one of which is hidden. */
  async function accountWithPairs() {
    const accountId = randomUUID();
    const linkIds = { tagged: `${accountId}-tagged`, plain: `${accountId}-plain`, hidden: `${accountId}-hidden` };
    links.links.set(linkIds.tagged, { accountId, hidden: false, deleted: false, hashtags: ['été', 'summer'] });
    links.links.set(linkIds.plain, { accountId, hidden: false, deleted: false });
    links.links.set(linkIds.hidden, { accountId, hidden: true, deleted: false, hashtags: ['summer', 'secret'] });
    links.revision++;
    const click = (linkId: string, utmSource: string, country: string) => ({
      ...{ accountId, linkId, utmSource, country },
      atMs: Date.parse('2026-01-02T12:00:00Z'),
    });
    await record(service.client, [
      click(linkIds.tagged, 'mail', 'DE'),
      click(linkIds.tagged, 'mail', 'DE'),
      click(linkIds.tagged, 'mail', ''),
      click(linkIds.plain, 'post', 'NP'),
      click(linkIds.hidden, 'mail', 'DE'),
    ]);
    return { accountId, linkIds };
  }
  const window = { from: '2026-01-02', to: '2026-01-03' };
  const crossOf = async (
    cross: string,
    accountId: string,
    query: Asked = {},
    scope: 'full_access' | 'public_links_only' = 'full_access',
  ) => (await analytics({ ...window, cross, ...query }, accountId, scope)).cross;

  test('and says how much of the clicks its 200 pairs have', async () => {
    const accountId = randomUUID();
    const atMs = Date.parse('2026-01-02T12:00:00Z');
    const linkId = `${accountId}-many`;
    links.links.set(linkId, { accountId, hidden: false, deleted: false });
    links.revision++;
    const clicks = Array.from({ length: 201 }, (_, i) => ({
      accountId,
      linkId,
      atMs,
      utmSource: `s${i}`,
      country: 'DE',
    }));
    await record(service.client, clicks);
    const { cross, notice } = await analytics({ ...window, cross: 'source,country' }, accountId);
    expect([cross!.length, notice]).toEqual([200, expect.stringContaining('200 of 201 clicks')]);
    const others = await analytics({ ...window, source: 'nobody' }, accountId);
    expect(others.notice).toMatch(/^No click from the source "nobody"; there are clicks from s0, .* and others\.$/);
    expect(await analytics({ ...window, source: 'https://www.S1/' }, accountId)).toMatchObject({ clicks: 1 });
  });

  test('with most clicks first, then by both names, and null for an unknown country', async () => {
    const { accountId } = await accountWithPairs();
    expect(await crossOf('source,country', accountId)).toEqual([
      { source: 'mail', country: 'DE', clicks: 3 },
      { source: 'mail', country: null, clicks: 1 },
      { source: 'post', country: 'NP', clicks: 1 },
    ]);
    expect(await crossOf('country,source', accountId)).toEqual([
      { country: 'DE', source: 'mail', clicks: 3 },
      { country: null, source: 'mail', clicks: 1 },
      { country: 'NP', source: 'post', clicks: 1 },
    ]);
    expect(await crossOf('day,country', accountId)).toEqual([
      { day: '2026-01-02', country: 'DE', clicks: 3 },
      { day: '2026-01-02', country: null, clicks: 1 },
      { day: '2026-01-02', country: 'NP', clicks: 1 },
    ]);
  });

  test('"A click counts once for each hashtag that its link has now; one without a hashtag is left out"', async () => {
    const { accountId, linkIds } = await accountWithPairs();
    expect(await crossOf('hashtag,source', accountId)).toEqual([
      { hashtag: 'summer', source: 'mail', clicks: 4 },
      { hashtag: 'été', source: 'mail', clicks: 3 },
      { hashtag: 'secret', source: 'mail', clicks: 1 },
    ]);
    expect(await crossOf('day,hashtag', accountId, { hashtag: 'secret' })).toEqual([
      { day: '2026-01-02', hashtag: 'secret', clicks: 1 },
      { day: '2026-01-02', hashtag: 'summer', clicks: 1 },
    ]);
    expect(await crossOf('hashtag,day', accountId, { link_id: linkIds.plain })).toEqual([]);
    expect(await crossOf('hashtag,day', accountId, { link_id: linkIds.plain, hashtag: 'summer' })).toEqual([]);
    links.links.get(linkIds.tagged)!.hashtags = ['winter'];
    expect(await crossOf('hashtag,country', accountId, { source: 'mail', country: 'unknown' })).toEqual([
      { hashtag: 'winter', country: null, clicks: 1 },
    ]);
  });

  test('of a hidden link, a Public Links Only key sees no click and no hashtag', async () => {
    const { accountId } = await accountWithPairs();
    const seen = (cross: string, query: Asked = {}) => crossOf(cross, accountId, query, 'public_links_only');
    expect(await seen('source,country')).toEqual([
      { source: 'mail', country: 'DE', clicks: 2 },
      { source: 'mail', country: null, clicks: 1 },
      { source: 'post', country: 'NP', clicks: 1 },
    ]);
    expect(await seen('hashtag,source')).toEqual([
      { hashtag: 'summer', source: 'mail', clicks: 3 },
      { hashtag: 'été', source: 'mail', clicks: 3 },
    ]);
    expect(await seen('hashtag,source', { hashtag: 'secret' })).toEqual([]);
  });

  test('and neither does it if the link is hidden while the answer is being made', async () => {
    for (const moment of ['afterHashtags', 'beforeBatchGet'] as const)
      for (const query of [{}, { hashtag: 'summer' }]) {
        const { accountId, linkIds } = await accountWithPairs();
        links.links.get(linkIds.hidden)!.hidden = false;
        links.revision++;
        links[moment] = () => {
          links.links.get(linkIds.hidden)!.hidden = true;
          links.revision++;
        };
        const answer = await analytics(
          { ...window, ...query, cross: 'hashtag,source' },
          accountId,
          'public_links_only',
        );
        expect(answer.cross, moment).toEqual([
          { hashtag: 'summer', source: 'mail', clicks: 3 },
          { hashtag: 'été', source: 'mail', clicks: 3 },
        ]);
        links[moment] = () => {};
      }
  });

  test('the 200 with most clicks, and among equal ones the first by name', async () => {
    const accountId = randomUUID();
    const names = Array.from({ length: 1_000 }, (_, n) => `n${String(n).padStart(4, '0')}`);
    const clicks = names.map((utmSource, n) => ({
      ...{ accountId, linkId: `${accountId}-${n % 30}`, utmSource },
      atMs: Date.parse('2026-01-02T12:00:00Z'),
    }));
    // Above U+FFFF, the order of code points is not that of JavaScript.
    const last = ['\u{1f600}', '\uff5e'];
    await record(service.client, [...clicks, ...last.map((utmSource) => ({ ...clicks[0]!, utmSource })), clicks[777]!]);
    for (let n = 0; n < 30; n++)
      links.links.set(`${accountId}-${n}`, {
        ...{ accountId, hidden: false, deleted: false },
        hashtags: Array.from({ length: 20 }, (_, k) => `h${String(n * 20 + k).padStart(3, '0')}`),
      });
    links.revision++;
    const bySource = (await crossOf('source,os', accountId))!;
    expect(bySource[0]).toEqual({ source: 'n0777', os: 'Windows', clicks: 2 });
    expect(bySource.slice(1).map(({ source }) => source)).toEqual(names.slice(0, 199));
    const ofLast = await crossOf('day,source', accountId, { link_id: `${accountId}-0` });
    expect(ofLast!.slice(-2).map(({ source }) => source)).toEqual(last.toReversed());
    const byHashtag = (await crossOf('hashtag,os', accountId))!;
    expect(byHashtag).toHaveLength(200);
    const sorted = byHashtag.toSorted((a, b) => b.clicks - a.clicks || (a.hashtag! < b.hashtag! ? -1 : 1));
    expect(byHashtag).toEqual(sorted);
  });
});

describe('clicks by short host', () => {
  test('are those of the host of each click, in any case of the filter, and a link may have several', async () => {
    const { accountId, shown, hidden } = await accountWithHiddenLink();
    const click = (linkId: string, host: string, atMs = Date.now()) => ({ accountId, linkId, host, atMs });
    const bot = { ...click(shown, 'go.example.com'), userAgent: 'curl/8' };
    await record(service.client, [click(shown, 'go.example.com'), bot, click(hidden, 'secret.example.com')]);
    const byHost = async (query: Asked, scope: 'full_access' | 'public_links_only' = 'full_access') =>
      (await analytics({ days: 1, include: 'hosts', ...query }, accountId, scope)).hosts;
    const seen = [
      { host: null, clicks: 2 },
      { host: 'go.example.com', clicks: 1 },
    ];
    expect(await byHost({})).toEqual([
      { host: null, clicks: 3 },
      { host: 'go.example.com', clicks: 1 },
      { host: 'secret.example.com', clicks: 1 },
    ]);
    expect(await byHost({}, 'public_links_only')).toEqual(seen);
    // The default host has a name too, that of the short URLs, without port and final dot.
    for (const host of ['bücher.example', 'BÜCHER.example.', 'xn--bcher-kva.example', 'Default'])
      expect(await byHost({ host }), host).toEqual([{ host: null, clicks: 3 }]);
    for (const host of ['GO.example.com', 'go.example.com.', 'ｇｏ.example.com'])
      expect(await byHost({ host }), host).toEqual([{ host: 'go.example.com', clicks: 1 }]);
    expect(await byHost({ link_id: shown }, 'public_links_only')).toEqual(seen);
    for (const host of ['go.example.com', 'Go.Example.COM'])
      expect(await byHost({ host, device: 'desktop' })).toEqual([seen[1]]);
    expect(await byHost({ host: 'Default' }, 'public_links_only')).toEqual([seen[0]]);
    for (const host of ['secret.example.com', 'never.example.com'])
      expect(await analytics({ host, include: 'hosts,visitors' }, accountId, 'public_links_only')).toMatchObject({
        ...{ clicks: 0, visitors: 0, hosts: [], sources: [], top_links: [] },
      });
  });

  test('name the hosts that there are if that of the filter has none, but no host of a hidden link', async () => {
    const { accountId, shown, hidden } = await accountWithHiddenLink();
    const click = (linkId: string, fields: Partial<SentClick>) => ({ accountId, linkId, atMs: Date.now(), ...fields });
    await record(service.client, [
      click(shown, { host: 'go.example.com', utmSource: 'mail', country: 'FR' }),
      click(hidden, { host: 'secret.example.com' }),
    ]);
    const noticeOf = async (query: Asked, scope: 'full_access' | 'public_links_only' = 'full_access') =>
      (await analytics({ days: 1, ...query }, accountId, scope)).notice;
    const host = 'Never.example.com';
    const none = 'No click on the host "Never.example.com"; there are clicks on';
    expect(await noticeOf({ host })).toBe(`${none} default, go.example.com, secret.example.com.`);
    expect(await noticeOf({ host }, 'public_links_only')).toBe(`${none} default, go.example.com.`);
    expect(await noticeOf({ host, fields: 'clicks', cross: 'hashtag,host' })).toMatch(none);
    // The other filters count, but not a source: this host has no clicks from any.
    expect(await noticeOf({ host, country: 'FR' })).toBe(`${none} go.example.com.`);
    expect(await noticeOf({ host, source: 'mail' })).toMatch(none);
    expect(await noticeOf({ host, source: 'nobody' })).toMatch(none);
    expect(await noticeOf({ host: 'go.example.com', source: 'nobody' })).toBe(
      'No click from the source "nobody"; there are clicks from mail.',
    );
    expect(await noticeOf({ host, country: 'JP' })).toMatch('No click from the country "JP"; there are clicks from');
    for (const query of [{ host: 'go.example.com' }, { host: 'default' }])
      expect(await noticeOf(query)).toBeUndefined();
  });

  test('are at most 50 hosts, those with most clicks, then by name', async () => {
    const accountId = randomUUID();
    const linkId = `${accountId}-0`;
    links.links.set(linkId, { accountId, hidden: false, deleted: false });
    const names = Array.from({ length: 60 }, (_, n) => `h${String(n).padStart(2, '0')}.example.com`);
    const sent = [...names, names[55]!, '', '', ''];
    await record(
      service.client,
      sent.map((host) => ({ accountId, linkId, host, atMs: Date.now() })),
    );
    const { hosts } = await analytics({ include: 'hosts' }, accountId);
    expect(hosts!.map(({ host }) => host)).toEqual([null, names[55], ...names.slice(0, 48)]);
  });
});

describe('clicks by language and utm_…', () => {
  test('are at most 50 names, those with most clicks, then by name; clicks without a utm_… are left out', async () => {
    const accountId = randomUUID();
    const linkId = `${accountId}-0`;
    links.links.set(linkId, { accountId, hidden: false, deleted: false });
    const codes = Array.from({ length: 60 }, (_, n) => `${'abcdefgh'[Math.floor(n / 8)]}${'abcdefgh'[n % 8]}`);
    const sent = [...codes, codes[55]!, '', '', ''];
    await record(
      service.client,
      sent.map((code) => ({
        ...{ accountId, linkId, language: code, utmCampaign: code, utmMedium: code, utmContent: code, utmTerm: code },
        atMs: Date.now(),
      })),
    );
    const include = 'languages,utm_campaigns,utm_mediums,utm_contents,utm_terms';
    const { languages, ...rest } = await analytics({ include }, accountId);
    expect(languages!.map(({ language }) => language)).toEqual([null, codes[55], ...codes.slice(0, 48)]);
    expect(languages![0]).toEqual({ language: null, clicks: 3 });
    const first = [codes[55], ...codes.slice(0, 49)];
    expect(rest.utm_campaigns!.map((entry) => entry.utm_campaign)).toEqual(first);
    expect(rest.utm_mediums!.map((entry) => entry.utm_medium)).toEqual(first);
    expect(rest.utm_contents!.map((entry) => entry.utm_content)).toEqual(first);
    expect(rest.utm_terms!.map((entry) => entry.utm_term)).toEqual(first);
    expect(rest.utm_terms![0]).toEqual({ utm_term: codes[55], clicks: 2 });
  });

  test('"cross" leaves out clicks without the utm_… that is asked for, also where they are most, and says so', async () => {
    const accountId = randomUUID();
    const linkId = `${accountId}-0`;
    links.links.set(linkId, { accountId, hidden: false, deleted: false, hashtags: ['spring'] });
    links.revision++;
    const atMs = Date.parse('2026-01-02T12:00:00Z');
    const click = (fields: Partial<SentClick>) => ({ accountId, linkId, atMs, ...fields });
    const without = Array.from({ length: 600 }, (_, n) => click({ utmSource: `s${n % 300}` }));
    const tagged = { utmSource: 'mail', utmCampaign: 'Summer', language: 'de' };
    await record(service.client, [...without, click(tagged), click({ ...tagged, utmMedium: 'Email', language: '' })]);
    const crossOf = async (cross: string) =>
      (await analytics({ from: '2026-01-02', to: '2026-01-02', cross }, accountId)).cross;
    const pair = { source: 'mail', utm_campaign: 'summer', clicks: 2 };
    expect(await crossOf('source,utm_campaign')).toEqual([pair]);
    expect(await crossOf('utm_campaign,source')).toEqual([pair]);
    expect(await crossOf('utm_campaign,utm_medium')).toEqual([
      { utm_campaign: 'summer', utm_medium: 'email', clicks: 1 },
    ]);
    expect(await crossOf('day,utm_campaign')).toEqual([{ day: '2026-01-02', utm_campaign: 'summer', clicks: 2 }]);
    expect(await crossOf('hashtag,utm_medium')).toEqual([{ hashtag: 'spring', utm_medium: 'email', clicks: 1 }]);
    expect(await crossOf('utm_campaign,language')).toEqual([
      { utm_campaign: 'summer', language: null, clicks: 1 },
      { utm_campaign: 'summer', language: 'de', clicks: 1 },
    ]);
    expect(await crossOf('utm_term,day')).toEqual([]);
  });
});

test('"verdicts" are what was redirected and does not count, by reason, with the filters; not of hidden links', async () => {
  const { accountId, shown, hidden } = await accountWithHiddenLink();
  links.links.get(shown)!.hashtags = ['spring'];
  const now = Date.now();
  const click = (fields: Partial<SentClick>) => ({ accountId, linkId: shown, atMs: now, ...fields });
  const google = { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };
  await record(service.client, [
    click({ ...google, utmSource: 'mail' }),
    click({ ...google, language: 'de', atMs: now - 10 * DAY_MS }),
    click({ userAgent: 'Twitterbot/1.0', utmSource: 'mail' }),
    click({ userAgent: 'curl/8.14.1' }),
    click({ userAgent: 'curl/8.14.1' }),
    click({ userAgent: 'curl/8.14.1' }),
    click({ userAgent: '' }),
    click({ prefetch: true, utmCampaign: 'summer', atMs: now - 400 * DAY_MS }),
    click({ linkId: hidden, ...google, atMs: now - 3 * DAY_MS }),
    click({ linkId: hidden, userAgent: '', utmSource: 'mail' }),
  ]);
  const verdictsOf = async (query: Asked, scope: 'full_access' | 'public_links_only' = 'public_links_only') => {
    const answer = await analytics({ include: 'verdicts', ...query }, accountId, scope);
    expect(answer.verdicts).toEqual(
      answer.verdicts!.toSorted((a, b) => b.requests - a.requests || (a.verdict < b.verdict ? -1 : 1)),
    );
    return Object.fromEntries(answer.verdicts!.map(({ verdict, requests }) => [verdict, requests]));
  };
  const all = { library: 3, bot: 2, preview: 1, empty_user_agent: 1 };
  expect(await verdictsOf({})).toEqual(all);
  expect(await verdictsOf({}, 'full_access')).toEqual({ ...all, bot: 3, empty_user_agent: 2 });
  for (const query of [{ link_id: shown }, { hashtag: 'spring' }, { tz: 'Asia/Kathmandu' }])
    expect(await verdictsOf(query), JSON.stringify(query)).toEqual(all);
  expect(await verdictsOf({ days: 5 })).toEqual({ ...all, bot: 1 });
  expect(await verdictsOf({ source: 'mail' })).toEqual({ bot: 1, preview: 1 });
  expect(await verdictsOf({ source: 'mail' }, 'full_access')).toEqual({ bot: 1, preview: 1, empty_user_agent: 1 });
  expect(await verdictsOf({ language: 'de' })).toEqual({ bot: 1 });
  expect(await verdictsOf({ utm_campaign: 'Summer' })).toEqual({});
  const [from, to] = [500, 300].map((days) => new Date(now - days * DAY_MS).toISOString().slice(0, 10));
  expect(await verdictsOf({ from: from!, to: to! })).toEqual({ prefetch: 1 });
  expect(await verdictsOf({ link_id: hidden, source: 'mail' }, 'full_access')).toEqual({ empty_user_agent: 1 });
});

test("a deleted link's clicks leave the analytics of both keys at once, and stay out while they are purged", async () => {
  const { accountId, shown } = await accountWithHiddenLink();
  links.links.get(shown)!.deleted = true;
  links.revision++;
  const expectGone = async () => {
    for (const days of [1, 30]) {
      expect(await analytics({ days }, accountId)).toMatchObject({ clicks: 1, sources: [{ clicks: 1 }] });
      expect(await analytics({ days }, accountId, 'public_links_only')).toMatchObject({ clicks: 0, top_links: [] });
    }
  };
  await expectGone();
  await purge(service.client, [{ accountId, linkId: shown }]);
  await expectGone();
  links.links.delete(shown);
  links.revision++;
  await expectGone();
});

test('all parts agree at every moment while clicks are stored and links purged, and a hidden link is in none', async () => {
  const accountId = randomUUID();
  const linkIds = { shown: `${accountId}-shown`, hidden: `${accountId}-hidden`, deleted: `${accountId}-deleted` };
  links.links.set(linkIds.shown, { accountId, hidden: false, deleted: false });
  links.links.set(linkIds.hidden, { accountId, hidden: true, deleted: false });
  links.links.set(linkIds.deleted, { accountId, hidden: false, deleted: true });
  links.revision++;
  let storing = true;
  async function store(): Promise<void> {
    for (let n = 0; storing; n++) {
      const atMs = Date.now() - (n % 20) * DAY_MS;
      // Each link has a source of its own, so the sources show which links were counted.
      await record(
        service.client,
        Object.entries(linkIds).map(([utmSource, linkId]) => ({ accountId, linkId, atMs, utmSource })),
      );
      if (n % 5 === 0)
        await service.client.purgeLinks(
          { links: [{ accountId, linkId: linkIds.deleted }] },
          { timeoutMs: 15_000, identity: await signer.mint(LINKS_SERVICE) },
        );
    }
  }
  const stored = store();
  let last = 0;
  for (let asked = 0; asked < 8 * LENGTH; asked++) {
    const answer = await analytics({ days: 30, tz: 'Asia/Kathmandu' }, accountId, 'public_links_only');
    const sum = (parts: { clicks: number }[]) => parts.reduce((total, { clicks }) => total + clicks, 0);
    expect([sum(answer.devices), sum(answer.sources)]).toEqual([answer.clicks, answer.clicks]);
    expect(answer.sources.map(({ source }) => source)).toEqual(answer.clicks === 0 ? [] : ['shown']);
    expect(answer.clicks).toBeGreaterThanOrEqual(last);
    last = answer.clicks;
  }
  storing = false;
  await stored;
  expect(last).toBeGreaterThan(0);
});

test('sources are at most 50 and top_links at most 10, ties in the order of their names', async () => {
  const accountId = randomUUID();
  const names = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
  const clicks: SentClick[] = [];
  for (const n of names) {
    const linkId = `${accountId}-${n}`;
    links.links.set(linkId, { accountId, hidden: false, deleted: false });
    clicks.push({ accountId, linkId, atMs: Date.now(), utmSource: `s${n}` });
  }
  await record(service.client, clicks);
  const answer = await analytics({ days: 7 }, accountId);
  expect(answer.clicks).toBe(60);
  expect(answer.sources.map(({ source }) => source)).toEqual(names.slice(0, 50).map((n) => `s${n}`));
  expect(answer.top_links.map(({ id }) => id)).toEqual(names.slice(0, 10).map((n) => `${accountId}-${n}`));
});

describe('a source that is reported', () => {
  const host = fc
    .array(fc.constantFrom('a', 'b-c', 'ü', 'com', 'x'.repeat(63), 'y'.repeat(90)), { minLength: 1, maxLength: 8 })
    .map((labels) => labels.join('.'));
  const fromReferrer = fc
    .tuple(fc.constantFrom('https://', 'HTTP://', 'android-app://'), fc.oneof(host, fc.string({ unit: 'binary' })))
    .map(([scheme, rest]) => ({ utmSource: '', referrer: `${scheme}${rest}/path` }));
  const fromUtm = fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({
        unit: fc.constantFrom('İ', 'Σ', 'ß', 'Å', 'A\u030a', 'K', ' ', '\u0085', '\ufeff', '🦊', "'", '\\'),
      }),
      fc.constantFrom('İ'.repeat(100), 'ΑΣ'.repeat(60), `${'x'.repeat(99)} y`, 'Google.com'),
    )
    .map((utmSource) => ({ utmSource, referrer: '' }));

  test('is accepted as the parameter, in any case, and counts its clicks: all of them, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fromReferrer, fromUtm), { minLength: 1, maxLength: 8 }), async (clicks) => {
        const accountId = randomUUID();
        const linkId = `${accountId}-0`;
        const atMs = Date.now();
        links.links.set(linkId, { accountId, hidden: false, deleted: false });
        await record(
          service.client,
          clicks.map((click) => ({ ...click, accountId, linkId, atMs })),
        );
        const { sources } = await analytics({}, accountId);
        expect(sources.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(clicks.length);
        for (const reported of sources) {
          const upper = reported.source.toUpperCase();
          const asked = upper.toLowerCase() === reported.source ? [reported.source, upper] : [reported.source];
          for (const source of asked)
            expect(await analytics({ source }, accountId)).toMatchObject({
              source,
              clicks: reported.clicks,
              sources: [reported],
            });
        }
      }),
      { numRuns: 4 * LENGTH },
    );
  });
});

test('a source is found as it is reported: by its name, its host, its URL, in any case; the notice says which', async () => {
  const accountId = randomUUID();
  const click = (fields: object) => ({ accountId, linkId: `${accountId}-0`, atMs: Date.now(), ...fields });
  links.links.set(`${accountId}-0`, { accountId, hidden: false, deleted: false });
  await record(service.client, [
    click({ referrer: 'https://www.google.com/' }),
    click({ referrer: 'https://news.ycombinator.com/item' }),
    click({ utmSource: 'www.example.com' }),
  ]);
  for (const [source, found] of [
    ['google', 'google.com'],
    ['GOOGLE', 'google.com'],
    ['www.google.com', 'google.com'],
    ['https://www.google.com/search', 'google.com'],
    ['news.ycombinator.com', 'ycombinator.com'],
  ] as const)
    expect(await analytics({ source, days: 1, include: 'countries' }, accountId)).toMatchObject({
      source,
      clicks: 1,
      sources: [{ source: found, clicks: 1 }],
      countries: [{ country: null, clicks: 1 }],
      notice: `No click from the source ${JSON.stringify(source)}; these are the clicks from ${found}.`,
    });
  const exact = await analytics({ source: 'WWW.example.com' }, accountId);
  expect(exact).toMatchObject({ clicks: 1, sources: [{ source: 'www.example.com', clicks: 1 }] });
  expect(exact).not.toHaveProperty('notice');
});

test('a filter whose value has no click is named in a notice, with the values that have some', async () => {
  const { accountId, shown, hidden } = await accountWithHiddenLink();
  links.links.get(shown)!.hashtags = ['spring'];
  const click = (fields: Partial<SentClick>) => ({ accountId, linkId: shown, atMs: Date.now(), ...fields });
  await record(service.client, [
    click({ country: 'FR', userAgent: IPHONE, utmSource: 'mail', host: 'go.example.com', utmCampaign: 'Summer' }),
    click({ country: 'DE', userAgent: CHROME, utmSource: 'mail', language: 'de' }),
    click({ country: 'DE', userAgent: CHROME, utmSource: 'mail' }),
    click({ linkId: hidden, country: 'JP', userAgent: IPAD, utmSource: 'secret', language: 'ja', utmTerm: 'secret' }),
  ]);
  const noticeOf = async (query: Asked, scope: 'full_access' | 'public_links_only' = 'public_links_only') =>
    (await analytics({ days: 1, ...query }, accountId, scope)).notice;
  for (const [query, notice] of [
    [{ source: 'nobody' }, 'No click from the source "nobody"; there are clicks from mail, direct.'],
    [{ host: 'x.example' }, 'No click on the host "x.example"; there are clicks on default, go.example.com.'],
    [{ country: 'jp' }, 'No click from the country "jp"; there are clicks from unknown, DE, FR.'],
    [{ device: 'tablet' }, 'No click with the device "tablet"; there are clicks with desktop, mobile.'],
    [{ browser: 'Brave' }, 'No click with the browser "Brave"; there are clicks with Chrome, Safari.'],
    [{ os: 'Chrome OS' }, 'No click with the operating system "Chrome OS"; there are clicks with Windows, iOS.'],
    [{ language: 'JA' }, 'No click with the language "JA"; there are clicks with unknown, de.'],
    [{ utm_campaign: 'Winter' }, 'No click with the utm_campaign "Winter"; there are clicks with summer.'],
    [{ utm_term: 'shoes' }, 'No click with the utm_term "shoes"; there are clicks without one.'],
    [{ hashtag: '#Sprung' }, 'No click on a link with the hashtag "#Sprung"; there are clicks on others.'],
    // The filters after it count.
    [{ country: 'JP', device: 'mobile' }, 'No click from the country "JP"; there are clicks from FR.'],
    [{ country: 'FR', device: 'desktop' }, 'No click from the country "FR"; there are clicks from unknown, DE.'],
    [
      { device: 'tablet', hashtag: 'spring', host: 'default' },
      'No click with the device "tablet"; there are clicks with desktop, mobile.',
    ],
    // Those before it do not: there are none, whatever the country.
    [
      { country: 'FR', os: 'Chrome OS' },
      'No click with the operating system "Chrome OS"; there are clicks with Windows, iOS.',
    ],
    [{ country: 'FR', hashtag: 'sprung' }, 'No click on a link with the hashtag "sprung"; there are clicks on others.'],
    [{ country: 'FR' }, undefined],
    [{ hashtag: 'spring' }, undefined],
  ] as [Asked, string | undefined][])
    expect.soft([query, await noticeOf(query)]).toEqual([query, notice]);
  expect(await noticeOf({ country: 'GB' }, 'full_access')).toContain('JP');
  expect(await analytics({ country: 'GB', days: 1 }, randomUUID())).not.toHaveProperty('notice');
});

test('visitors are estimated only if the clicks that match the question are many', async () => {
  const accountId = randomUUID();
  const atMs = Date.now();
  const click = (visitor: number, country: string): SentClick => ({
    accountId,
    linkId: `${accountId}-0`,
    atMs,
    country,
    visitor: visitor.toString(16).padStart(16, '0'),
  });
  const visitorsOf = (from: number, count: number, country: string) =>
    Array.from({ length: count }, (_, n) => click(from + n, country));
  await record(service.client, [...visitorsOf(1, 600, 'DE'), ...visitorsOf(1_001, 7, 'NP')]);
  const day = Math.floor(atMs / DAY_MS) * (DAY_MS / 1_000);
  const estimate = async (country: string) => {
    const query: ClickQuery = {
      accountId,
      dayStarts: [day - 86_400, day, day + 86_400],
      hourStarts: [],
      previous: null,
      topBy: 'clicks',
      cross: null,
      hashtags: null,
      parts: new Set(['visitors']),
      filters: { country },
      onlyLinks: null,
      hiddenLinks: [],
    };
    const { rows } = await createAnalyticsStore(db.database, 100).find(query, new AbortController().signal);
    return rows.filter(({ kind }) => kind === 'visitors').reduce((sum, { total }) => sum + total, 0);
  };
  expect(await estimate('NP')).toBe(7);
  // One in seven visitors was counted.
  expect((await estimate('DE')) % 7).toBe(0);
  expect(Math.abs((await estimate('DE')) - 600)).toBeLessThan(20);
});

test('the first window that can be asked for has zeros, in zones on both sides of UTC', async () => {
  const accountId = randomUUID();
  await record(service.client, [{ accountId, linkId: `${accountId}-0`, atMs: Date.now(), country: 'DE' }]);
  for (const tz of ['UTC', 'Asia/Kathmandu', 'America/New_York', 'Africa/Monrovia'])
    for (const filter of [{}, { country: 'DE' }])
      expect(
        await analytics(
          { from: '1970-01-01', to: '1970-01-02', tz, include: 'visitors,hours,previous', ...filter },
          accountId,
        ),
      ).toMatchObject({ clicks: 0, visitors: 0, previous: { from: '1969-12-30', clicks: 0 }, top_links: [] });
});

test('an account without clicks has zeros on every day and empty lists', async () => {
  const answer = await analytics({}, randomUUID());
  expect(answer).toMatchObject({
    days: 30,
    tz: 'UTC',
    source: null,
    clicks: 0,
    devices: [],
    sources: [],
    top_links: [],
  });
  expect(answer.clicks_by_day.map(({ clicks }) => clicks)).toEqual(Array(30).fill(0));
});

test('the same call through both doors gives the same JSON', async () => {
  const { accountId } = await accountWithHiddenLink();
  const query = { days: 3, tz: 'Asia/Kathmandu', source: 'direct' };
  const message = await service.client.getAnalytics(analyticsRequest(query), {
    timeoutMs: 5_000,
    identity: await signer.mint(account(accountId)),
  });
  expect(analyticsFromMessage(message)).toEqual(await analytics(query, accountId));
});

describe('"fields"', () => {
  const ALWAYS = ['days', 'source', 'tz', 'from', 'to', 'clicks', 'fields'];

  test('shows only these parts, also those of "include", through both doors; clicks and the window stay', async () => {
    const { accountId } = await accountWithHiddenLink();
    for (const [sent, shown] of [
      [{ fields: 'clicks' }, []],
      [{ fields: 'sources,sources' }, ['sources']],
      [{ fields: 'countries,top_links' }, ['top_links', 'countries']],
      [{ fields: 'clicks_by_hour,previous', include: 'hosts' }, ['clicks_by_hour', 'previous']],
      [{ fields: 'cross', cross: 'source,day' }, ['cross']],
      [{ fields: 'visitors' }, ['visitors']],
    ] as const) {
      const query: Asked = { days: 3, ...(sent as Asked) };
      const answer = await analytics(query, accountId);
      const { fields, cross, ...echoed } = sent as Asked;
      const names = [...ALWAYS, ...shown, ...Object.keys(echoed)];
      expect(Object.keys(answer).sort(), fields).toEqual(names.sort());
      const include = 'visitors,countries,hours,hosts';
      const whole = await analytics({ days: 3, include, cross: 'source,day' }, accountId);
      for (const name of shown) if (name !== 'previous') expect(answer[name], fields).toEqual(whole[name]);
      const message = await service.client.getAnalytics(analyticsRequest({ tz: 'UTC', ...query }), {
        timeoutMs: 5_000,
        identity: await signer.mint(account(accountId)),
      });
      expect(withAnalyticsFields(analyticsFromMessage(message))).toEqual(answer);
    }
  });

  test('keeps the notice, and the parts of an entry that "include" adds', async () => {
    const { accountId } = await accountWithHiddenLink();
    const none = await analytics({ source: 'nobody', fields: 'devices' }, accountId);
    expect(none).toMatchObject({ devices: [], notice: expect.stringContaining('there are clicks from direct') });
    const lost = await analytics({ fields: 'top_links,previous', top_by: 'decline', days: 2 }, accountId);
    expect(lost.top_links[0]).toMatchObject({ previous_clicks: 0 });
  });
});

describe('a name to filter by', () => {
  test('is each one that can occur, in any case; one that never did gives zeros', async () => {
    const accountId = randomUUID();
    const names = {
      device: DEVICES,
      country: ['DE', 'XK', 'unknown'],
      browser: BROWSERS.slice(0, 5),
      os: OPERATING_SYSTEMS.slice(0, 5),
      language: ['de', 'XX', 'unknown'],
    };
    for (let n = 0; n < 5; n++)
      for (const inCase of [String, (name: string) => name.toUpperCase()]) {
        // One name for each filter.
        const filters = Object.fromEntries(
          Object.entries(names).map(([filter, all]) => [filter, inCase(all[n % all.length]!)]),
        );
        expect(await analytics({ ...filters, days: 1 }, accountId)).toMatchObject({ ...filters, clicks: 0 });
      }
  });
});

describe('refused', () => {
  const REFUSED = [
    ['days=0', '"days" must be between 1 and 365; you sent 0.'],
    ['days=366', '"days" must be between 1 and 365; you sent 366.'],
    ['days=many', '"days" must be a whole number; you sent "many".'],
    ['tz=Mars/Olympus', '"tz" must be an IANA time zone such as UTC or Europe/Berlin; you sent "Mars/Olympus".'],
    ['tz=%2B02:00', '"tz" must be an IANA time zone such as UTC or Europe/Berlin; you sent "+02:00".'],
    ['source=', '"source" must be 1 to 255 characters long; you sent 0.'],
    ['days=3&days=3', '"days" must be sent once; you sent it 2 times.'],
    ['from=2026-2-1&to=2026-03-01', '"from" must be a date such as 2026-02-28; you sent "2026-2-1".'],
    ['from=2026-02-30&to=2026-03-01', '"from" must be a date such as 2026-02-28; you sent "2026-02-30".'],
    ['from=2026-01-01', '"from" and "to" must be sent together; "to" is missing.'],
    ['to=2026-01-01', '"from" and "to" must be sent together; "from" is missing.'],
    ['days=3&from=2026-01-01&to=2026-01-02', 'Send either "days" or "from" and "to", not both.'],
    ['days=3&to=2026-01-02', 'Send either "days" or "from" and "to", not both.'],
    ['from=2026-01-02&to=2026-01-01', '"from" must not be after "to"; you sent 2026-01-02 and 2026-01-01.'],
    ['from=2025-01-01&to=2026-01-02', '"from" and "to" must span at most 366 days; you sent 367.'],
    ['include=hours&days=32', '"include" can have hours for at most 31 days; the window has 32.'],
    ['fields=clicks_by_hour&days=32', '"fields" can have clicks_by_hour for at most 31 days; the window has 32.'],
    ['fields=cross', '"fields" can have cross only with the parameter "cross".'],
    ...['hours', 'sources,', '', 'days'].map((sent) => [
      `fields=${sent}`,
      `"fields" must be names separated by commas without spaces, of ${ANALYTICS_FIELDS.join(', ')}; you sent "${sent}".`,
    ]),
    ['top=0', '"top" must be between 1 and 100; you sent 0.'],
    ['top=101', '"top" must be between 1 and 100; you sent 101.'],
    ['top_by=growth', '"top_by" can be growth only with "previous" in "include".'],
    ['top_by=decline&include=hours', '"top_by" can be decline only with "previous" in "include".'],
    ['top_by=luck', '"top_by" must be one of clicks, growth, decline; you sent "luck".'],
    ...['countries,cities', 'countries,countries', ''].map((sent) => [
      `include=${sent}`,
      `"include" must be a comma-separated list of ${ANALYTICS_PARTS.join(', ')}, each at most once and without spaces; you sent "${sent}".`,
    ]),
    ...['day', 'day,source,os', 'os,os', 'day,city', 'day,', '', 'source, country'].map((sent) => [
      `cross=${sent}`,
      `"cross" must be two different ones of ${CROSS_PARTS.join(', ')}, separated by a comma without spaces; you sent "${sent}".`,
    ]),
    [
      'hashtag=a%20b',
      '"hashtag" must be 1 to 50 letters, digits, "_" or "-", and joiners such as "·" between letters (counted after lower-casing); you sent "a b".',
    ],
    ['from=0000-01-01&to=0000-01-02&include=previous', '"from" must not be before 1970-01-01; you sent 0000-01-01.'],
    ['from=1969-12-31&to=1970-01-01', '"from" must not be before 1970-01-01; you sent 1969-12-31.'],
    ...['device', 'country', 'browser', 'os', 'language', ...UTM_NAMES].flatMap((name) => [
      [`${name}=`, `"${name}" must be 1 to 255 characters long; you sent 0.`],
      [`${name}=${'x'.repeat(256)}`, `"${name}" must be 1 to 255 characters long; you sent 256.`],
    ]),
    ...['phone', 'mobile;', 'desktop,mobile'].map((sent) => [
      `device=${sent}`,
      `"device" must be one of desktop, mobile, tablet, other; you sent "${sent}".`,
    ]),
    ...['Germany', 'DEU', 'UK', 'EU', 'D', 'null', 'ß'].map((sent) => [
      `country=${sent}`,
      `"country" must be a country code of ISO 3166-1 alpha-2 such as GB, or unknown; you sent "${sent}".`,
    ]),
    ...['German', 'de-DE', 'd', '*', 'null', 'ß'].map((sent) => [
      `language=${sent}`,
      `"language" must be a language code of two letters such as de, or unknown; you sent "${sent}".`,
    ]),
    ['utm_term=%00', '"utm_term" must be text without control characters other than line breaks; you sent "\\u0000".'],
    ...['Lynx', 'Chrome 141'].map((sent) => [
      `browser=${sent}`,
      `"browser" must be one of ${BROWSERS.join(', ')}; you sent "${sent}".`,
    ]),
    ...['', 'https://go.example.com', 'go.example.com:80', '*.example.com', 'a b'].map((sent) => [
      `host=${sent}`,
      `"host" must be a host name such as example.com; you sent "${sent}".`,
    ]),
    ...['Plan 9', 'iPhone'].map((sent) => [
      `os=${sent}`,
      `"os" must be one of ${OPERATING_SYSTEMS.join(', ')}; you sent "${sent}".`,
    ]),
  ];
  test('422 with the reason', async () => {
    for (const [query, error] of REFUSED) {
      const { status, body } = await service.get(`/api/v1/analytics?${query}`, account('a'));
      expect.soft([query, status, body]).toEqual([query, 422, { error }]);
    }
  });

  test('422 for a window that ends after today, by the clock of the zone', async () => {
    const tomorrow = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
    const { status, body } = await service.get(`/api/v1/analytics?from=2026-11-01&to=${tomorrow}`, account('a'));
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('"to" must not be after today') },
    });
  });

  test('401 without a signed identity, with a forged one, and for a service', async () => {
    expect(await service.get('/api/v1/analytics')).toMatchObject({ status: 401 });
    await expect(
      service.client.getAnalytics(analyticsRequest({ days: 1, tz: 'UTC' }), { timeoutMs: 5_000, identity: 'forged' }),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(
      service.client.getAnalytics(analyticsRequest({ days: 1, tz: 'UTC' }), {
        timeoutMs: 5_000,
        identity: await signer.mint(LINKS_SERVICE),
      }),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
