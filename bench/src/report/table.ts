import { quartiles } from '../statistics.ts';
import { figureOf, markdownTable, micros, millis } from './format.ts';
import { isOverLimit, nameOf, type Report } from './report.ts';

const HEAD = [
  'work',
  'at',
  'floor',
  'conn.',
  'cost',
  "floor's",
  'ratio',
  'middle half',
  'limit',
  'p50 / p99',
  'resident',
  'database CPU',
];
const NUMERIC_FROM = 3;

/** Formats a run as Markdown that is also readable as plain text. */
export function resultsPart(report: Report): string {
  const notMeasured = report.failures.map((failure) => `Not measured: ${nameOf(failure)} (${failure.reason}).`);
  const table = report.results.length > 0 ? [resultsTable(report), loadLine(report)] : [];
  return [aboutOf(report), ...table, ...notMeasured].join('\n\n');
}

/** Describes in one line when, on which machine and on which databases the run was measured. */
function aboutOf({ startedAt, minutes, commit, databases, machine, loadAverage }: Report): string {
  const { cpu, cores, memoryBytes, node } = machine;
  return (
    `${startedAt.slice(0, 16).replace('T', ' ')} UTC, ${databases} databases, ${minutes.toFixed(0)} minutes, commit ` +
    `${commit}; ${cores} cores (${cpu}), ${(memoryBytes / 2 ** 30).toFixed(0)} GiB, Node ${node}; ` +
    `load average ${loadAverage.before.toFixed(1)} before, ${loadAverage.after.toFixed(1)} after`
  );
}

function resultsTable({ results }: Report): string {
  const rows = results.map((result) => {
    const { cost, floor, measure, ratios, limit } = result;
    const middle = quartiles(ratios);
    const database = (of: typeof cost) =>
      of.databaseCpuUsPerRequest === null ? '–' : micros(of.databaseCpuUsPerRequest);
    return [
      nameOf(result),
      result.endpoint,
      result.floorName,
      String(result.connections),
      figureOf(cost, measure),
      figureOf(floor, measure),
      `${result.ratio.toFixed(2)}${isOverLimit(result) ? ' ✗' : ''}`,
      `${middle.low.toFixed(2)}–${middle.high.toFixed(2)} of ${ratios.length}`,
      limit === null ? '–' : String(limit),
      `${millis(cost.p50Ms)} / ${millis(cost.p99Ms)}`,
      `${(cost.residentBytes / 1e6).toFixed(0)} MB`,
      `${database(cost)} (${database(floor)})`,
    ];
  });
  return markdownTable([HEAD, ...rows], NUMERIC_FROM).join('\n');
}

/** Formats the cost of sending the load. The analytics are excluded, because their floor runs in the sending process. */
function loadLine({ results }: Report): string {
  const used = results
    .filter(({ measure }) => measure === 'cpu')
    .flatMap(({ cost, floor }) => [cost.loadCpuUsPerRequest, floor.loadCpuUsPerRequest]);
  if (used.length === 0) return 'In brackets: the floor.';
  return `In brackets: the floor. Sending a request took ${micros(Math.min(...used))} to ${micros(Math.max(...used))} of CPU, which no cost includes.`;
}
