import type { Measured } from '../measure.ts';
import type { Axis } from '../options.ts';
import type { Point } from '../plan.ts';

/** A work at one door against its floor, where it was measured and what for. */
export interface Result extends Measured {
  database: string;
  /** Null where the work is held to its limit. */
  point: Point | null;
}

/** A work that could not be measured: a request was not answered as it should be. */
export interface Failure {
  work: string;
  data: string | null;
  doors: string[];
  database: string;
  connections: number;
  point: Point | null;
  /** True where the work has a limit at any door. */
  limited: boolean;
  reason: string;
}

/** A run of the benchmark: everything that the tables, the JSON and the charts show. */
export interface Report {
  /** ISO 8601. */
  startedAt: string;
  minutes: number;
  form: 'quick' | 'full';
  commit: string;
  machine: { cpu: string; cores: number; memoryBytes: number; node: string };
  /** The load average of the last minute; other work on the machine shows here. */
  loadAverage: { before: number; after: number };
  results: Result[];
  failures: Failure[];
}

/** How the cost of each work grows along an axis. */
export interface Growth {
  axis: Axis;
  /** Rising. */
  points: number[];
  rows: GrowthRow[];
}

export interface GrowthRow {
  label: string;
  /** Of each point; null where it was not measured. */
  results: (Result | null)[];
  failures: (Failure | null)[];
}

/** How many times its limit a result may reach before the run fails: the machine is not always quiet. */
const FAR_OUT = 2;

/** What is held to limits. */
export function limitedResults({ results }: Report): Result[] {
  return results.filter(({ point }) => point === null);
}

export function isOverLimit({ ratio, limit }: Pick<Result, 'ratio' | 'limit'>): boolean {
  return limit !== null && ratio > limit;
}

/** The results that are so far over their limit that no noise explains it. */
export function farOut(results: readonly Result[]): Result[] {
  return results.filter(({ ratio, limit }) => limit !== null && ratio > FAR_OUT * limit);
}

/** The name of a work, of what it is done on and of the databases where they are not the embedded ones. */
export function nameOf({ work, data, database }: Pick<Result, 'work' | 'data' | 'database'>): string {
  return [work, ...(data === null ? [] : [data]), ...(database === 'embedded' ? [] : [`${database} databases`])].join(
    ', ',
  );
}

/** The series of an axis, a row for each work at each door in the order of their first points; null where there is none. */
export function growthOver(axis: Axis, { results, failures }: Report): Growth | null {
  const measured = results.filter(({ point }) => point?.axis === axis);
  const failed = failures
    .filter(({ point }) => point?.axis === axis)
    .flatMap((failure) => failure.doors.map((door) => ({ ...failure, door })));
  const all = [...measured, ...failed];
  if (all.length === 0) return null;
  const points = [...new Set(all.map(({ point }) => point!.at))].toSorted((a, b) => a - b);
  const byWork = Map.groupBy(all, ({ work, door, database }) => JSON.stringify([work, door, database]));
  const rows = [...byWork.values()].map((ofWork) => {
    const { work, data, door, database } = ofWork[0]!;
    const constant = ofWork.every((one) => one.data === data) ? data : null;
    const at = <T extends Result | Failure>(candidates: readonly (T & { door: string })[], wanted: number) =>
      candidates.find(
        (one) => one.work === work && one.door === door && one.database === database && one.point!.at === wanted,
      ) ?? null;
    return {
      label: `${nameOf({ work, data: constant, database })}, ${door}`,
      results: points.map((wanted) => at(measured, wanted)),
      failures: points.map((wanted) => at(failed, wanted)),
    };
  });
  return { axis, points, rows };
}
