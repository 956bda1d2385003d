import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { BROWSER } from './world.ts';

export interface RedirectLoadOptions {
  /** Where the redirects are asked of; requests go round where there are several. */
  origins: readonly string[];
  slugs: readonly string[];
  perSecond: number;
  /** Sent with every request. */
  headers?: Record<string, string>;
}

/** Longer than anything may take to be answered. */
const HANG_MS = 10_000;
/** More than are ever under way at once, unless answers take seconds. */
const SOCKETS_MAX = 64;

/**
 * Visitors who follow short links at a steady rate, whatever becomes of their requests. Each brings a `utm_source` of
 * its own, so that every single one can be found again among the clicks.
 */
export class RedirectLoad {
  /** The slug that each visitor asked for, by `utm_source`. */
  readonly asked = new Map<string, string>();
  /** The `utm_source` of every visitor who was redirected. */
  readonly answered = new Set<string>();
  /** How often each other answer came: a status, or the code of a connection that broke. */
  readonly others = new Map<string, number>();
  readonly #options: RedirectLoadOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX, scheduling: 'fifo' });
  readonly #underWay = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: RedirectLoadOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Sends no more; resolves when every request has its end. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await Promise.all(this.#underWay);
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    const { perSecond, slugs, origins } = this.#options;
    const begun = performance.now();
    const run = begun.toString(36).replace('.', '');
    for (let n = 0; !this.#stop.signal.aborted; ) {
      const due = Math.floor(((performance.now() - begun) / 1_000) * perSecond);
      for (; n < due; n += 1) {
        const visit = this.#visit(origins[n % origins.length]!, slugs[n % slugs.length]!, `${run}-${n}`);
        this.#underWay.add(visit);
        visit.finally(() => this.#underWay.delete(visit));
      }
      await sleep(5);
    }
  }

  async #visit(origin: string, slug: string, source: string): Promise<void> {
    this.asked.set(source, slug);
    const answer = await this.#request(`${origin}/${slug}?utm_source=${source}`);
    if (answer === '302') this.answered.add(source);
    else this.others.set(answer, (this.others.get(answer) ?? 0) + 1);
  }

  #request(url: string): Promise<string> {
    const headers = { 'user-agent': BROWSER, ...this.#options.headers };
    return new Promise((resolve) => {
      const request = get(url, { agent: this.#agent, headers, timeout: HANG_MS }, (response) => {
        response.once('error', () => {}).resume();
        resolve(String(response.statusCode));
      });
      request.once('timeout', () => {
        resolve('hang');
        request.destroy();
      });
      request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  }
}
