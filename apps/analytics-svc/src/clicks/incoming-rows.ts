import type { Clicks, Column } from './click.ts';

/** The columns of a click that an insert sends. */
export const INSERTED_COLUMNS = [
  'batch',
  'id',
  'account_id',
  'link_id',
  'clicked_at',
  'verdict',
  'source',
  'referrer',
  'device',
  'browser',
  'os',
  'country',
  'visitor',
  'host',
  'language',
  'utm_campaign',
  'utm_medium',
  'utm_content',
  'utm_term',
] as const;

const ID_DIGITS = 32;
/** Ten digits of seconds and three decimals. ClickHouse reads a number with fewer digits as a date. */
const TIME_LENGTH = 14;

/**
 * Returns the rows of a batch in ClickHouse's format JSONCompactEachRow, in the order of
 * `INSERTED_COLUMNS`. Each distinct text is encoded as JSON once, together with its neighbours in the row that come from
 * the same text. Rows are joined in pieces, because one string of all rows would be a chain of thousands of strings.
 */
export function incomingRows(clicks: Clicks, mark: string): Buffer {
  const ids = Buffer.from(clicks.ids.buffer, clicks.ids.byteOffset, clicks.ids.byteLength).toString('hex');
  const accountOf = jsonOf(clicks.accountIds, (id) => [id]);
  const linkOf = jsonOf(clicks.linkIds, (id) => [id]);
  const verdictOf = jsonOf(clicks.verdicts, (verdict) => [verdict]);
  const originOf = jsonOf(clicks.origins, ({ source, referrer }) => [source, referrer]);
  const clientOf = jsonOf(clicks.clients, ({ device, browser, os }) => [device, browser, os]);
  const countryOf = jsonOf(clicks.countries, (country) => [country]);
  const hostOf = jsonOf(clicks.hosts, (host) => [host]);
  const languageOf = jsonOf(clicks.languages, (language) => [language]);
  const campaignOf = jsonOf(clicks.utmCampaigns, (campaign) => [campaign]);
  const mediumOf = jsonOf(clicks.utmMediums, (medium) => [medium]);
  const contentOf = jsonOf(clicks.utmContents, (content) => [content]);
  const termOf = jsonOf(clicks.utmTerms, (term) => [term]);
  const pieces: Buffer[] = [];
  let rows = '';
  for (let n = 0; n < clicks.count; n++) {
    const id = ids.slice(n * ID_DIGITS, (n + 1) * ID_DIGITS);
    rows +=
      `[${mark},"${id}",${accountOf(n)},${linkOf(n)},"${secondsOf(clicks.clickedAtMs[n]!)}",${verdictOf(n)},` +
      `${originOf(n)},${clientOf(n)},${countryOf(n)},${clicks.visitors[n]},${hostOf(n)},` +
      `${languageOf(n)},${campaignOf(n)},${mediumOf(n)},${contentOf(n)},${termOf(n)}]\n`;
    if (rows.length > PIECE_LENGTH) {
      pieces.push(Buffer.from(rows));
      rows = '';
    }
  }
  pieces.push(Buffer.from(rows));
  return Buffer.concat(pieces);
}

const PIECE_LENGTH = 16 * 1_024;

/** Returns a function that returns the texts of a click's value as JSON, with commas between them. */
function jsonOf<Value>(
  { values, indexes }: Column<Value>,
  textsOf: (value: Value) => readonly string[],
): (click: number) => string {
  const json = values.map((value) => JSON.stringify(textsOf(value)).slice(1, -1));
  return (click) => json[indexes[click]!]!;
}

/** Returns milliseconds since the epoch as seconds with three decimals. */
function secondsOf(ms: number): string {
  return (ms / 1000).toFixed(3).padStart(TIME_LENGTH, '0');
}
