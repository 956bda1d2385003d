import type { Clicks, Column } from './click.ts';

const ID_DIGITS = 32;
/** ClickHouse reads a number with fewer digits as a date. */
const SECONDS_DIGITS = 10;
const MILLISECONDS = Array.from({ length: 1_000 }, (_, ms) => ms.toString().padStart(3, '0'));

/**
 * Returns the rows of a batch in ClickHouse's format JSONCompactEachRow, with the values of `INSERTED_COLUMNS`. Each
 * distinct text is encoded as JSON once, together with its neighbours in the row that come from the same text. Rows are
 * joined in pieces, because one string of all rows would be a chain of thousands of strings.
 */
export function incomingRows(clicks: Clicks, mark: string): Buffer {
  const ids = Buffer.from(clicks.ids.buffer, clicks.ids.byteOffset, clicks.ids.byteLength).toString('hex');
  const accountOf = jsonOf(clicks.accountIds, (id) => [id]);
  const linkOf = jsonOf(clicks.linkIds, (id) => [id]);
  const verdictOf = jsonOf(clicks.verdicts, (verdict) => [verdict]);
  const originOf = jsonOf(clicks.origins, ({ source, referrer }) => [source, referrer]);
  const clientOf = jsonOf(clicks.clients, ({ device, browser, os }) => [device, browser, os]);
  const countryOf = jsonOf(clicks.countries, (country) => [country]);
  const secondsOf = secondsWriter();
  const pieces: Buffer[] = [];
  let rows = '';
  for (let n = 0; n < clicks.count; n++) {
    const id = ids.slice(n * ID_DIGITS, (n + 1) * ID_DIGITS);
    rows +=
      `[${mark},"${id}",${accountOf(n)},${linkOf(n)},"${secondsOf(clicks.clickedAtMs[n]!)}",${verdictOf(n)},` +
      `${originOf(n)},${clientOf(n)},${countryOf(n)},${clicks.visitors[n]}]\n`;
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

/**
 * Returns a function that writes milliseconds as seconds with three decimals. It keeps the text of the last second,
 * because consecutive clicks are mostly in the same one.
 */
function secondsWriter(): (ms: number) => string {
  let seconds = -1;
  let digits = '';
  return (ms) => {
    const whole = Math.floor(ms / 1000);
    if (whole !== seconds) {
      seconds = whole;
      digits = `${whole.toString().padStart(SECONDS_DIGITS, '0')}.`;
    }
    return digits + MILLISECONDS[ms - whole * 1000];
  };
}
