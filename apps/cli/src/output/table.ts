import stringWidth from 'string-width';
import { lineWidth, oneLine, styled } from './print.ts';

/** A column of a table. */
export interface Column<Row> {
  title: string;
  value(row: Row): string | number | null;
  /** The least width to which it may be cut. Without it, it is never cut. */
  min?: number;
  /** Columns with the highest number are dropped first if the line is too narrow. Without it, never. */
  droppedAt?: number;
}

const GAP = 2;
const segmenter = new Intl.Segmenter();

/** Returns a table that fits into lines of `width`. Numbers are aligned to the right. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width = lineWidth()): string {
  const cells = new Map(columns.map((column) => [column, rows.map((row) => cellOf(column.value(row)))]));
  const natural = (column: Column<Row>) =>
    Math.max(...[column.title, ...cells.get(column)!].map((t) => stringWidth(t)));
  const shown = shownColumns(columns, natural, width);
  const widths = shrink(shown, natural, width);
  const line = (textOf: (column: Column<Row>) => string) =>
    shown
      .map((column, index) => {
        const text = cut(textOf(column), widths[index]!);
        const padding = ' '.repeat(Math.max(0, widths[index]! - stringWidth(text)));
        const isNumber = rows.length > 0 && rows.every((row) => typeof column.value(row) === 'number');
        return isNumber ? padding + text : text + padding;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  return [
    styled(
      'bold',
      line(({ title }) => title),
    ),
    ...rows.map((_, row) => line((column) => cells.get(column)![row]!)),
  ].join('\n');
}

function cellOf(value: string | number | null): string {
  return typeof value === 'number' ? value.toLocaleString('en') : oneLine(value ?? '');
}

function shownColumns<Row>(
  columns: readonly Column<Row>[],
  natural: (column: Column<Row>) => number,
  width: number,
): Column<Row>[] {
  let shown = [...columns];
  const least = () =>
    shown.reduce((sum, column) => sum + Math.min(natural(column), column.min ?? Infinity) + GAP, -GAP);
  while (least() > width) {
    const next = shown
      .filter(({ droppedAt }) => droppedAt !== undefined)
      .sort((a, b) => b.droppedAt! - a.droppedAt!)[0];
    if (next === undefined) return shown;
    shown = shown.filter((column) => column !== next);
  }
  return shown;
}

/** Takes what is too much from the widest columns that may be cut. */
function shrink<Row>(shown: Column<Row>[], natural: (column: Column<Row>) => number, width: number): number[] {
  const widths = shown.map(natural);
  let surplus = widths.reduce((sum, one) => sum + one + GAP, -GAP) - width;
  while (surplus > 0) {
    const cuttable = shown.flatMap(({ min }, index) => (min !== undefined && widths[index]! > min ? [index] : []));
    if (cuttable.length === 0) return widths;
    const widest = cuttable.reduce((a, b) => (widths[b]! > widths[a]! ? b : a));
    widths[widest]! -= 1;
    surplus -= 1;
  }
  return widths;
}

/** Returns the text, cut to `width` columns of a terminal. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let start = '';
  for (const { segment } of segmenter.segment(text)) {
    if (stringWidth(start + segment) > width - 1) break;
    start += segment;
  }
  return `${start}…`;
}

/** Returns names and values in two columns, without those that are empty. */
export function details(entries: Record<string, string | number | null>): string {
  const filled = Object.entries(entries).filter(([, value]) => value !== null && value !== '');
  const nameWidth = Math.max(...filled.map(([name]) => name.length));
  return filled.map(([name, value]) => `${styled('dim', name.padEnd(nameWidth))}  ${cellOf(value)}`).join('\n');
}
