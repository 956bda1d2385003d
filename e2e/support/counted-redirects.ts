import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '@waymark/contract';
import { expect } from 'vitest';
import { type OwnStack, readClickHouse } from './own-stack.ts';
import { RedirectLoad, roundRobin } from './redirect-load.ts';
import { eventually, request } from './world.ts';

/** The redirects of a file of tests: the figures include the clicks of all of them. */
export class CountedRedirects {
  readonly #own: OwnStack;
  readonly #links: readonly Link[];
  readonly #loads: RedirectLoad[] = [];

  constructor(own: OwnStack, links: readonly Link[]) {
    this.#own = own;
    this.#links = links;
  }

  startLoad(perSecond: number, headers: Record<string, string> = {}): RedirectLoad {
    const slugs = this.#links.map(({ slug }) => slug);
    const load = new RedirectLoad({ nextOrigin: roundRobin(this.#own.stack.urls.gateway), slugs, perSecond, headers });
    this.#loads.push(load);
    return load;
  }

  /**
   * Waits until every answered redirect is stored as a click, then checks that no click is duplicated or unexpected and
   * that rollups and counters agree. A request without a response may or may not be a click, because the response may
   * have been lost on its way to the visitor. Returns the number of stored clicks.
   */
  async expectExactlyOnce(): Promise<number> {
    const asked = new Map(this.#loads.flatMap((load) => [...load.asked]));
    const answered = this.#loads.flatMap((load) => [...load.answered]);
    let stored = new Map<string, number>();
    await eventually(async () => {
      const rows = await readClickHouse<{ source: string; n: number }>(
        this.#own,
        'SELECT source, count() AS n FROM clicks GROUP BY source',
      );
      stored = new Map(rows.map(({ source, n }) => [source, n]));
      expect(answered.filter((source) => !stored.has(source))).toEqual([]);
    });
    // Give duplicate deliveries time to arrive.
    await sleep(2_000);

    await eventually(async () => {
      const rows = await readClickHouse<{ source: string; n: number }>(
        this.#own,
        'SELECT source, count() AS n FROM clicks GROUP BY source',
      );
      stored = new Map(rows.map(({ source, n }) => [source, n]));
      expect([...stored].filter(([source, n]) => n !== 1 || !asked.has(source))).toEqual([]);
      const clicksOf = new Map(this.#links.map(({ slug }) => [slug, 0]));
      for (const source of stored.keys()) clicksOf.set(asked.get(source)!, clicksOf.get(asked.get(source)!)! + 1);

      const figures = await this.#own.analytics();
      expect(figures.clicks).toBe(stored.size);
      expect(figures.devices).toEqual([{ device: 'desktop', clicks: stored.size }]);
      expect(figures.clicks_by_day.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(stored.size);
      // Sources are sorted by clicks, so a click that was counted twice would come first.
      expect(figures.sources.map(({ clicks }) => clicks)).toEqual(Array(50).fill(1));
      for (const { slug, clicks } of figures.top_links)
        expect({ slug, clicks }).toEqual({ slug, clicks: clicksOf.get(slug) });
      for (const { id, slug } of this.#links) {
        const link = await request<Link>(`/api/v1/links/${id}`, {
          key: this.#own.key,
          base: this.#own.stack.urls.gateway,
        });
        expect({ slug, clicks: link.body.clicks }).toEqual({ slug, clicks: clicksOf.get(slug) });
      }
    });
    return stored.size;
  }
}

/** Waits until all services of a stack are ready. */
export async function isReady(own: OwnStack): Promise<void> {
  await eventually(async () => {
    expect((await request('/readyz', { base: own.stack.urls.gateway })).status).toBe(200);
  });
}

/** Prints what a load saw. */
export function report(what: string, load: RedirectLoad, more: Record<string, number>): void {
  const figures = { asked: load.asked.size, answered: load.answered.size, ...Object.fromEntries(load.others), ...more };
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}
