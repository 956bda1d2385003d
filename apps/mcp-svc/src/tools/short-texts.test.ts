import { type Analytics, type Link, linkExample } from '@waymark/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withFirstOf, withShortLists, withShortTexts } from './short-texts.ts';

/** As measured for pages of links: a token is about three bytes. */
const tokensOf = (json: object) => Buffer.byteLength(JSON.stringify(json)) / 3;
const MAX_TOKENS = 25_000;
const NOTICE =
  /^(Long texts are removed|Texts are cut to \d+ characters) where .*; rules may be missing; do not write them back\. get_link returns a link whole\.$/;

/** A link with ordinary texts, and those of the test. */
const linkOf = (fields: Partial<Link>): Link => ({
  ...linkExample('https://go.example'),
  destination_url: `https://shop.example.com/summer/offers/item-1?utm_source=newsletter&utm_medium=email&utm_campaign=x`,
  title: 'Summer offers, part 1: everything for the garden',
  description: 'What is on offer in the third week of July, for subscribers of the newsletter.',
  hashtags: ['summer', 'newsletter', 'part-1'],
  note: null,
  ...{ rules: [], social_title: null, social_description: null, social_image_url: null, managed_by: null },
  ...fields,
});
const shortPage = (links: readonly Link[], notice?: string) =>
  withShortTexts((shown) => ({
    links: links.map(shown),
    page: 1,
    per: 100,
    total: links.length,
    ...(notice !== undefined && { notice }),
  }));

const KINDS = {
  letters: 'x',
  'line breaks': '\n',
  Chinese: '好',
  emoji: '😀',
};
const LONG: Record<string, (unit: string) => Partial<Link>> = {
  notes: (unit) => ({ note: unit.repeat(5_000) }),
  descriptions: (unit) => ({ description: unit.repeat(1_000) }),
  titles: (unit) => ({ title: unit.repeat(200), description: unit.repeat(200) }),
  URLs: (unit) => ({
    destination_url: `https://example.com/${unit.repeat(2_000)}`,
    expired_url: `https://a.b/${unit}`,
  }),
  hashtags: (unit) => ({ hashtags: Array.from({ length: 20 }, (_, n) => `${unit.repeat(46)}${n}`) }),
  'short hosts': (unit) => {
    const host = `${'x'.repeat(240)}.example`;
    return { host, slug: 's'.repeat(64), short_url: `https://${host}/${'s'.repeat(64)}`, note: unit.repeat(900) };
  },
};
const everything = (unit: string) => Object.assign({}, ...Object.values(LONG).map((fields) => fields(unit)));

test.each(
  Object.entries({ ...LONG, everything }).flatMap(([what, fields]) =>
    Object.entries(KINDS).map(([kind, unit]) => [what, kind, fields(unit)] as const),
  ),
)('a page of 100 links with long %s of %s is below 25,000 tokens, and says what is cut', (_what, _kind, fields) => {
  const links = Array.from({ length: 100 }, () => linkOf(fields));
  const page = shortPage(links, 'Before.');
  expect(tokensOf(page)).toBeLessThan(MAX_TOKENS);
  expect(page.notice!.replace(/^Before\. /, '')).toMatch(NOTICE);
  expect(page.links.map(({ id, slug, clicks }) => [id, slug, clicks])).toEqual(
    links.map(({ id, slug, clicks }) => [id, slug, clicks]),
  );
});

test('as much of each text is kept as fits: few long ones are cut less, short ones not at all', () => {
  const notes = ['x'.repeat(5_000), 'short', null, ...Array.from({ length: 30 }, () => 'y'.repeat(2_000))];
  const page = shortPage(notes.map((note) => linkOf({ note })));
  expect(page.notice).toContain('cut to 1000 characters');
  expect(page.links.map(({ note }) => note?.length).slice(0, 4)).toEqual([1_007, 5, undefined, 1_007]);
});

test('a page that is short enough stays whole', () => {
  const links = Array.from({ length: 10 }, () => linkOf({ note: 'x'.repeat(5_000) }));
  expect(shortPage(links)).toEqual({ links, page: 1, per: 100, total: 10 });
});

test('each text and list is the beginning of what it was, and says that it is cut', () => {
  const text = (maxLength: number) =>
    fc.oneof(fc.constant(null), fc.string({ unit: 'binary', maxLength, size: 'max' }));
  const link = fc.record({
    note: text(5_000),
    description: text(1_000),
    hashtags: fc.array(fc.string({ maxLength: 50 }), { maxLength: 20 }),
  });
  fc.assert(
    fc.property(fc.array(link, { maxLength: 100, size: 'max' }), (drawn) => {
      const sent = drawn.map(linkOf);
      const page = shortPage(sent);
      for (const [i, shown] of page.links.entries()) {
        for (const name of ['note', 'description'] as const) {
          if (shown[name] === sent[i]![name]) continue;
          expect(shown[name]).toMatch(/(… |^)\(cut\)$/);
          expect(sent[i]![name]!.startsWith(shown[name]!.replace(/(… |^)\(cut\)$/, ''))).toBe(true);
        }
        const kept = shown.hashtags.filter(
          (_, n) => n < sent[i]!.hashtags.length && shown.hashtags[n] === sent[i]!.hashtags[n],
        );
        if (kept.length < sent[i]!.hashtags.length)
          expect(shown.hashtags.slice(kept.length)).toEqual([`… (${sent[i]!.hashtags.length - kept.length} more)`]);
      }
      expect('notice' in page).toBe(JSON.stringify(page.links) !== JSON.stringify(sent));
    }),
    { numRuns: 20 },
  );
});

