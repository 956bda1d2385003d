import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 100;
/** Small enough that all is well within seconds of the other side's return. */
const LONGEST_MS = 3_000;

/**
 * Waits before the next attempt: about twice as long after each failure, 3 seconds at most, half of it by chance so
 * that replicas do not come back all at once. Resolves early when `signal` aborts.
 */
export async function backoff(failures: number, signal: AbortSignal): Promise<void> {
  const longestMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  await pause(longestMs * (0.5 + Math.random() / 2), signal);
}

/** Waits for a time in milliseconds; resolves early when `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
