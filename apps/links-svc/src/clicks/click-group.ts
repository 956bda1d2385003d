import type { Click } from './click.ts';
import { type ClickRow, clickOfRow } from './click-row.ts';
import type { GroupKey } from './spool-tables.ts';

/** The number of characters of rows at which a group is full. */
export const GROUP_MAX_LENGTH = 256 * 1_024;

/** Returns the stored value of a group: a JSON array of rows. Each row is JSON already. */
export function groupOf(rows: readonly string[]): string {
  return `[${rows.join(',')}]`;
}

/** Returns the clicks of a group, or null if its value is damaged. */
export function clicksOfGroup([, count, bytes]: GroupKey, value: string | undefined): Click[] | null {
  // Invalid UTF-8 changes the length: each bad byte is decoded to a character of three bytes.
  if (value === undefined || Buffer.byteLength(value) !== bytes) return null;
  try {
    const clicks = (JSON.parse(value) as ClickRow[]).map(clickOfRow);
    return clicks.length === count ? clicks : null;
  } catch {
    return null;
  }
}

/** Splits rows into parts of at most `maxRows`, each of about the maximum length of a group. */
export function partsOf(rows: readonly string[], maxRows: number): string[][] {
  const parts: string[][] = [];
  let length = 0;
  for (const row of rows) {
    const part = parts.at(-1);
    if (part === undefined || part.length >= maxRows || length > GROUP_MAX_LENGTH) {
      parts.push([row]);
      length = row.length;
    } else {
      part.push(row);
      length += row.length;
    }
  }
  return parts;
}