test('a list has as many of its first entries as fit, and says how many there are', () => {
  const hashtags = Array.from({ length: 1_000 }, (_, n) => ({
    hashtag: `${'好'.repeat(46)}${n}`,
    links: n,
    clicks: n,
  }));
  const listed = (count: number) =>
    withFirstOf(hashtags.slice(0, count), (shown, notice) => ({ hashtags: shown, notice }));
  expect(listed(100)).toEqual({ hashtags: hashtags.slice(0, 100), notice: undefined });
  const cut = listed(1_000);
  expect(tokensOf(cut)).toBeLessThan(MAX_TOKENS);
  expect(tokensOf(cut)).toBeGreaterThan(MAX_TOKENS * 0.95);
  expect(cut.hashtags).toEqual(hashtags.slice(0, cut.hashtags.length));
  expect(cut.notice).toBe(`Only the first ${cut.hashtags.length} of 1000 fit into this result.`);
});

/** The longest analytics: each list is full, and each of its names as long as it can be. */
function longestAnalytics(unit: string): Analytics {
  const many = <Entry>(count: number, entryOf: (n: number) => Entry) =>
    Array.from({ length: count }, (_, n) => entryOf(n));
  const clicks = 9_007_199_254_740_991;
  const source = unit.repeat(100);
  const host = `${'x'.repeat(245)}.example`;
  return {
    ...{ days: 31, source: null, tz: 'UTC', from: '2026-10-01', to: '2026-10-31', clicks, visitors: clicks },
    clicks_by_day: many(31, () => ({ date: '2026-10-01', clicks, visitors: clicks })),
    clicks_by_hour: many(745, () => ({ hour: '2026-10-25T02:00:00+01:00', clicks })),
    devices: many(4, () => ({ device: 'desktop', clicks })),
    sources: many(50, () => ({ source, clicks })),
    countries: many(50, () => ({ country: 'DE', clicks })),
    browsers: many(50, () => ({ browser: 'x'.repeat(100), clicks })),
    operating_systems: many(50, () => ({ os: 'x'.repeat(100), clicks })),
    referrers: many(50, () => ({ referrer: host, clicks })),
    hosts: many(50, () => ({ host, clicks })),
    cross: many(200, () => ({ source, hashtag: unit.repeat(50), clicks })),
    top_links: many(100, (n) => ({
      ...{ id: `${n}`.padStart(36), slug: 's'.repeat(64), short_url: `https://${host}/${'s'.repeat(64)}` },
      ...{ title: unit.repeat(200), destination_url: `https://a.example/${'x'.repeat(2_000)}` },
      ...{ clicks, previous_clicks: clicks },
    })),
    notice: 'Before.',
  };
}

test.each(Object.entries(KINDS))(
  'the longest analytics of %s are below 25,000 tokens, with every day and hour',
  (_kind, unit) => {
    const whole = longestAnalytics(unit);
    const texts = withShortTexts((shown) => ({ ...whole, top_links: whole.top_links.map(shown) }));
    const short = withShortLists(texts, ['clicks_by_day', 'clicks_by_hour']);
    expect(tokensOf(short)).toBeLessThan(MAX_TOKENS);
    expect([short.clicks_by_day, short.clicks_by_hour]).toEqual([whole.clicks_by_day, whole.clicks_by_hour]);
    expect(short.cross!.length).toBeGreaterThanOrEqual(10);
    expect(short.notice).toMatch(
      new RegExp(`^Before\\. Long texts are removed .* more than its first ${short.cross!.length} entries; "fields" `),
    );
  },
);

test('of analytics that are a little too long, only the longest list is cut', () => {
  const { cross, sources, ...others } = longestAnalytics('😀');
  const whole = { ...others, cross, sources, clicks_by_hour: [], top_links: [], referrers: [], hosts: [] };
  const short = withShortLists(whole, []);
  expect(short.cross!.length).toBeLessThan(200);
  expect({ ...short, cross, notice: 'Before.' }).toEqual(whole);
  expect(withShortLists(short, [])).toBe(short);
});

test('rules are whole or missing, the first ones first', () => {
  const rule = { to: `https://example.com/${'x'.repeat(2_000)}`, share: 1 };
  const links = Array.from({ length: 40 }, () =>
    linkOf({ rules: [{ to: 'https://a.example/', share: 2 }, rule, rule] }),
  );
  const page = shortPage(links);
  expect(tokensOf(page)).toBeLessThan(MAX_TOKENS);
  expect(page.notice).toMatch(NOTICE);
  for (const { rules } of page.links) expect(rules).toEqual([{ to: 'https://a.example/', share: 2 }]);
});
