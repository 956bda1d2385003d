import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { growthChart } from './growth-chart.ts';
import { limitsChart } from './limits-chart.ts';
import type { Report } from './report.ts';
import { tablesOf } from './table.ts';

const ROOT = join(import.meta.dirname, '../../..');
const RESULTS = join(ROOT, 'bench/results');
const PAGE = join(ROOT, 'docs/performance.md');
const BLOCK = /(<!-- results:begin[^\n]*-->\n)[\s\S]*?(<!-- results:end -->)/;

/** Writes the report to bench/results: `latest.json`, `latest.svg`, and `growth.svg` if it has a series. */
export function writeResults(report: Report): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(RESULTS, 'latest.svg'), limitsChart(report));
  const growth = growthChart(report);
  if (growth === null) rmSync(join(RESULTS, 'growth.svg'), { force: true });
  else writeFileSync(join(RESULTS, 'growth.svg'), growth);
}

/** Writes the report into docs/performance.md. */
export function writePage(report: Report): void {
  writeFileSync(PAGE, pageWith(readFileSync(PAGE, 'utf8'), report));
}

/**
 * Returns the page with the tables and charts of the report between its markers.
 * @throws if the page has no markers.
 */
export function pageWith(page: string, report: Report): string {
  if (!BLOCK.test(page)) throw new Error('the page has no markers for the results');
  const charts = [
    '![The ratios as a chart](../bench/results/latest.svg)',
    ...(growthChart(report) === null ? [] : ['![How cost grows, as a chart](../bench/results/growth.svg)']),
  ];
  const content = [tablesOf(report), ...charts].join('\n\n');
  return page.replace(BLOCK, (_block, begin: string, end: string) => `${begin}\n${content}\n\n${end}`);
}
