import type { ClickTable } from '../database/schema.ts';
import type { Clicks, Column } from './click.ts';

/** What all rows of an insert have in common. */
export interface IncomingBatch {
  /** The batch's name in the tables. */
  mark: bigint;
  /** The one table that the rows are for; empty for all. */
  only: ClickTable | '';
  receivedAtMs: number;
}

const ID_DIGITS = 32;
/** Ten digits and three decimals: what has fewer digits, ClickHouse takes for a date. */
const SECONDS_LENGTH = 14;

/**
 * The rows of a batch for the table `incoming_clicks`, in ClickHouse's format JSONCompactEachRow. Each different text is
 * written as JSON once and not for each click.
 */
export function incomingRows(clicks: Clicks, { mark, only, receivedAtMs }: IncomingBatch): string {
  const ids = Buffer.from(clicks.ids.buffer, clicks.ids.byteOffset, clicks.ids.byteLength).toString('hex');
  const accounts = jsonOf(clicks.accountIds);
  const links = jsonOf(clicks.linkIds);
  const sources = jsonOf(clicks.sources);
  const devices = jsonOf(clicks.devices);
  const verdicts = jsonOf(clicks.verdicts);
  const common = `[${mark},"${only}",${Math.floor(receivedAtMs / 1000)},"`;
  let rows = '';
  for (let n = 0; n < clicks.count; n++) {
    const id = uuidOf(ids, n * ID_DIGITS);
    const clickedAt = (clicks.clickedAtMs[n]! / 1000).toFixed(3).padStart(SECONDS_LENGTH, '0');
    rows += `${common}${id}",${accounts[clicks.accountIds.indexes[n]!]},${links[clicks.linkIds.indexes[n]!]},"${clickedAt}",${
      sources[clicks.sources.indexes[n]!]
    },${devices[clicks.devices.indexes[n]!]},${verdicts[clicks.verdicts.indexes[n]!]}]\n`;
  }
  return rows;
}

function jsonOf({ values }: Column<string>): string[] {
  return values.map((value) => JSON.stringify(value));
}

/** The UUID whose 32 digits begin there. */
function uuidOf(digits: string, at: number): string {
  const part = (from: number, to: number) => digits.slice(at + from, at + to);
  return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
}
