import type { Measured } from '../measure.ts';

/** A work that could not be measured because a response was not the expected one. */
export interface Failure {
  work: string;
  data: string | null;
  /** Whether the work has a limit at any entry point. */
  limited: boolean;
  reason: string;
}

/** One run of the benchmark: everything that the table and the JSON file show. */
export interface Report {
  /** ISO 8601. */
  startedAt: string;
  minutes: number;
  commit: string;
  databases: 'embedded' | 'given';
  machine: { cpu: string; cores: number; memoryBytes: number; node: string };
  /** The load average of the last minute; shows whether other work ran on the machine. */
  loadAverage: { before: number; after: number };
  results: Measured[];
  failures: Failure[];
}

/** A run fails only if a result exceeds its limit this many times, because the machine may be noisy. */
const FAR_OUT = 2;

export function isOverLimit({ ratio, limit }: Pick<Measured, 'ratio' | 'limit'>): boolean {
  return limit !== null && ratio > limit;
}

/** Returns the results that are too far over their limit to be noise. */
export function farOut(results: readonly Measured[]): Measured[] {
  return results.filter(({ ratio, limit }) => limit !== null && ratio > FAR_OUT * limit);
}

/** Returns the name of a work, with its data. */
export function nameOf({ work, data }: Pick<Measured, 'work' | 'data'>): string {
  return data === null ? work : `${work}, ${data}`;
}
