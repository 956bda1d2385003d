import type { ClickTable } from '../database/schema.ts';
import type { Clicks, Column } from './click.ts';

/** The values that all rows of an insert share. */
export interface IncomingBatch {
  /** The mark of the batch in the tables. */
  mark: bigint;
  /** The only table that the rows are for; empty for all tables. */
  only: ClickTable | '';
  receivedAtMs: number;
}

const ID_DIGITS = 32;
/** ClickHouse reads a number with fewer digits as a date. */
const SECONDS_DIGITS = 10;
const MILLISECONDS = Array.from({ length: 1_000 }, (_, ms) => ms.toString().padStart(3, '0'));
/** Seconds, a point, milliseconds. */
const TIME_LENGTH = SECONDS_DIGITS + 1 + 3;

/**
 * Returns the rows of a batch for the table `incoming_clicks`, in ClickHouse's format JSONCompactEachRow. Each distinct
 * text is encoded as JSON once, with the punctuation around it. Each row is written to the buffer at once, because one
 * string of all rows would be a chain of thousands of pieces.
 */
export function incomingRows(clicks: Clicks, { mark, only, receivedAtMs }: IncomingBatch): Buffer {
  const ids = Buffer.from(clicks.ids.buffer, clicks.ids.byteOffset, clicks.ids.byteLength).toString('hex');
  const common = `[${mark},"${only}",${Math.floor(receivedAtMs / 1000)},"`;
  const accounts = jsonOf(clicks.accountIds, '",', ',');
  const links = jsonOf(clicks.linkIds, '', ',"');
  const sources = jsonOf(clicks.sources, '",', ',');
  const devices = jsonOf(clicks.devices, '', ',');
  const verdicts = jsonOf(clicks.verdicts, '', ']\n');
  const bytes =
    clicks.count * (common.length + ID_DIGITS + TIME_LENGTH) +
    bytesOf(clicks.accountIds, accounts) +
    bytesOf(clicks.linkIds, links) +
    bytesOf(clicks.sources, sources) +
    bytesOf(clicks.devices, devices) +
    bytesOf(clicks.verdicts, verdicts);
  const rows = Buffer.allocUnsafe(bytes);
  const secondsOf = secondsWriter();
  let at = 0;
  for (let n = 0; n < clicks.count; n++) {
    const id = ids.slice(n * ID_DIGITS, (n + 1) * ID_DIGITS);
    const account = accounts[clicks.accountIds.indexes[n]!]!;
    const link = links[clicks.linkIds.indexes[n]!]!;
    const source = sources[clicks.sources.indexes[n]!]!;
    const device = devices[clicks.devices.indexes[n]!]!;
    const verdict = verdicts[clicks.verdicts.indexes[n]!]!;
    at += rows.write(common + id + account + link + secondsOf(clicks.clickedAtMs[n]!) + source + device + verdict, at);
  }
  return rows;
}

/** Returns the JSON of each text, with what precedes and follows it in a row. */
function jsonOf({ values }: Column<string>, before: string, after: string): string[] {
  return values.map((value) => before + JSON.stringify(value) + after);
}

/** Returns the number of bytes that a column takes in all rows. */
function bytesOf({ indexes }: Column<string>, texts: readonly string[]): number {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  let bytes = 0;
  for (const index of indexes) bytes += lengths[index]!;
  return bytes;
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
