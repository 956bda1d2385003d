import { setTimeout as sleep } from 'node:timers/promises';

export interface PeriodicTaskOptions {
  /** The pause after each run. */
  everyMs: number;
  /** Does one run. It should end soon after the signal aborts. */
  work(closing: AbortSignal): Promise<void>;
  /** Receives the error of a failed run. The next run follows anyway. */
  onError(error: unknown): void;
}

/** Starts a task at once and repeats it in the background until it is closed. `close` waits for the current run. */
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
