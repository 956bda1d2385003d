import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 100;
/** Short enough to recover within seconds once the other side is back. */
const LONGEST_MS = 3_000;

/**
 * Waits before the next attempt. The delay doubles with each failure up to 3 seconds. Half of it is random, so that
 * replicas do not all retry at the same moment. Resolves early when `signal` aborts.
 */
export async function backoff(failures: number, signal: AbortSignal): Promise<void> {
  const longestMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  await pause(longestMs * (0.5 + Math.random() / 2), signal);
}

/** Waits `ms` milliseconds. Resolves early when `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
