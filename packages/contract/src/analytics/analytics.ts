import Type, { type Static, type TSchema } from 'typebox';
import { Notice } from '../notice.ts';
import { nullableText, oneOf } from '../text.ts';
import { DEVICES } from '../visitors/clients.ts';
import { ANALYTICS_FIELDS, type CrossPart, MAX_TOP_LINKS, TOP_BY } from './analytics-query.ts';

export const MAX_SOURCES = 50;
/** The most countries, browsers, operating systems, referrers and hosts in an answer. */
export const MAX_NAMES = 50;

const clicks = Type.Integer({ minimum: 0, description: 'Number of clicks.', examples: [12] });
const date = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description, examples: ['2026-11-21'] });

const visitors = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description, examples: [8] }));

/** A filter or option as it was sent. */
const echo = (name: string) => Type.Optional(Type.String({ description: `\`${name}\`, as sent.` }));

const TopLink = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the link.' }),
    slug: Type.String({ description: 'Short path of the link.' }),
    short_url: Type.String({ description: 'The short URL.' }),
    title: nullableText(200, { description: 'Title of the link.' }),
    destination_url: Type.String({ description: 'The URL that the link redirects to.' }),
    clicks,
    previous_clicks: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Clicks in the window before, with `previous`.', examples: [9] }),
    ),
  },
  { additionalProperties: false },
);

/** The most entries of `cross` in an answer. */
export const MAX_CROSS = 200;

const country = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'ISO 3166-1 alpha-2, or null if unknown.',
  examples: ['DE'],
});
const host = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'The short host of the link at the click, or null for the default host.',
  examples: ['go.example.com'],
});

/** Clicks with two names, of the parts that `cross` asked for. */
const CrossEntry = Type.Object(
  {
    day: Type.Optional(date('The day.')),
    source: Type.Optional(Type.String({ description: 'Name of the traffic source.', examples: ['google.com'] })),
    device: Type.Optional(oneOf(DEVICES, { description: 'Kind of device.' })),
    country: Type.Optional(country),
    browser: Type.Optional(Type.String({ description: 'Name of the browser.', examples: ['Firefox'] })),
    os: Type.Optional(Type.String({ description: 'Name of the operating system.', examples: ['Android'] })),
    host: Type.Optional(host),
    hashtag: Type.Optional(Type.String({ description: 'A hashtag that the link has now.', examples: ['summer'] })),
    clicks,
  } satisfies Record<CrossPart | 'clicks', TSchema>,
  { additionalProperties: false },
);
export type CrossEntry = Static<typeof CrossEntry>;

/**
 * Returns an entry of `cross`. The order of its keys is that of the parts. A name is null for an unknown country and the
 * default host.
 */
export function crossEntry(
  parts: readonly [CrossPart, CrossPart],
  names: readonly [string | null, string | null],
  clicks: number,
): CrossEntry {
  return { [parts[0]]: names[0], [parts[1]]: names[1], clicks } as CrossEntry;
}

/**
 * Clicks in a window of whole days. The sums over days and over devices equal `clicks`. So does the sum over sources,
 * unless there are more than {@link MAX_SOURCES}.
 */
