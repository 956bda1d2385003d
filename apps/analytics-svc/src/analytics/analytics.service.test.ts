import type { AnalyticsQuery } from '@waymark/contract';
import { expect, test } from 'vitest';
import { type AnalyticsServiceDeps, createAnalyticsService } from './analytics.service.ts';
import type { ClickQuery } from './click-query.ts';
import { figuresStatement } from './figures-statement.ts';
import type { Caller } from './hidden-links.ts';

/** Returns the question to the store for a request. */
async function askedOfStore(sent: Partial<AnalyticsQuery>): Promise<ClickQuery> {
  const asked: ClickQuery[] = [];
  const deps: AnalyticsServiceDeps = {
    store: {
      async find(query) {
        asked.push(query);
        return { rows: [], links: [] };
      },
    },
    hiddenLinks: { find: async () => [] } as unknown as AnalyticsServiceDeps['hiddenLinks'],
    linksWithHashtag: {} as AnalyticsServiceDeps['linksWithHashtag'],
    hashtagsOfLinks: {} as AnalyticsServiceDeps['hashtagsOfLinks'],
    shownLinks: { findByClicksIds: async () => new Map() } as unknown as AnalyticsServiceDeps['shownLinks'],
    ownHosts: [],
  };
  const caller = { identity: { accountId: 'a' }, token: '', requestId: '' } as unknown as Caller;
  await createAnalyticsService(deps).get({ tz: 'UTC', ...sent }, caller, new AbortController().signal);
  return asked[0]!;
}

test('"fields" reads only what it names; without it, sources and top links are read', async () => {
  expect([...(await askedOfStore({})).parts]).toEqual(['links', 'sources']);
  expect([...(await askedOfStore({ fields: 'countries,utm_terms' })).parts]).toEqual(['countries', 'utm_terms']);
  expect([...(await askedOfStore({ fields: 'top_links' })).parts]).toEqual(['links']);
  const before = await askedOfStore({ fields: 'previous' });
  expect(figuresStatement(before)).toContain("'previous' AS kind");
  expect(figuresStatement(before)).not.toContain("'links' AS kind");
});
