import type { Result } from '../measure.ts';

/** A run of the benchmark: everything that the table, the JSON and the chart show. */
export interface Report {
  /** ISO 8601. */
  startedAt: string;
  form: 'quick' | 'full';
  commit: string;
  machine: { cpu: string; cores: number; memoryBytes: number; node: string };
  /** The load average of the last minute; other work on the machine shows here. */
  loadAverage: { before: number; after: number };
  rounds: number;
  /** How many times the usual number of requests a round had. */
  factor: number;
  results: Result[];
  /** Works that could not be measured: a request was not answered as it should be. */
  failures: Failure[];
}

export interface Failure {
  work: string;
  database: string;
  /** True where the work has a limit at any door. */
  limited: boolean;
  reason: string;
}

/** How many times its limit a result may reach before the run fails: the machine is not always quiet. */
const FAR_OUT = 2;

export function isOverLimit({ ratio, limit }: Pick<Result, 'ratio' | 'limit'>): boolean {
  return limit !== null && ratio > limit;
}

/** The results that are so far over their limit that no noise explains it. */
export function farOut(results: readonly Result[]): Result[] {
  return results.filter(({ ratio, limit }) => limit !== null && ratio > FAR_OUT * limit);
}
