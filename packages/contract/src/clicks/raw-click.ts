import Type, { type Static } from 'typebox';
import { csv, defuse, EXPORT_FORMATS, type ExportFormat } from '../csv.ts';
import { DESTINATION_MAX_LENGTH } from '../links/destination.ts';
import { nullableText, oneOf, text, timestamp } from '../text.ts';
import { DEVICES } from '../visitors/clients.ts';

const utm = (name: string) =>
  nullableText(100, { description: `\`utm_${name}\` of the short URL, else of the destination, or null.` });

/** A counted click as `GET /api/v1/clicks` returns it. */
export const RawClick = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the click.', examples: ['019f3c52-7c1e-7d10-9a53-0e6f1f6b2c11'] }),
    link_id: Type.String({ description: 'Identifier of the link.' }),
    slug: Type.String({ description: 'Short path of the link, as it is now.', examples: ['spring-sale'] }),
    host: nullableText(253, { description: 'The short host at the click, or null for the default host.' }),
    clicked_at: timestamp({ description: 'When the visitor was redirected.' }),
    source: Type.String({ description: 'Name of the traffic source.', examples: ['google.com'] }),
    referrer: nullableText(253, {
      description: 'Host of the page that the visitor came from, or null if unknown.',
      examples: ['news.ycombinator.com'],
    }),
    device: oneOf(DEVICES, { description: 'Kind of device.' }),
    browser: Type.String({ description: 'Name of the browser.', examples: ['Firefox'] }),
    os: Type.String({ description: 'Name of the operating system.', examples: ['Android'] }),
    country: nullableText(2, { description: 'ISO 3166-1 alpha-2, or null if unknown.', examples: ['DE'] }),
    language: nullableText(2, { description: 'First language of the visitor, or null if unknown.', examples: ['de'] }),
    utm_campaign: utm('campaign'),
    utm_medium: utm('medium'),
    utm_content: utm('content'),
    utm_term: utm('term'),
    cursor: Type.String({ description: 'What to send as `after` to go on behind this click.' }),
  },
  { additionalProperties: false },
);
export type RawClick = Static<typeof RawClick>;

const LIMIT_MAX = 1_000_000;
const DEFAULT_LIMIT = 100_000;
const LAST_MAX = 1_000;
const CURSOR_MAX_LENGTH = 100;

/** The query of `GET /api/v1/clicks`. */
export const RawClicksQuery = Type.Object(
  {
    after: Type.Optional(
      text(1, CURSOR_MAX_LENGTH, {
        description: 'The last `cursor` that was read. Without it, the clicks from the first one on.',
      }),
    ),
    limit: Type.Integer({
      minimum: 1,
      maximum: LIMIT_MAX,
      default: DEFAULT_LIMIT,
      description: 'The most clicks of the answer.',
    }),
    last: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LAST_MAX,
        description:
          'Only so many clicks, those that happened latest, in the order in which they were stored. Not with `after`.',
      }),
    ),
    link_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: DESTINATION_MAX_LENGTH,
        description: 'Only clicks of this link: its id, slug or short URL.',
      }),
    ),
    format: oneOf(EXPORT_FORMATS, {
      default: 'ndjson',
      description: 'One JSON object on each line, or CSV (RFC 4180) with a header row.',
    }),
  },
  { additionalProperties: false },
);
export type RawClicksQuery = Static<typeof RawClicksQuery>;

const COLUMNS = Object.keys(RawClick.properties) as (keyof RawClick)[];

/** Returns the first line of raw clicks, or an empty text if the format has none. */
export function rawClicksHeader(format: ExportFormat): string {
  return format === 'csv' ? csv([COLUMNS]) : '';
}

/** Returns clicks as lines. */
export function rawClickLines(format: ExportFormat, clicks: readonly RawClick[]): string {
  if (format === 'ndjson') return clicks.map((click) => `${JSON.stringify(click)}\n`).join('');
  return csv(clicks.map((click) => COLUMNS.map((name) => defuse(click[name] ?? ''))));
}
