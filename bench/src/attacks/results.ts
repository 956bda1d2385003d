import { count, markdownTable, millis } from '../report/format.ts';
import { percentile } from '../statistics.ts';
import type { AttackedService } from './attacked-stack.ts';
import { tally } from './flood.ts';
import type { Waited } from './others.ts';

/** How long requests of one kind waited for a response, successful or not. */
export interface Waits {
  requests: number;
  p50Ms: number;
  p99Ms: number;
  longestMs: number;
  failed: number;
  /** The statuses or errors of the failed requests, with their counts; empty if none failed. */
  failures: string;
}

/** The effect of an attack on other clients. */
export interface AttackResult {
  attack: string;
  about: string;
  service: AttackedService;
  /** Peak resident memory of the service; null if the service exited. */
  quietBytes: number | null;
  attackedBytes: number | null;
  others: { name: string; quiet: Waits; attacked: Waits }[];
  /** Further outcomes of the attack. */
  lines: string[];
}

export function waitsOf(samples: readonly Waited[], expectedStatus: number): Waits {
  const waitedMs = samples.map(([ms]) => ms);
  const failures = samples.flatMap(([, outcome]) => (outcome === expectedStatus ? [] : [outcome]));
  return {
    requests: samples.length,
    p50Ms: percentile(waitedMs, 0.5),
    p99Ms: percentile(waitedMs, 0.99),
    longestMs: percentile(waitedMs, 1),
    failed: failures.length,
    failures: tally(failures),
  };
}

const HEAD = [
  'attack',
  'requests of others',
  'quiet p50 / p99 / longest',
  'attacked p50 / p99 / longest',
  'failed',
  'memory, most',
];

/**
 * Formats all attacks as one Markdown table that is also readable as plain text, followed by a description of each
 * attack and its outcome.
 */
export function attacksTable(results: readonly AttackResult[]): string {
  const rows = results.flatMap(({ attack, service, quietBytes, attackedBytes, others }) =>
    others.map(({ name, quiet, attacked }, index) => [
      index === 0 ? attack : '',
      name,
      threeOf(quiet),
      threeOf(attacked),
      attacked.failed === 0 ? '0' : `${attacked.failed} of ${count(attacked.requests)}: ${attacked.failures}`,
      index === 0 ? `${service} ${megabytes(quietBytes)} → ${megabytes(attackedBytes)}` : '',
    ]),
  );
  const about = results.map(({ attack, about, lines }) => `- ${attack}: ${[about, ...lines].join('; ')}.`);
  return [markdownTable([HEAD, ...rows], HEAD.length).join('\n'), about.join('\n')].join('\n\n');
}

function threeOf({ p50Ms, p99Ms, longestMs }: Waits): string {
  return [p50Ms, p99Ms, longestMs].map(millis).join(' / ');
}

function megabytes(bytes: number | null): string {
  return bytes === null ? 'ended' : `${Math.round(bytes / 1e6)} MB`;
}
