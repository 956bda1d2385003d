import Type, { type Static } from 'typebox';
import { nullableText, oneOf } from '../text.ts';

export const DEVICES = ['desktop', 'mobile', 'tablet', 'other'] as const;
export type Device = (typeof DEVICES)[number];

export const MAX_SOURCES = 50;
export const MAX_TOP_LINKS = 10;

/** The query of `GET /api/v1/analytics`, and the arguments of the tool `get_analytics`. */
export const AnalyticsQuery = Type.Object(
  {
    days: Type.Integer({
      minimum: 1,
      maximum: 365,
      default: 30,
      description: 'Length of the window in whole days, today included.',
    }),
    tz: Type.String({
      minLength: 1,
      maxLength: 64,
      format: 'iana-time-zone',
      default: 'UTC',
      description: 'IANA time zone whose midnights begin and end the days.',
      examples: ['Europe/Berlin'],
    }),
    source: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Count only clicks from this source, a name that `sources` reports, in any case.',
        examples: ['google.com'],
      }),
    ),
  },
  { additionalProperties: false },
);
export type AnalyticsQuery = Static<typeof AnalyticsQuery>;

const clicks = Type.Integer({ minimum: 0, description: 'Number of clicks.', examples: [12] });
const date = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description, examples: ['2026-11-21'] });

const TopLink = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the link.' }),
    slug: Type.String({ description: 'Short path of the link.' }),
    short_url: Type.String({ description: 'The short URL.' }),
    title: nullableText(200, { description: 'Title of the link.' }),
    destination_url: Type.String({ description: 'Where the link leads.' }),
    clicks,
  },
  { additionalProperties: false },
);

/**
 * Clicks in a window of whole days. The sums over days and over devices equal `clicks`. So does the sum over sources,
 * unless there are more than {@link MAX_SOURCES}.
 */
export const Analytics = Type.Object(
  {
    days: Type.Integer({ description: 'Length of the window in days.', examples: [30] }),
    source: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The source that was asked for, or null.',
      examples: [null],
    }),
    tz: Type.String({ description: 'Time zone of the days.', examples: ['UTC'] }),
    from: date('First day of the window.'),
    to: date('Last day of the window: today.'),
    clicks: Type.Integer({ minimum: 0, description: 'All clicks in the window.', examples: [1234] }),
    clicks_by_day: Type.Array(Type.Object({ date: date('The day.'), clicks }, { additionalProperties: false }), {
      description: 'Every day of the window, oldest first, zeros included.',
    }),
    devices: Type.Array(
      Type.Object(
        { device: oneOf(DEVICES, { description: 'Kind of device.' }), clicks },
        { additionalProperties: false },
      ),
      { description: 'Clicks by device, most first.' },
    ),
    sources: Type.Array(
      Type.Object(
        { source: Type.String({ description: 'Name of the traffic source.', examples: ['google.com'] }), clicks },
        { additionalProperties: false },
      ),
      { maxItems: MAX_SOURCES, description: 'Clicks by traffic source, most first; `direct` where there is none.' },
    ),
    top_links: Type.Array(TopLink, { maxItems: MAX_TOP_LINKS, description: 'The most clicked links.' }),
  },
  { additionalProperties: false, description: 'Clicks, devices, traffic sources and top links of a window of days.' },
);
export type Analytics = Static<typeof Analytics>;

/**
 * Returns true if this runtime knows the name from the IANA time zone database. Fixed offsets such as `+02:00` are not
 * names.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
