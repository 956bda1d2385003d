/** The usage of one subject in its window. */
export interface Usage {
  /** Events of this window. */
  used: number;
  /** Whole seconds until the window ends, rounded up: 1 to 60. */
  resetSeconds: number;
}

/** The result of a request to count events. */
export interface CountResult extends Usage {
  /** False if not all of them fit within the limit. Then none was counted. */
  counted: boolean;
  /** How many events were requested. */
  events: number;
  /** Where they were counted. They must be refunded there too. */
  in: 'memory' | 'redis';
}

/** A counter of events per subject, in fixed windows of one minute that begin with the subject's first event. */
export interface WindowCounter {
  /**
   * Counts `events` (default: 1) of the subject in one step: all of them, or none if the window's total would exceed
   * `limit` (1 or more). Never fails.
   */
  count(subject: string, limit: number, events?: number): Promise<CountResult>;
  /** Refunds what was counted. If its window has ended since, the refund goes to the subject's new window, if any. */
  refund(subject: string, result: CountResult): void;
}

export const WINDOW_SECONDS = 60;
export const WINDOW_MS = WINDOW_SECONDS * 1_000;

/**
 * Converts the remaining time of a window to whole seconds for clients. Never returns 0, which would mean "now", nor
 * more than a window has: a difference of times can be a fraction too long.
 */
export function secondsOf(leftMs: number): number {
  return Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil(leftMs / 1_000)));
}
