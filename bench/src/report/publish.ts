import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { growthChart } from './growth-chart.ts';
import { limitsChart } from './limits-chart.ts';
import type { Report } from './report.ts';
import { growthPart, limitsPart } from './table.ts';

const ROOT = join(import.meta.dirname, '../../..');
const RESULTS = join(ROOT, 'bench/results');
const BLOCK = /(<!-- results:begin[^\n]*-->\n)[\s\S]*?(<!-- results:end -->)/;

/** Writes the report to bench/results: `latest.json`, `latest.svg`, and `growth.md` and its chart if the run has a series. */
export function writeResults(report: Report): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(RESULTS, 'latest.svg'), limitsChart(report));
  const growth = growthPart(report);
  if (growth === null) return;
  writeFileSync(
    join(RESULTS, 'growth.md'),
    `# How cost grows\n\n${folded(growth)}\n\n![The series as a chart](growth.svg)\n`,
  );
  writeFileSync(join(RESULTS, 'growth.svg'), growthChart(report)!);
}

/** Writes the limits into docs/performance.md. */
export function writePages(report: Report): void {
  const file = join(ROOT, 'docs/performance.md');
  const limits = `${folded(limitsPart(report))}\n\n![The ratios as a chart](../bench/results/latest.svg)`;
  writeFileSync(file, pageWith(readFileSync(file, 'utf8'), limits));
}

/** Returns the text with at most 120 characters in a line of prose. */
function folded(tables: string): string {
  return tables.replace('; load average', ';\nload average');
}

/**
 * Returns the page with this content between its markers.
 * @throws if the page has no markers.
 */
export function pageWith(page: string, content: string): string {
  if (!BLOCK.test(page)) throw new Error('the page has no markers for the results');
  return page.replace(BLOCK, (_block, begin: string, end: string) => `${begin}\n${content}\n\n${end}`);
}
