import type { Cost, Measured } from '../measure.ts';

/** Formats the compared figure of a side: CPU time per request, or response time. */
export function figureOf(cost: Cost, measure: Measured['measure']): string {
  return measure === 'cpu' ? micros(cost.cpuUsPerRequest) : `${millis(cost.p50Ms)} p50`;
}

/** Formats microseconds with about three digits. */
export function micros(us: number): string {
  return us < 10_000 ? `${us.toFixed(0)} µs` : millis(us / 1_000);
}

/** Formats milliseconds with about three digits. */
export function millis(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : `${ms.toFixed(0)} ms`;
}

/** Formats a round number. */
export function count(value: number): string {
  return value < 1e6 ? value.toLocaleString('en') : `${(value / 1e6).toLocaleString('en')} million`;
}

/**
 * Formats rows as a Markdown table that is also aligned as plain text; the first row is the head. Columns from
 * `numericFrom` on are right-aligned.
 */
export function markdownTable(rows: readonly string[][], numericFrom: number): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)));
  const lines = rows.map(
    (row) =>
      `| ${row.map((cell, column) => (column < numericFrom ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width, column) => (column < numericFrom ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [lines[0]!, rule, ...lines.slice(1)];
}
