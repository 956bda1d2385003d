import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { growthChart } from './growth-chart.ts';
import { limitsChart } from './limits-chart.ts';
import type { Report } from './report.ts';
import { growthPart, limitsPart } from './table.ts';

const ROOT = join(import.meta.dirname, '../../..');
const RESULTS = join(ROOT, 'bench/results');
const BLOCK = /(<!-- results:begin[^\n]*-->\n)[\s\S]*?(<!-- results:end -->)/;

/** Writes the report to bench/results: `latest.json`, `latest.svg`, and `growth.svg` if the run has a series. */
export function writeResults(report: Report): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(RESULTS, 'latest.svg'), limitsChart(report));
  const growth = growthChart(report);
  if (growth !== null) writeFileSync(join(RESULTS, 'growth.svg'), growth);
}

/** Writes the limits into docs/performance.md, and the series, if the run has any, into docs/growth.md. */
export function writePages(report: Report): void {
  writePart('docs/performance.md', limitsPart(report), '![The ratios as a chart](../bench/results/latest.svg)');
  const growth = growthPart(report);
  if (growth !== null)
    writePart('docs/growth.md', growth, '![How cost grows, as a chart](../bench/results/growth.svg)');
}

function writePart(path: string, tables: string, chart: string): void {
  const file = join(ROOT, path);
  // Lines of pages have at most 120 characters.
  const folded = tables.replace('; load average', ';\nload average');
  writeFileSync(file, pageWith(readFileSync(file, 'utf8'), `${folded}\n\n${chart}`));
}

/**
 * Returns the page with this content between its markers.
 * @throws if the page has no markers.
 */
export function pageWith(page: string, content: string): string {
  if (!BLOCK.test(page)) throw new Error('the page has no markers for the results');
  return page.replace(BLOCK, (_block, begin: string, end: string) => `${begin}\n${content}\n\n${end}`);
}
