import { count, markdownTable, millis } from '../report/format.ts';
import { percentile } from '../statistics.ts';
import type { AttackedService } from './attacked-stack.ts';
import { tally } from './flood.ts';
import type { Waited } from './others.ts';

/** How much longer a request may wait under attack than the same request takes by itself at that moment. */
const EXTRA_WAIT_MAX_MS = 250;

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

/** How long requests waited under attack, and the same requests by themselves, at the same time. */
export interface OtherWaits {
  name: string;
  alone: Waits;
  attacked: Waits;
}

/** The effect of an attack on other clients. */
export interface AttackResult {
  attack: string;
  about: string;
  service: AttackedService;
  /** Peak resident memory of the service; null if the service exited. */
  quietBytes: number | null;
  attackedBytes: number | null;
  others: OtherWaits[];
  /** True if hundreds of connections arrived in one instant. */
  isSudden: boolean;
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

/** Returns how much longer requests waited than by themselves: the longest wait, or p99 if the attack is sudden. */
export function extraMs({ alone, attacked }: OtherWaits, isSudden: boolean): number {
  return isSudden ? attacked.p99Ms - alone.p99Ms : attacked.longestMs - alone.longestMs;
}

/** Returns true if requests of others waited longer than the limit. */
export function isOverLimit({ others, isSudden }: AttackResult): boolean {
  return others.some((waits) => extraMs(waits, isSudden) > EXTRA_WAIT_MAX_MS);
}

const HEAD = [
  'attack',
  'requests of others',
  'alone p50 / p99 / longest',
  'attacked p50 / p99 / longest',
  'longer',
  'failed',
  'memory, most',
];

/**
 * Formats all attacks as one Markdown table that is also readable as plain text, followed by a description of each
 * attack and its outcome.
 */
export function attacksTable(results: readonly AttackResult[]): string {
  const rows = results.flatMap(({ attack, service, quietBytes, attackedBytes, others, isSudden }) =>
    others.map(({ name, alone, attacked }, index) => [
      index === 0 ? attack : '',
      name,
      threeOf(alone),
      threeOf(attacked),
      longerOf(extraMs({ name, alone, attacked }, isSudden), isSudden),
      attacked.failed === 0 ? '0' : `${attacked.failed} of ${count(attacked.requests)}: ${attacked.failures}`,
      index === 0 ? `${service} ${megabytes(quietBytes)} → ${megabytes(attackedBytes)}` : '',
    ]),
  );
  const about = results.map(({ attack, about, lines }) => `- ${attack}: ${[about, ...lines].join('; ')}.`);
  return [markdownTable([HEAD, ...rows], HEAD.length).join('\n'), about.join('\n')].join('\n\n');
}

function longerOf(ms: number, isSudden: boolean): string {
  const shown = `${Math.max(0, Math.round(ms))} ms${isSudden ? ' (p99)' : ''}`;
  return ms > EXTRA_WAIT_MAX_MS ? `${shown} ✗` : shown;
}

function threeOf({ p50Ms, p99Ms, longestMs }: Waits): string {
  return [p50Ms, p99Ms, longestMs].map(millis).join(' / ');
}

function megabytes(bytes: number | null): string {
  return bytes === null ? 'ended' : `${Math.round(bytes / 1e6)} MB`;
}
