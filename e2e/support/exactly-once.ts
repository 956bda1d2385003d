import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '@waymark/contract';
import { expect } from 'vitest';
import { type OwnStack, readClickHouse } from './own-stack.ts';
import type { RedirectLoad } from './redirect-load.ts';
import { eventually, request } from './world.ts';

/**
 * Waits until every answered redirect of a stack's only load is stored as a click, then checks that no click is duplicated
 * or unexpected and that rollups and counters agree. A request without a response may or may not be a click, because the
 * response may have been lost on its way to the visitor. Returns the
 * number of stored clicks.
 */
export async function expectExactlyOnce(
  own: OwnStack,
  links: readonly Link[],
  { asked, answered }: RedirectLoad,
): Promise<number> {
  await eventually(async () => {
    const stored = await clicksBySource(own);
    expect([...answered].filter((source) => !stored.has(source))).toEqual([]);
  });
  // Give duplicate deliveries time to arrive.
  await sleep(2_000);

  let clicks = 0;
  await eventually(async () => {
    const stored = await clicksBySource(own);
    clicks = stored.size;
    expect([...stored].filter(([source, n]) => n !== 1 || !asked.has(source))).toEqual([]);
    const clicksOf = new Map(links.map(({ slug }) => [slug, 0]));
    for (const source of stored.keys()) clicksOf.set(asked.get(source)!, clicksOf.get(asked.get(source)!)! + 1);

    const figures = await own.analytics();
    expect(figures.clicks).toBe(clicks);
    expect(figures.devices).toEqual([{ device: 'desktop', clicks }]);
    expect(figures.clicks_by_day.reduce((sum, day) => sum + day.clicks, 0)).toBe(clicks);
    // Sources are sorted by clicks, so a click that was counted twice would come first.
    expect(figures.sources.map((source) => source.clicks)).toEqual(Array(50).fill(1));
    for (const top of figures.top_links)
      expect({ slug: top.slug, clicks: top.clicks }).toEqual({ slug: top.slug, clicks: clicksOf.get(top.slug) });
    for (const { id, slug } of links) {
      const { body } = await request<Link>(`/api/v1/links/${id}`, { key: own.key, base: own.stack.urls.gateway });
      expect({ slug, clicks: body.clicks }).toEqual({ slug, clicks: clicksOf.get(slug) });
    }
  });
  return clicks;
}

async function clicksBySource(own: OwnStack): Promise<Map<string, number>> {
  const rows = await readClickHouse<{ source: string; n: number }>(
    own,
    'SELECT source, count() AS n FROM clicks GROUP BY source',
  );
  return new Map(rows.map(({ source, n }) => [source, n]));
}

/** Prints what a load saw. */
export function report(what: string, load: RedirectLoad, more: Record<string, number>): void {
  const figures = { asked: load.asked.size, answered: load.answered.size, ...Object.fromEntries(load.others), ...more };
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}
