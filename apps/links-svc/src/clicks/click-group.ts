import type { Click } from './click.ts';
import { type ClickRow, clickOfRow } from './click-row.ts';
import type { GroupKey } from './spool-tables.ts';

/** How many characters of rows make a group full. */
export const GROUP_MAX_LENGTH = 256 * 1_024;

/** The value of a group: the JSON of an array of rows, which are JSON already. */
export function groupOf(rows: readonly string[]): string {
  return `[${rows.join(',')}]`;
}

/** The clicks of a group; null if its value is damaged. */
export function clicksOfGroup([, count, bytes]: GroupKey, value: string | undefined): Click[] | null {
  // The length shows bytes that are no UTF-8: each was read as a character of three.
  if (value === undefined || Buffer.byteLength(value) !== bytes) return null;
  try {
    const clicks = (JSON.parse(value) as ClickRow[]).map(clickOfRow);
    return clicks.length === count ? clicks : null;
  } catch {
    return null;
  }
}

/** Splits rows into parts of at most `maxRows`, each about as long as a group may be. */
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
