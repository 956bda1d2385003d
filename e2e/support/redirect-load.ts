import { HttpClient } from './http-client.ts';
import { steadily } from './steady.ts';
import { BROWSER } from './world.ts';

export interface RedirectLoadOptions {
  /** Where the next redirect is asked of; see {@link inTurn}. */
  nextOrigin: () => string;
  slugs: readonly string[];
  perSecond: number;
  /** How many sources the visitors share; where it is not given, each has one of its own. */
  sources?: number;
  /** Sent with every request. */
  headers?: Record<string, string>;
}

/** Goes round the given origins. */
export function inTurn(...origins: string[]): () => string {
  let turn = 0;
  return () => origins[turn++ % origins.length]!;
}

/**
 * Visitors who follow short links at a steady rate, whatever becomes of their requests. Each brings a `utm_source`, of
 * its own unless told otherwise, so that every single one can be found again among the clicks.
 */
export class RedirectLoad {
  /** The slug that each visitor asked for, by `utm_source`. */
  readonly asked = new Map<string, string>();
  /** The `utm_source` of every visitor who was redirected. */
  readonly answered = new Set<string>();
  /** How many visitors were redirected. */
  redirects = 0;
  /** How often each other answer came: a status, or the code of a connection that broke. */
  readonly others = new Map<string, number>();
  /** The longest that a visitor waited. */
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

  /** Sends no more; resolves when every request has its end. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#client.close();
  }
}
