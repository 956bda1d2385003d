import { parseArgs } from 'node:util';
import type { Effort } from './measure.ts';

/** What is varied to see how cost grows: how much data there is, how much comes at one time, how many take it. */
export const AXES = ['links', 'clicks', 'connections', 'replicas'] as const;
export type Axis = (typeof AXES)[number];

/**
 * What can be measured apart, in the order in which it is measured: groups of works, each work against its limit, and
 * series that show how cost grows. What adds clicks comes after what is measured with few of them.
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

/** Bounded so that all works together take some three minutes on two idle cores. */
const QUICK_EFFORT = { rounds: { least: 7, most: 15 }, roundMaxMs: 2_500, warmUpMaxMs: 4_000, workMaxMs: 18_000 };
const FULL_EFFORT = { rounds: { least: 9, most: 25 }, roundMaxMs: 5_000, warmUpMaxMs: 10_000, workMaxMs: 45_000 };

/** How much is measured. */
export interface Options {
  form: 'quick' | 'full';
  parts: readonly Part[];
  /** For a work against its limit. */
  effort: Omit<Effort, 'connections'>;
  /** Clicks of a year that the analytics are asked with; the limit is for the last of them. */
  clicks: readonly number[];
  /** Whether parts were chosen; nothing is written then. */
  only: boolean;
  /** Whether the tables go into the documentation too. */
  write: boolean;
  /** Where the services leave a CPU profile when they end. What they cost is not comparable then. */
  profileDir: string | undefined;
}

/** Whether a part shows how cost grows. */
export function isSeries(part: Part): boolean {
  return part.startsWith('growth-');
}

/**
 * Reads the command line: `--full`, `--only PART` (may be repeated), `--write`, `--profile FOLDER`.
 * @throws where it has anything else, or asks to write what is no whole run.
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
    if (!PARTS.some((part) => part === name)) throw new Error(`--only takes one of ${PARTS.join(', ')}, not "${name}"`);
  const only = values.only.length > 0;
  if (write && (only || profileDir !== undefined)) throw new Error('--write is for a whole run that is not profiled');
  const parts = PARTS.filter((part) => (only ? values.only.includes(part) : full || !isSeries(part)));
  const chosen = { parts, only, write, profileDir };
  return full
    ? { form: 'full', effort: FULL_EFFORT, clicks: [1e6, 10e6, 100e6], ...chosen }
    : { form: 'quick', effort: QUICK_EFFORT, clicks: [1e6], ...chosen };
}
