import { setTimeout as sleep } from 'node:timers/promises';

export interface PeriodicTaskOptions {
  /** The pause after each run. */
  everyMs: number;
  /** One run; it should end soon once the signal aborts. */
  work(closing: AbortSignal): Promise<void>;
  /** Receives the error of a run that failed; the next run follows all the same. */
  onError(error: unknown): void;
}

/** Repeats work in the background until it is closed, and begins at once. Closing waits for a run that is under way. */
export function startPeriodicTask({ everyMs, work, onError }: PeriodicTaskOptions): { close(): Promise<void> } {
  const closing = new AbortController();

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      await work(closing.signal).catch(onError);
      await sleep(everyMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}
