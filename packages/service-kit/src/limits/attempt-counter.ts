/** One attempt of a subject, counted before its outcome is known. */
export interface Attempt {
  /** False when the limit was used up: the attempt was not counted. */
  counted: boolean;
  /** Attempts of the window whose outcome is not known, this one included. */
  open: number;
  /** Whole seconds until the window ends, rounded up: 1 to 60. */
  resetSeconds: number;
  /** Names it, or the window in which it was counted. */
  id: string;
  /** Where it was counted, so that it can be ended there. */
  in: 'memory' | 'redis';
}

/**
 * Counts failed attempts of many subjects, each in fixed windows of a minute that begin with the subject's first
 * attempt. An attempt counts as failed until its outcome is known, so that concurrent ones get no further than
 * successive ones.
 */
export interface AttemptCounter {
  /** Counts an attempt unless `limit` (1 or more) have failed or are open in its window. Never fails. */
  begin(subject: string, limit: number): Promise<Attempt>;
  /** Says how a counted attempt ended; to be called once. One that did not fail counts no more. */
  end(subject: string, attempt: Attempt, hasFailed: boolean): void;
}
