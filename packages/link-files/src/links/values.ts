import { shortenName } from '@waymark/contract';
import { REPEATED, RowError } from '../rows/row.ts';
import { CELL_MAX_LENGTH } from '../sizes.ts';

/** What databases and spreadsheets write for false, or for no value. */
const NO = new Set(['', '0', 'f', 'false', 'n', 'no', 'off', 'null', 'none', 'never']);
const YES = new Set(['1', 't', 'true', 'y', 'yes', 'on']);

/** Returns true for a value without information. A title of one space is a title, but says nothing about the row. */
export function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** Returns true for a value that sets no limit: false in any writing, zero, nothing, or an object of such values. */
export function isNo(value: unknown): boolean {
  if (isBlank(value)) return true;
  if (typeof value === 'object') return Object.values(value!).every(isSimpleNo);
  return isSimpleNo(value) || isEmptyJson(value);
}

function isSimpleNo(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && NO.has(String(value).trim().toLowerCase()));
}

/** Returns true for the text of an empty list or object, as it is in a cell. */
function isEmptyJson(value: unknown): boolean {
  return value === '[]' || value === '{}';
}

/** Returns true or false for any writing of them, and other values as they are. */
export function booleanOf(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const text = String(value).trim().toLowerCase();
  return YES.has(text) ? true : text !== '' && NO.has(text) ? false : value;
}

/**
 * Checks that a value is a text, a number that was read exactly, or a truth value.
 * @throws {RowError}
 */
export function checkScalar(value: unknown, column: string): void {
  if (typeof value === 'object' && value !== null)
    throw new RowError(`The column ${shown(column)} must be a text; it is a JSON list or object.`);
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new RowError(
      `The column ${shown(column)} has a number that cannot be read exactly; write it as a text, in quotes.`,
    );
}

/**
 * Returns the text of a value.
 * @throws {RowError} if it is none of those of {@link checkScalar}, or too long.
 */
export function textOf(value: unknown, column: string): string {
  checkScalar(value, column);
  const text = String(value);
  if (text.length > CELL_MAX_LENGTH)
    throw new RowError(`The column ${shown(column)} is longer than ${CELL_MAX_LENGTH} characters.`);
  return text;
}

/** Returns a value for a message. Objects are only named: `String` fails for some of them. */
export function shownValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'a JSON list or object' : String(value);
}

/** Returns a text from a file for a message. */
export function shown(text: string): string {
  return `"${shownName(text)}"`;
}

/** Returns the name of a column as the file has it, shortened. */
export function shownName(name: string): string {
  return shortenName(name.replaceAll(REPEATED, ''));
}
