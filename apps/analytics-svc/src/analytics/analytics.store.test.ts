import { expect, test } from 'vitest';
import type { Database } from '../database/database.ts';
import { createAnalyticsStore } from './analytics.store.ts';
import type { ClickQuery } from './click-query.ts';

const QUERY: ClickQuery = {
  accountId: 'a',
  dayStarts: [0, 86_400],
  hourStarts: [],
  previous: null,
  topBy: 'clicks',
  cross: null,
  hashtags: null,
  parts: new Set(),
  filters: {},
  onlyLinks: null,
  hiddenLinks: [],
};

test('a top link whose id the answering replica does not know yet is excluded', async () => {
  const database: Pick<Database, 'query'> = {
    async query<Row>(statement: string) {
      return (
        statement.includes('link_id')
          ? [{ number: '1', link_id: 'one' }]
          : ['2', '1'].map((name) => ({ kind: 'links', name, total: 3, before: 0 }))
      ) as Row[];
    },
  };
  const { links } = await createAnalyticsStore(database).find(QUERY, new AbortController().signal);
  expect(links).toEqual([{ linkId: 'one', clicks: 3, previousClicks: 0 }]);
});
