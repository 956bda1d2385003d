import { isOverLimit, limitedResults, nameOf, type Report } from './report.ts';
import { bar, GREEN, GREY, line, RED, svgDocument, text } from './svg.ts';
import { aboutOf } from './table.ts';

const WIDTH = 960;
const LABELS = 380;
const VALUES = 70;
const ROW = 26;
const HEAD = 60;
const FOOT = 30;

/** Draws the ratios as bars, each with a mark at its limit; 1 is the floor. Returns a complete SVG document. */
export function limitsChart(report: Report): string {
  const results = limitedResults(report);
  const most = Math.max(1, ...results.flatMap(({ ratio, limit }) => [ratio, limit ?? 0]));
  const x = (ratio: number) => LABELS + (ratio / most) * (WIDTH - LABELS - VALUES);
  const height = HEAD + results.length * ROW + FOOT;
  const bars = results.flatMap((result, index) => {
    const { endpoint, ratio, limit } = result;
    const top = HEAD + index * ROW;
    const middle = top + ROW / 2 + 4;
    const colour = isOverLimit(result) ? RED : limit === null ? GREY : GREEN;
    return [
      text(LABELS - 10, middle, `${nameOf(result)}, ${endpoint}`, { anchor: 'end' }),
      bar(LABELS, top + 5, x(ratio) - LABELS, ROW - 10, colour),
      text(x(Math.max(ratio, limit ?? 0)) + 6, middle, `${ratio.toFixed(2)} ×`),
      ...(limit === null ? [] : [line(x(limit), top + 2, x(limit), top + ROW - 2, 2)]),
    ];
  });
  return svgDocument(WIDTH, height, 'Cost of each work, as a multiple of its floor', [
    text(
      WIDTH / 2,
      42,
      'CPU time for each request (analytics: time to the answer); upright marks are the limits, grey bars have none',
      {
        anchor: 'middle',
      },
    ),
    line(x(1), HEAD, x(1), height - FOOT, 1),
    ...bars,
    text(WIDTH / 2, height - 10, aboutOf(report), { anchor: 'middle', size: 10 }),
  ]);
}
