import { csvRows } from '../csv.ts';

/** What a job refused: the row or the link's id, and why. */
export interface Refused {
  id: string;
  reason: string;
}

/** Reads the CSV of what a job refused. */
export function readRefusedRows(csv: string): Refused[] {
  const [, ...rows] = csvRows(csv);
  return rows.map(([id = '', reason = '']) => ({ id, reason }));
}
