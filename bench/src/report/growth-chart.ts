import { AXES } from '../options.ts';
import { count } from './format.ts';
import { type Growth, type GrowthRow, growthOver, type Report, type Result } from './report.ts';
import { bar, GREEN, GREY, line, svgDocument, text } from './svg.ts';
import { aboutOf, growthFactorOf } from './table.ts';

const WIDTH = 960;
const LABELS = 380;
const VALUES = 80;
const ROW = 34;
const BARS = 26;
/** Width of a bar as a share of a point's width; each point has one for the measured cost and one for its floor. */
const BAR = 0.34;
const HEAD = 60;
const TITLE = 44;
const FOOT = 30;

/**
 * Draws how cost grows: one row of bars per workload, with a pair per point (the measured cost and its floor), scaled
 * to the highest bar of the row. Returns a complete SVG document, or null if the run has no series.
 */
export function growthChart(report: Report): string | null {
  const growths = AXES.flatMap((axis) => growthOver(axis, report) ?? []);
  if (growths.length === 0) return null;
  let top = HEAD;
  const content = growths.flatMap((growth) => {
    const panel = panelOf(growth, top);
    top += TITLE + growth.rows.length * ROW;
    return panel;
  });
  return svgDocument(WIDTH, top + FOOT, 'How the cost of each work grows', [
    text(
      WIDTH / 2,
      42,
      'CPU time of each request (analytics: time to the response), with its floor in grey; each row has its own scale',
      {
        anchor: 'middle',
      },
    ),
    ...content,
    text(WIDTH / 2, top + FOOT - 10, aboutOf(report), { anchor: 'middle', size: 10 }),
  ]);
}

function panelOf({ axis, points, rows }: Growth, top: number): string[] {
  const column = (WIDTH - LABELS - VALUES) / points.length;
  const heads = points.map((at, index) =>
    text(LABELS + (index + 0.5) * column, top + TITLE - 12, `${count(at)} ${axis}`, { anchor: 'middle' }),
  );
  const bodies = rows.flatMap((row, index) => rowOf(row, top + TITLE + index * ROW, column));
  return [...heads, ...bodies];
}

function rowOf(row: GrowthRow, top: number, column: number): string[] {
  const bottom = top + BARS;
  const most = Math.max(...row.results.flatMap((result) => (result ? [own(result), floor(result)] : [])));
  const height = (value: number) => (value / most) * BARS;
  const bars = row.results.flatMap((result, index) => {
    const middle = LABELS + (index + 0.5) * column;
    if (!result) return [text(middle, bottom - 6, '–', { anchor: 'middle' })];
    return [
      bar(middle - BAR * column, bottom - height(own(result)), BAR * column, height(own(result)), GREEN),
      bar(middle, bottom - height(floor(result)), BAR * column, height(floor(result)), GREY),
    ];
  });
  return [
    text(LABELS - 10, bottom - 6, row.label, { anchor: 'end' }),
    line(LABELS, bottom, WIDTH - VALUES, bottom, 0.5),
    ...bars,
    text(WIDTH - VALUES + 8, bottom - 6, growthFactorOf(row)),
  ];
}

function own({ cost, measure }: Result): number {
  return measure === 'cpu' ? cost.cpuUsPerRequest : cost.p50Ms;
}

function floor({ floor: cost, measure }: Result): number {
  return measure === 'cpu' ? cost.cpuUsPerRequest : cost.p50Ms;
}
