/** One attempt of a subject, counted before its outcome is known. */
export interface Attempt {
  /** False if the limit was reached: the attempt was not counted. */
  counted: boolean;
  /** Attempts of the window whose outcome is not known. Includes this one if it was counted. */
  open: number;
  /** Whole seconds until the window ends, rounded up: 1 to 60. */
  resetSeconds: number;
  /** The id of the attempt (Redis) or of its window (memory). */
  id: string;
  /** Where it was counted. It must end there too. */
  in: 'memory' | 'redis';
}

/**
 * A counter of failed attempts per subject, in fixed windows of one minute that begin with the subject's first attempt.
 * An attempt counts as failed until its outcome is known. Concurrent attempts therefore cannot exceed the limit.
 */
export interface AttemptCounter {
  /** Counts an attempt unless `limit` (1 or more) attempts of the window have failed or are open. Never rejects. */
  begin(subject: string, limit: number): Promise<Attempt>;
  /** Records the outcome of a counted attempt. An attempt that did not fail no longer counts. Call it once. */
  end(subject: string, attempt: Attempt, hasFailed: boolean): void;
}
