import type { Measured } from '../measure.ts';
import type { Axis } from '../options.ts';
import type { Point } from '../plan.ts';

/** A measured workload at one entry point, with its database and its point in a series. */
export interface Result extends Measured {
  database: string;
  /** Null if the workload is measured against its limit. */
  point: Point | null;
}

/** A workload that could not be measured because a response was not the expected one. */
export interface Failure {
  work: string;
  data: string | null;
  endpoints: string[];
  database: string;
  connections: number;
  point: Point | null;
  /** Whether the workload has a limit at any entry point. */
  limited: boolean;
  reason: string;
}

/** One run of the benchmark: everything that the tables, the JSON file and the charts show. */
export interface Report {
  /** ISO 8601. */
  startedAt: string;
  minutes: number;
  form: 'quick' | 'full';
  commit: string;
  machine: { cpu: string; cores: number; memoryBytes: number; node: string };
  /** The load average of the last minute; shows whether other work ran on the machine. */
  loadAverage: { before: number; after: number };
  results: Result[];
  failures: Failure[];
}

/** How the cost of each workload grows along an axis. */
export interface Growth {
  axis: Axis;
  /** In ascending order. */
  points: number[];
  rows: GrowthRow[];
}

export interface GrowthRow {
  label: string;
  /** One per point; null if it was not measured. */
  results: (Result | null)[];
  failures: (Failure | null)[];
}

/** A run fails only if a result exceeds its limit this many times, because the machine may be noisy. */
const FAR_OUT = 2;

/** Returns the results that are measured against limits. */
export function limitedResults({ results }: Report): Result[] {
  return results.filter(({ point }) => point === null);
}

export function isOverLimit({ ratio, limit }: Pick<Result, 'ratio' | 'limit'>): boolean {
  return limit !== null && ratio > limit;
}

/** Returns the results that are too far over their limit to be noise. */
export function farOut(results: readonly Result[]): Result[] {
  return results.filter(({ ratio, limit }) => limit !== null && ratio > FAR_OUT * limit);
}

/** Returns the name of a workload, with its data, and with its databases if these are not embedded. */
export function nameOf({ work, data, database }: Pick<Result, 'work' | 'data' | 'database'>): string {
  return [work, ...(data === null ? [] : [data]), ...(database === 'embedded' ? [] : [`${database} databases`])].join(
    ', ',
  );
}

/**
 * Returns the series of an axis, one row per workload and entry point, ordered by first point; null if there is none.
 */
export function growthOver(axis: Axis, { results, failures }: Report): Growth | null {
  const measured = results.filter(({ point }) => point?.axis === axis);
  const failed = failures
    .filter(({ point }) => point?.axis === axis)
    .flatMap((failure) => failure.endpoints.map((endpoint) => ({ ...failure, endpoint })));
  const all = [...measured, ...failed];
  if (all.length === 0) return null;
  const points = [...new Set(all.map(({ point }) => point!.at))].toSorted((a, b) => a - b);
  const byWork = Map.groupBy(all, ({ work, endpoint, database }) => JSON.stringify([work, endpoint, database]));
  const rows = [...byWork.values()].map((ofWork) => {
    const { work, data, endpoint, database } = ofWork[0]!;
    const constant = ofWork.every((one) => one.data === data) ? data : null;
    const at = <T extends Result | Failure>(candidates: readonly (T & { endpoint: string })[], wanted: number) =>
      candidates.find(
        (one) =>
          one.work === work && one.endpoint === endpoint && one.database === database && one.point!.at === wanted,
      ) ?? null;
    return {
      label: `${nameOf({ work, data: constant, database })}, ${endpoint}`,
      results: points.map((wanted) => at(measured, wanted)),
      failures: points.map((wanted) => at(failed, wanted)),
    };
  });
  return { axis, points, rows };
}
