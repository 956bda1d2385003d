import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../checkout.ts';
import type { Report } from './report.ts';
import { resultsPart } from './table.ts';

const RESULTS = join(ROOT, 'bench/results');
const PAGE = join(ROOT, 'docs/performance.md');
const BLOCK = /(<!-- results:begin[^\n]*-->\n)[\s\S]*?(<!-- results:end -->)/;

/** Writes the report to `bench/results/latest.json`. */
export function writeResults(report: Report): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`);
}

/** Writes the table into docs/performance.md, with at most 120 characters in a line of prose. */
export function writePage(report: Report): void {
  const content = resultsPart(report).replace('; load average', ';\nload average');
  writeFileSync(PAGE, pageWith(readFileSync(PAGE, 'utf8'), content));
}

/**
 * Returns the page with this content between its markers.
 * @throws if the page has no markers.
 */
export function pageWith(page: string, content: string): string {
  if (!BLOCK.test(page)) throw new Error('the page has no markers for the results');
  return page.replace(BLOCK, (_block, begin: string, end: string) => `${begin}\n${content}\n\n${end}`);
}
