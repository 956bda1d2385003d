/** What one subject has used of its window. */
export interface Usage {
  /** Events of this window. */
  used: number;
  /** Whole seconds until the window ends, rounded up: 1 to 60. */
  resetSeconds: number;
}

/** The answer to events that want to be counted. */
export interface Taken extends Usage {
  /** False when fewer than all of them were left: none was counted. */
  counted: boolean;
  /** How many events were asked for. */
  events: number;
  /** Where it was counted, so that it can be given back there. */
  in: 'memory' | 'redis';
}

/**
 * Counts events of many subjects, each in fixed windows of a minute that begin with the subject's first event. What is
 * counted in memory is answered at once and without a promise, so that a request that need not wait does not.
 */
export interface WindowCounter {
  /**
   * Counts `events` (1 unless given) of the subject in one step: all of them, or none when its window would then have
   * more than `limit` (1 or more). Never fails.
   */
  take(subject: string, limit: number, events?: number): Taken | Promise<Taken>;
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
