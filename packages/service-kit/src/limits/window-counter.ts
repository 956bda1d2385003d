/** What one subject has used of its window. */
export interface Usage {
  /** Events of this window. */
  used: number;
  /** Whole seconds until the window ends, rounded up: 1 to 60. */
  resetSeconds: number;
}

/** The answer to an event that wants to be counted. */
export interface Taken extends Usage {
  /** False where the limit was used up already: the event was not counted. */
  counted: boolean;
  /** Where it was counted, so that it can be given back there. */
  in: 'memory' | 'redis';
}

/**
 * Counts events of many subjects, each in fixed windows of a minute that begin with the subject's first event. What is
 * counted in memory is answered at once and without a promise, so that a request that need not wait does not.
 */
export interface WindowCounter {
  /** Counts one event of the subject unless `limit` (1 or more) are counted in its window already. Never fails. */
  take(subject: string, limit: number): Taken | Promise<Taken>;
  /** The usage, without counting. Never fails. */
  peek(subject: string): Usage | Promise<Usage>;
  /** Takes back what was counted, where its window has not ended since. */
  giveBack(subject: string, taken: Taken): void;
}

export const WINDOW_SECONDS = 60;
export const WINDOW_MS = WINDOW_SECONDS * 1_000;

/** Whole seconds until a window ends that has this much left, as a client is told them: never 0, which is "now". */
export function secondsOf(leftMs: number): number {
  return Math.max(1, Math.ceil(leftMs / 1_000));
}
