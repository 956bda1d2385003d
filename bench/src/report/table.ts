import { isOverLimit, type Report } from './report.ts';

const HEAD = [
  'work',
  'at',
  'database',
  'conn.',
  'cost',
  'floor',
  'ratio',
  'limit',
  'p50 / p99',
  'floor p50 / p99',
  'resident',
  'database CPU',
];
const NUMERIC_FROM = 3;

/** The results as a Markdown table whose columns are aligned as plain text too, with what it was measured on above it. */
export function tableOf(report: Report): string {
  const rows = report.results.map((result) => {
    const { cost, floor, measure } = result;
    const figure = (of: typeof cost) => (measure === 'cpu' ? micros(of.cpuUsPerRequest) : `${millis(of.p50Ms)} p50`);
    const database = (of: typeof cost) =>
      of.databaseCpuUsPerRequest === null ? '–' : micros(of.databaseCpuUsPerRequest);
    return [
      result.work,
      result.door,
      result.database,
      String(result.connections),
      figure(cost),
      figure(floor),
      `${result.ratio.toFixed(2)}${isOverLimit(result) ? ' ✗' : ''}`,
      result.limit === null ? '–' : String(result.limit),
      `${millis(cost.p50Ms)} / ${millis(cost.p99Ms)}`,
      `${millis(floor.p50Ms)} / ${millis(floor.p99Ms)}`,
      `${(cost.residentBytes / 1e6).toFixed(0)} MB`,
      `${database(cost)} (${database(floor)})`,
    ];
  });
  const failures = report.failures.map(
    ({ work, database, reason }) => `Not measured: ${work} on ${database} databases (${reason}).`,
  );
  return [aboutOf(report), '', ...align([HEAD, ...rows]), ...failures.flatMap((line) => ['', line])].join('\n');
}

/** When, on what and how it was measured, in a line. */
export function aboutOf({ startedAt, form, commit, machine, loadAverage, rounds, factor }: Report): string {
  const { cpu, cores, memoryBytes, node } = machine;
  return (
    `${startedAt.slice(0, 16).replace('T', ' ')} UTC, ${form} form, commit ${commit}, ${rounds} rounds${factor === 1 ? '' : `, ${factor} times the requests`}; ` +
    `${cores} cores (${cpu}), ${(memoryBytes / 2 ** 30).toFixed(0)} GiB, Node ${node}; ` +
    `load average ${loadAverage.before.toFixed(1)} before, ${loadAverage.after.toFixed(1)} after`
  );
}

function align(rows: readonly string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)));
  const lines = rows.map(
    (row) =>
      `| ${row.map((cell, column) => (column < NUMERIC_FROM ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width, column) => (column < NUMERIC_FROM ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [lines[0]!, rule, ...lines.slice(1)];
}

function micros(us: number): string {
  return us < 10_000 ? `${us.toFixed(0)} µs` : millis(us / 1_000);
}

function millis(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : `${ms.toFixed(0)} ms`;
}
