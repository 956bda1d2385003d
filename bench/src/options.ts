import { parseArgs } from 'node:util';
import type { Effort } from './measure.ts';

/** The quantities that are varied to see how cost grows: amount of data, concurrency, and number of replicas. */
export const AXES = ['links', 'clicks', 'connections', 'replicas'] as const;
export type Axis = (typeof AXES)[number];

/**
 * The parts that can be measured separately, in the order in which they run: groups of workloads with limits, and
 * series that show how cost grows. Parts that add clicks come after those that are measured with few clicks.
 */
export const PARTS = [
  'links',
  'redirects',
  'mcp',
  'growth-connections',
  'growth-clicks',
  'analytics',
  'ingestion',
  'growth-links',
  'growth-replicas',
] as const;
export type Part = (typeof PARTS)[number];

/** Bounded so that a run of all workloads takes only minutes on two idle cores. */
const QUICK_EFFORT = { rounds: { least: 7, most: 15 }, roundMaxMs: 2_500, warmUpMaxMs: 4_000, workMaxMs: 18_000 };
const FULL_EFFORT = { rounds: { least: 9, most: 25 }, roundMaxMs: 5_000, warmUpMaxMs: 10_000, workMaxMs: 45_000 };

/** What is measured, and how thoroughly. */
export interface Options {
  form: 'quick' | 'full';
  parts: readonly Part[];
  /** For workloads with a limit. */
  effort: Omit<Effort, 'connections'>;
  /** Numbers of clicks in a year to measure the analytics with; the limit applies to the last one. */
  clicks: readonly number[];
  /** Whether parts were selected; no results are written then. */
  only: boolean;
  /** Whether the tables are also written into the documentation. */
  write: boolean;
  /** Where the services write CPU profiles when they exit. Profiling makes costs incomparable. */
  profileDir: string | undefined;
}

/** Returns whether a part shows how cost grows. */
export function isSeries(part: Part): boolean {
  return part.startsWith('growth-');
}

/**
 * Parses the command line: `--full`, `--only PART` (may be repeated), `--write`, `--profile FOLDER`.
 * @throws for any other argument, and for `--write` without a complete, unprofiled run.
 */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== '--'),
    options: {
      full: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      write: { type: 'boolean', default: false },
      profile: { type: 'string' },
    },
  });
  const { full, write, profile: profileDir } = values;
  for (const name of values.only)
    if (!PARTS.some((part) => part === name))
      throw new Error(`--only must be one of ${PARTS.join(', ')}, not "${name}"`);
  const only = values.only.length > 0;
  if (write && (only || profileDir !== undefined)) throw new Error('--write is for a whole run that is not profiled');
  const parts = PARTS.filter((part) => (only ? values.only.includes(part) : full || !isSeries(part)));
  const chosen = { parts, only, write, profileDir };
  return full
    ? { form: 'full', effort: FULL_EFFORT, clicks: [1e6, 10e6, 100e6], ...chosen }
    : { form: 'quick', effort: QUICK_EFFORT, clicks: [1e6], ...chosen };
}
