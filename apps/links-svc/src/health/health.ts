import type { DestinationDocument, StoredHealth } from '../database/documents/destination.ts';

/** What a check found. `unknown` says that it cannot tell. */
export type Finding = { state: 'ok' | 'broken'; status: number | null } | { state: 'unknown' };

/** What is known of a destination between two checks. */
export type Known = Pick<DestinationDocument, 'health' | 'failing_since'>;

/** A destination is broken if it is found so twice, with so much time between. */
const CONFIRMED_AFTER_MS = 86_400_000;
const GONE = [404, 410];
/** Who asks decides about these, or the moment does. */
const UNCLEAR = [401, 403, 429];

/** Returns what the status of a response says. */
export function findingOf(status: number): Finding {
  if (GONE.includes(status)) return { state: 'broken', status };
  return UNCLEAR.includes(status) || status >= 500 ? { state: 'unknown' } : { state: 'ok', status };
}

/**
 * Returns what is known after a check. The first check that finds a destination broken changes nothing but that the next
 * one may confirm it. An unclear one between them changes nothing of that.
 */
export function afterCheck({ health, failing_since }: Known, finding: Finding, now: Date): Known {
  if (finding.state === 'unknown') return failing_since === undefined ? {} : { failing_since };
  const { state, status } = finding;
  const since = health?.state === state ? health.since : now;
  const found: StoredHealth = { state, status, since, checked_at: now };
  if (state === 'ok') return { health: found };
  const first = failing_since ?? now;
  const isBroken = health?.state === 'broken' || now.getTime() - first.getTime() >= CONFIRMED_AFTER_MS;
  const shown = isBroken ? found : health;
  return { failing_since: first, ...(shown !== undefined && { health: shown }) };
}
