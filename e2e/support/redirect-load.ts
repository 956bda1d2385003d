import { HttpClient } from './http-client.ts';
import { steadily } from './steady.ts';
import { BROWSER } from './world.ts';

export interface RedirectLoadOptions {
  /** Returns the origin for the next request. See {@link roundRobin}. */
  nextOrigin: () => string;
  slugs: readonly string[];
  perSecond: number;
  /** How many sources the visitors share. By default each visitor has its own source. */
  sources?: number;
  /** Additional headers of every request. */
  headers?: Record<string, string>;
}

/** Returns a function that selects the origins in round-robin order. */
export function roundRobin(...origins: string[]): () => string {
  let turn = 0;
  return () => origins[turn++ % origins.length]!;
}

/**
 * Load of visitors who follow short links at a steady rate, independent of response times. By default each has a unique
 * `utm_source`, so that every visit can be identified among the clicks.
 */
export class RedirectLoad {
  /** The slug that each visitor requested, by `utm_source`. */
  readonly asked = new Map<string, string>();
  /** The `utm_source` of every visitor who was redirected. */
  readonly answered = new Set<string>();
  /** Number of redirected visitors. */
  redirects = 0;
  /** Number of other outcomes, by status, `hang` or the error code of a broken connection. */
  readonly others = new Map<string, number>();
  /** The longest time that a visitor waited, in milliseconds. */
  slowestMs = 0;
  readonly #client = new HttpClient();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor({ nextOrigin, slugs, perSecond, sources = Number.POSITIVE_INFINITY, headers }: RedirectLoadOptions) {
    const run = performance.now().toString(36).replace('.', '');
    this.#running = steadily(perSecond, this.#stop.signal, async (n) => {
      const slug = slugs[n % slugs.length]!;
      const source = `${run}-${n % sources}`;
      this.asked.set(source, slug);
      const url = `${nextOrigin()}/${slug}?utm_source=${source}`;
      const { outcome, durationMs } = await this.#client.send(url, { headers: { 'user-agent': BROWSER, ...headers } });
      this.slowestMs = Math.max(this.slowestMs, durationMs);
      if (outcome === '302') {
        this.redirects += 1;
        this.answered.add(source);
      } else this.others.set(outcome, (this.others.get(outcome) ?? 0) + 1);
    });
  }

  /** Sends no new requests, and resolves when all running requests have ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#client.close();
  }
}
