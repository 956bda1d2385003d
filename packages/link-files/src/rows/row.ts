import { AppError } from '@waymark/contract';
import { COLUMNS_MAX, ROW_MAX_LENGTH } from '../sizes.ts';

/** The values of a row by the names of their columns, without those that are absent. */
export type Cells = ReadonlyMap<string, unknown>;

/** Ends the name of a column if others before it have that name, once for each. No message shows it. */
export const REPEATED = '\uE000';

/** What is wrong with a row. */
export interface RowFault {
  /** The line where it begins, from 1. In a JSON list, its position. */
  row: number;
  error: string;
}

export type ReadRow = { row: number; cells: Cells } | RowFault;

/** Thrown for a row that cannot be imported. The message is for the person who imports it. */
export class RowError extends Error {
  override readonly name = 'RowError';
}

/** Returns the error for a row that is longer than {@link ROW_MAX_LENGTH}. Nothing after it can be read. */
export function rowTooLong(where: string): AppError {
  return new AppError('invalid', `The row ${where} is longer than ${ROW_MAX_LENGTH} characters.`);
}

/** Returns the row of a JSON value, or what is wrong with it. */
export function rowOfJson(row: number, value: unknown): ReadRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { row, error: 'The row is not a JSON object.' };
  if (Object.keys(value).length > COLUMNS_MAX) return { row, error: `The row has more than ${COLUMNS_MAX} values.` };
  // The API of Shlink has some of the values in `meta`. They count, also if the link has others of their names.
  const entries = Object.entries(value);
  const meta = entries.flatMap(([name, cell]) => (name === 'meta' && isObject(cell) ? Object.entries(cell) : []));
  const all = entries.flatMap((entry) => (entry[0] === 'meta' && isObject(entry[1]) ? meta : [entry]));
  return { row, cells: new Map([...all, ...meta]) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
