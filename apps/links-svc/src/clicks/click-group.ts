import type { Click } from './click.ts';
import { type ClickRow, clickOfRow } from './click-row.ts';

/** How many characters of rows make a group full. */
export const GROUP_MAX_LENGTH = 256 * 1_024;

/** The value of a group: the JSON of an array of rows, which are JSON already. */
export function groupOf(rows: readonly string[]): string {
  return `[${rows.join(',')}]`;
}

/** The clicks of a group; throws where the value is not one. */
export function clicksOfGroup(value: string): Click[] {
  return (JSON.parse(value) as ClickRow[]).map(clickOfRow);
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
