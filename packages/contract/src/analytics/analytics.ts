import Type, { type Static, type TSchema } from 'typebox';
import { Notice } from '../notice.ts';
import { nullableText, oneOf } from '../text.ts';
import { DEVICES } from '../visitors/clients.ts';
import { ANALYTICS_FIELDS, type CrossPart, MAX_TOP_LINKS, TOP_BY, type UtmName } from './analytics-query.ts';

export const MAX_SOURCES = 50;
/** The most entries of every other list of names in an answer. */
export const MAX_NAMES = 50;

/** The reasons why a redirect does not count as a click (docs/api.md, Clicks). The set is closed. */
export const NOT_COUNTED_REASONS = ['prefetch', 'empty_user_agent', 'preview', 'library', 'bot'] as const;
export type NotCountedReason = (typeof NOT_COUNTED_REASONS)[number];

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
const language = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'The first language of `Accept-Language`, two letters, or null if unknown.',
  examples: ['de'],
});
const utm = (name: UtmName, example: string) =>
  Type.String({ description: `\`${name}\` of the short URL, else of the destination.`, examples: [example] });
const utms = {
  utm_campaign: utm('utm_campaign', 'summer'),
  utm_medium: utm('utm_medium', 'email'),
  utm_content: utm('utm_content', 'button'),
  utm_term: utm('utm_term', 'shoes'),
};
/** The list of a `utm_…`. */
const utmList = <Name extends UtmName>(name: Name) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        { [name]: utms[name], clicks } as { [Key in Name]: (typeof utms)[Name] } & { clicks: typeof clicks },
        {
          additionalProperties: false,
        },
      ),
      {
        maxItems: MAX_NAMES,
        description: `Clicks by \`${name}\`, in descending order; clicks without one are excluded.`,
      },
    ),
  );
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
    language: Type.Optional(language),
    host: Type.Optional(host),
    hashtag: Type.Optional(Type.String({ description: 'A hashtag that the link has now.', examples: ['summer'] })),
    utm_campaign: Type.Optional(utms.utm_campaign),
    utm_medium: Type.Optional(utms.utm_medium),
    utm_content: Type.Optional(utms.utm_content),
    utm_term: Type.Optional(utms.utm_term),
    clicks,
  } satisfies Record<CrossPart | 'clicks', TSchema>,
  { additionalProperties: false },
);
export type CrossEntry = Static<typeof CrossEntry>;

/**
 * Returns an entry of `cross`. The order of its keys is that of the parts. A name is null for an unknown country or
 * language and the default host.
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
    languages: Type.Optional(
      Type.Array(Type.Object({ language, clicks }, { additionalProperties: false }), {
        maxItems: MAX_NAMES,
        description: 'Clicks by language, in descending order.',
      }),
    ),
    utm_campaigns: utmList('utm_campaign'),
    utm_mediums: utmList('utm_medium'),
    utm_contents: utmList('utm_content'),
    utm_terms: utmList('utm_term'),
    verdicts: Type.Optional(
      Type.Array(
        Type.Object(
          {
            verdict: oneOf(NOT_COUNTED_REASONS, { description: 'Why they do not count.' }),
            requests: Type.Integer({ minimum: 0, description: 'Number of requests.', examples: [7] }),
          },
          { additionalProperties: false },
        ),
        { description: 'Requests that were redirected and do not count as clicks, by reason, in descending order.' },
      ),
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
          'Clicks by the two parts of `cross`, in descending order. A click counts once for each hashtag of its link; one without a hashtag or `utm_…` that is one of the parts is excluded.',
      }),
    ),
    link_id: echo('link_id'),
    hashtag: echo('hashtag'),
    device: echo('device'),
    country: echo('country'),
    browser: echo('browser'),
    os: echo('os'),
    host: echo('host'),
    language: echo('language'),
    utm_campaign: echo('utm_campaign'),
    utm_medium: echo('utm_medium'),
    utm_content: echo('utm_content'),
    utm_term: echo('utm_term'),
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
