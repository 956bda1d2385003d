import { setTimeout as sleep } from 'node:timers/promises';

const CHECK_EVERY_MS = 100;
const RESPONSE_TIMEOUT_MS = 1_000;

/**
 * A load balancer in front of several gateways. Polls the same endpoint as the chart's readiness probe and selects
 * ready gateways in round-robin order. Does not retry requests.
 */
export class Balancer {
  readonly #origins: readonly string[];
  readonly #open = new Set<string>();
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;
  #turn = 0;

  constructor(origins: readonly string[]) {
    this.#origins = origins;
    this.#running = Promise.all(origins.map((origin) => this.#watch(origin)));
  }

  /** Returns the origin for the next request. If no gateway seems ready, selects from all, as Envoy does. */
  next(): string {
    const ready = this.#origins.filter((origin) => this.#open.has(origin));
    const origins = ready.length > 0 ? ready : this.#origins;
    return origins[this.#turn++ % origins.length]!;
  }

  /** Waits until every gateway is ready. */
  async allOpen(): Promise<void> {
    while (this.#open.size < this.#origins.length) await sleep(CHECK_EVERY_MS);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #watch(origin: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
      const ok = await fetch(`${origin}/startupz`, { signal }).then(
        async (answer) => {
          await answer.body?.cancel();
          return answer.ok;
        },
        () => false,
      );
      if (ok) this.#open.add(origin);
      else this.#open.delete(origin);
      await sleep(CHECK_EVERY_MS);
    }
  }
}
