import { setTimeout as sleep } from 'node:timers/promises';

export interface RepeatingOptions {
  /** The pause after each round. */
  everyMs: number;
  /** One round; it should end soon once the signal aborts. */
  work(closing: AbortSignal): Promise<void>;
  /** Hears why a round failed; the next one comes all the same. */
  onError(error: unknown): void;
}

/** Does work in the background again and again, beginning now, until it is closed; closing waits for a round that runs. */
export function startRepeating({ everyMs, work, onError }: RepeatingOptions): { close(): Promise<void> } {
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