const AllAnalytics = Type.Object(
  {
    days: Type.Integer({ description: 'Length of the window in days.', examples: [30] }),
    source: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The requested source, or null.',
      examples: [null],
    }),
    tz: Type.String({ description: 'Time zone of the days.', examples: ['UTC'] }),
    from: date('First day of the window.'),
    to: date('Last day of the window.'),
    clicks: Type.Integer({ minimum: 0, description: 'All clicks in the window.', examples: [1234] }),
    clicks_by_day: Type.Array(
      Type.Object(
        { date: date('The day.'), clicks, visitors: visitors('Distinct visitors of the day, with `visitors`.') },
        { additionalProperties: false },
      ),
      { description: 'Every day of the window, oldest first, including days without clicks.' },
    ),
    devices: Type.Array(
      Type.Object(
        { device: oneOf(DEVICES, { description: 'Kind of device.' }), clicks },
        { additionalProperties: false },
      ),
      { description: 'Clicks by device, in descending order.' },
    ),
    sources: Type.Array(
      Type.Object(
        { source: Type.String({ description: 'Name of the traffic source.', examples: ['google.com'] }), clicks },
        { additionalProperties: false },
      ),
      {
        maxItems: MAX_SOURCES,
        description: 'Clicks by traffic source, in descending order; `direct` if there is none.',
      },
    ),
    top_links: Type.Array(TopLink, { maxItems: MAX_TOP_LINKS, description: 'The links that lead by `top_by`.' }),
    visitors: visitors(
      'Distinct visitors of each day, added up over the days. Exact for up to 10 million clicks; estimated for more.',
    ),
    countries: Type.Optional(
      Type.Array(
        Type.Object(
          {
            country,
            clicks,
          },
          { additionalProperties: false },
        ),
        { maxItems: MAX_NAMES, description: 'Clicks by country, in descending order.' },
      ),
    ),
    browsers: Type.Optional(
      Type.Array(
        Type.Object(
          { browser: Type.String({ description: 'Name of the browser.', examples: ['Firefox'] }), clicks },
          { additionalProperties: false },
        ),
        { maxItems: MAX_NAMES, description: 'Clicks by browser, in descending order.' },
      ),
    ),
    operating_systems: Type.Optional(
      Type.Array(
        Type.Object(
          { os: Type.String({ description: 'Name of the operating system.', examples: ['Android'] }), clicks },
          { additionalProperties: false },
        ),
        { maxItems: MAX_NAMES, description: 'Clicks by operating system, in descending order.' },
      ),
    ),
    referrers: Type.Optional(
      Type.Array(
        Type.Object(
          { referrer: Type.String({ description: 'Full host.', examples: ['news.ycombinator.com'] }), clicks },
          { additionalProperties: false },
        ),
        {
          maxItems: MAX_NAMES,
          description: 'Clicks by referring host, in descending order; clicks without one are excluded.',
        },
      ),
    ),
    hosts: Type.Optional(
      Type.Array(Type.Object({ host, clicks }, { additionalProperties: false }), {
        maxItems: MAX_NAMES,
        description: 'Clicks by short host, in descending order.',
      }),
    ),
    clicks_by_hour: Type.Optional(
      Type.Array(
        Type.Object(
          {
            hour: Type.String({
              description: 'Start of the hour, with the offset of the zone.',
              examples: ['2026-11-21T09:00:00+01:00'],
            }),
            clicks,
          },
          { additionalProperties: false },
        ),
        { description: 'Every hour of the window by the clocks of the zone, oldest first, with `hours`.' },
      ),
    ),
    previous: Type.Optional(
      Type.Object(
        { from: date('First day.'), to: date('Last day.'), clicks },
        { additionalProperties: false, description: 'The window of the same length before.' },
      ),
    ),
    cross: Type.Optional(
      Type.Array(CrossEntry, {
        maxItems: MAX_CROSS,
        description:
          'Clicks by the two parts of `cross`, in descending order. A click counts once for each hashtag of its link; a link without one is excluded if `hashtag` is one of the parts.',
      }),
    ),
    link_id: echo('link_id'),
    hashtag: echo('hashtag'),
    device: echo('device'),
    country: echo('country'),
    browser: echo('browser'),
    os: echo('os'),
    host: echo('host'),
    include: echo('include'),
    fields: echo('fields'),
    top: Type.Optional(Type.Integer({ description: '`top`, as sent.' })),
    top_by: Type.Optional(oneOf(TOP_BY, { description: '`top_by`, as sent.' })),
    notice: Notice,
  },
  { additionalProperties: false, description: 'Clicks, devices, traffic sources and top links of a window of days.' },
);

/** Analytics. With `fields`, they have only some parts; the type does not say so, the schema does. */
export const Analytics = Type.Unsafe<Static<typeof AllAnalytics>>({
  ...AllAnalytics,
  required: ['days', 'source', 'tz', 'from', 'to', 'clicks'],
});
export type Analytics = Static<typeof Analytics>;

/** Returns analytics with only the parts that their `fields` name, or as they are without `fields`. */
export function withAnalyticsFields(analytics: Analytics): Analytics {
  if (analytics.fields === undefined) return analytics;
  const names = ['clicks', ...analytics.fields.split(',')];
  const hidden: readonly string[] = ANALYTICS_FIELDS.filter((name) => !names.includes(name));
  return Object.fromEntries(Object.entries(analytics).filter(([name]) => !hidden.includes(name))) as Analytics;
}

/** The names of three letters in the IANA time zone database. Runtimes know further ones, such as `CST`, of ICU alone. */
const SHORT_ZONES = /^(?:cet|eet|est|gmt|hst|met|mst|prc|roc|rok|uct|utc|wet)$/i;

/**
 * Returns true if this runtime knows the name from the IANA time zone database. Fixed offsets such as `+02:00` are not
 * names.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name) || (name.length === 3 && !SHORT_ZONES.test(name))) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
