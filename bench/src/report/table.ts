import { AXES } from '../options.ts';
import { quartiles } from '../statistics.ts';
import { count, figureOf, markdownTable, micros, millis } from './format.ts';
import { type Growth, type GrowthRow, growthOver, isOverLimit, limitedResults, nameOf, type Report } from './report.ts';

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

/** Formats the works against their limits as Markdown that is also readable as plain text. */
export function limitsPart(report: Report): string {
  const notMeasured = report.failures
    .filter(({ point }) => point === null)
    .map((failure) => `Not measured: ${nameOf(failure)} (${failure.reason}).`);
  const hasResults = limitedResults(report).length > 0;
  return [aboutOf(report), ...(hasResults ? [limitsTable(report), loadLine(report)] : []), ...notMeasured].join('\n\n');
}

/** Formats how cost grows as Markdown; null if the run has no series. */
export function growthPart(report: Report): string | null {
  const growths = AXES.flatMap((axis) => growthOver(axis, report) ?? []);
  if (growths.length === 0) return null;
  const tables = growths.flatMap((growth) => [
    `## ${TITLES[growth.axis]}`,
    growthTable(growth),
    ...throughputTable(growth),
  ]);
  return [aboutOf(report), ...tables].join('\n\n');
}

/** Describes in one line when, on which machine and in which form the run was measured. */
export function aboutOf({ startedAt, minutes, form, commit, machine, loadAverage }: Report): string {
  const { cpu, cores, memoryBytes, node } = machine;
  return (
    `${startedAt.slice(0, 16).replace('T', ' ')} UTC, ${form} form, ${minutes.toFixed(0)} minutes, commit ${commit}; ` +
    `${cores} cores (${cpu}), ${(memoryBytes / 2 ** 30).toFixed(0)} GiB, Node ${node}; ` +
    `load average ${loadAverage.before.toFixed(1)} before, ${loadAverage.after.toFixed(1)} after`
  );
}

function limitsTable(report: Report): string {
  const rows = limitedResults(report).map((result) => {
    const { cost, floor, measure, ratios } = result;
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
      result.limit === null ? '–' : String(result.limit),
      `${millis(cost.p50Ms)} / ${millis(cost.p99Ms)}`,
      `${(cost.residentBytes / 1e6).toFixed(0)} MB`,
      `${database(cost)} (${database(floor)})`,
    ];
  });
  return markdownTable([HEAD, ...rows], NUMERIC_FROM).join('\n');
}

/**
 * Formats the cost of sending the load. The analytics are excluded, because their floor runs in the sending process.
 */
function loadLine(report: Report): string {
  const used = limitedResults(report)
    .filter(({ measure }) => measure === 'cpu')
    .flatMap(({ cost, floor }) => [cost.loadCpuUsPerRequest, floor.loadCpuUsPerRequest]);
  if (used.length === 0) return 'In brackets: the floor.';
  return `In brackets: the floor. Sending a request took ${micros(Math.min(...used))} to ${micros(Math.max(...used))} of CPU, which no cost includes.`;
}

const TITLES = {
  links: 'Over links',
  clicks: 'Over clicks of a year',
  connections: 'Over connections',
  replicas: 'Over replicas of analytics-svc',
} as const;

/** Formats the growth table; a cell holds the cost and its ratio to the floor at the same point. */
function growthTable({ axis, points, rows }: Growth): string {
  const head = ['cost, and its ratio', ...points.map((at) => `${count(at)} ${axis}`), 'last / first (of ratios)'];
  const cells = rows.map((row) => [
    row.label,
    ...row.results.map((result, index) =>
      result === null ? failureOf(row, index) : `${figureOf(result.cost, result.measure)} (${result.ratio.toFixed(2)})`,
    ),
    `${growthFactorOf(row)}${ratioFactorOf(row)}`,
  ]);
  return markdownTable([head, ...cells], 1).join('\n');
}

/** Formats throughput and p99, only for axes that do not vary the amount of data. */
function throughputTable({ axis, points, rows }: Growth): string[] {
  if (axis === 'links' || axis === 'clicks') return [];
  const head = ['answers a second, p99', ...points.map((at) => `${count(at)} ${axis}`)];
  const cells = rows.map((row) => [
    row.label,
    ...row.results.map((result, index) =>
      result === null
        ? failureOf(row, index)
        : `${perSecond(result.cost.requestsPerSecond)} (${millis(result.cost.p99Ms)})`,
    ),
  ]);
  return [markdownTable([head, ...cells], 1).join('\n')];
}

function perSecond(value: number): string {
  return value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

function failureOf({ failures }: GrowthRow, index: number): string {
  const failure = failures[index];
  if (!failure) return '–';
  return /: (\d{3}) /.exec(failure.reason)?.[1] ?? 'refused';
}

/** Returns how the ratio to the floor grew; noise affects both sides alike. */
function ratioFactorOf({ results }: GrowthRow): string {
  const first = results[0];
  const last = results.at(-1);
  return first && last ? ` (× ${(last.ratio / first.ratio).toFixed(2)})` : '';
}

/** Returns the last point's figure divided by the first point's. */
export function growthFactorOf({ results }: Pick<GrowthRow, 'results'>): string {
  const first = results[0];
  const last = results.at(-1);
  if (!first || !last) return '–';
  const figure = first.measure === 'cpu' ? 'cpuUsPerRequest' : 'p50Ms';
  return `× ${(last.cost[figure] / first.cost[figure]).toFixed(2)}`;
}
