import { isOverLimit, type Report } from './report.ts';
import { aboutOf } from './table.ts';

const WIDTH = 960;
const LABELS = 400;
const VALUES = 90;
const ROW = 26;
const HEAD = 60;
const FOOT = 30;
const GREEN = '#2da44e';
const RED = '#cf222e';
/** Readable on white and on black. */
const GREY = '#808890';

/** The ratios as bars, each with a mark where its limit is; 1 is the floor. An SVG document that stands alone. */
export function chartOf(report: Report): string {
  const { results } = report;
  const most = Math.max(1, ...results.flatMap(({ ratio, limit }) => [ratio, limit ?? 0]));
  const x = (ratio: number) => LABELS + (ratio / most) * (WIDTH - LABELS - VALUES);
  const height = HEAD + results.length * ROW + FOOT;
  const bottom = height - FOOT;
  const bars = results.flatMap((result, index) => {
    const { work, door, database, ratio, limit } = result;
    const top = HEAD + index * ROW;
    const middle = top + ROW / 2 + 4;
    const label = `${work}, ${door}${database === 'embedded' ? '' : `, ${database}`}`;
    return [
      `<text x="${LABELS - 10}" y="${middle}" text-anchor="end">${escapeText(label)}</text>`,
      `<rect x="${LABELS}" y="${top + 5}" width="${round(x(ratio) - LABELS)}" height="${ROW - 10}" fill="${isOverLimit(result) ? RED : limit === null ? GREY : GREEN}"/>`,
      `<text x="${round(x(Math.max(ratio, limit ?? 0)) + 6)}" y="${middle}">${ratio.toFixed(2)} ×</text>`,
      ...(limit === null ? [] : [line(x(limit), top + 2, top + ROW - 2, 2)]),
    ];
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" fill="${GREY}" role="img">`,
    '<title>What each work costs, as a multiple of the least it could cost</title>',
    `<text x="${WIDTH / 2}" y="22" text-anchor="middle" font-size="15">Cost of each work, as a multiple of its floor</text>`,
    `<text x="${WIDTH / 2}" y="42" text-anchor="middle">CPU time for each request (analytics: time to the answer); upright marks are the limits</text>`,
    line(x(1), HEAD, bottom, 1),
    ...bars,
    `<text x="${WIDTH / 2}" y="${height - 10}" text-anchor="middle" font-size="10">${escapeText(aboutOf(report))}</text>`,
    '</svg>',
  ].join('\n')}\n`;
}

function line(x: number, from: number, to: number, width: number): string {
  return `<line x1="${round(x)}" x2="${round(x)}" y1="${from}" y2="${to}" stroke="${GREY}" stroke-width="${width}"/>`;
}

function round(value: number): string {
  return value.toFixed(1);
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
