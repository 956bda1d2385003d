import type { Analytics } from '@waymark/contract';
import { expect, test, vi } from 'vitest';
import { csvRows } from '../csv.ts';
import { breakdownLists, FIRST_LISTS, FURTHER_LISTS } from './breakdown-rows.ts';
import { analyticsCsv } from './export-csv.ts';
import { barsOf } from './time-series.ts';

vi.mock('../page-facts.ts', () => ({ PUBLIC_URL: 'https://go.example' }));

const previous: Analytics = {
  days: 2,
  source: null,
  tz: 'UTC',
  from: '2026-11-18',
  to: '2026-11-19',
  clicks: 4,
  visitors: 3,
  clicks_by_day: [
    { date: '2026-11-18', clicks: 1, visitors: 1 },
    { date: '2026-11-19', clicks: 3, visitors: 2 },
  ],
  devices: [{ device: 'mobile', clicks: 4 }],
  sources: [{ source: 'direct', clicks: 4 }],
  top_links: [],
};
const shown: Analytics = {
  ...previous,
  from: '2026-11-20',
  to: '2026-11-21',
  clicks: 6,
  visitors: 5,
  clicks_by_day: [
    { date: '2026-11-20', clicks: 6, visitors: 5 },
    { date: '2026-11-21', clicks: 0, visitors: 0 },
  ],
  devices: [{ device: 'mobile', clicks: 6 }],
  sources: [
    { source: '=cmd|calc', clicks: 5 },
    { source: 'say "hi", then', clicks: 1 },
  ],
  countries: [
    { country: 'DE', clicks: 5 },
    { country: null, clicks: 1 },
  ],
  browsers: [{ browser: 'Firefox', clicks: 6 }],
  operating_systems: [{ os: 'other', clicks: 6 }],
  languages: [{ language: 'de', clicks: 6 }],
  utm_campaigns: [{ utm_campaign: 'summer', clicks: 2 }],
  referrers: [{ referrer: '+evil.example', clicks: 2 }],
  top_links: [
    {
      id: 'a',
      slug: '-dash',
      short_url: 'https://go.example/-dash',
      title: null,
      destination_url: 'https://example.com/',
      clicks: 6,
      previous_clicks: 4,
    },
  ],
  previous: { from: '2026-11-18', to: '2026-11-19', clicks: 4 },
};
const listsOf = (answer: Analytics) => breakdownLists(answer, [...FIRST_LISTS, ...FURTHER_LISTS]);
const csv = (unit: 'day' | 'week') => analyticsCsv(shown, previous, barsOf(shown, previous, unit), listsOf(shown));

test('each shown figure is a row', () => {
  const data = csvRows(csv('day'));
  expect(data).toEqual([
    ['part', 'name', 'clicks', 'visitors', 'previous_clicks'],
    ['time zone', 'UTC', '', '', ''],
    ['total', '2026-11-20 to 2026-11-21', '6', '5', '4'],
    ['total before', '2026-11-18 to 2026-11-19', '4', '3', ''],
    ['time', '2026-11-20', '6', '5', '1'],
    ['time', '2026-11-21', '0', '0', '3'],
    ['top_links', '/-dash', '6', '', '4'],
    ['sources', "'=cmd|calc", '5', '', ''],
    ['sources', 'say "hi", then', '1', '', ''],
    ['countries', 'Germany', '5', '', ''],
    ['countries', 'Unknown country', '1', '', ''],
    ['referrers', "'+evil.example", '2', '', ''],
    ['referrers', 'No referrer', '4', '', ''],
    ['devices', 'Mobile', '6', '', ''],
    ['browsers', 'Firefox', '6', '', ''],
    ['operating_systems', 'Other', '6', '', ''],
    ['languages', 'German', '6', '', ''],
    ['utm_campaigns', 'summer', '2', '', ''],
    ['utm_campaigns', 'No campaign', '4', '', ''],
  ]);
});

test('a bar of several days names the first and the last one', () => {
  const data = csvRows(csv('week'));
  expect(data).toContainEqual(['time', '2026-11-20 to 2026-11-21', '6', '5', '4']);
});

test('the filters are in the file, a link by its slug', () => {
  const filtered: Analytics = { ...shown, link_id: 'a', source: 'direct', country: 'DE' };
  const data = csvRows(analyticsCsv(filtered, null, [], listsOf(filtered)));
  expect(data.filter(([part]) => part === 'filter').map(([, words]) => words)).toEqual([
    'Link: /-dash',
    'Source: Direct',
    'Country: Germany',
  ]);
});

test('what the API does not list has a row of its own', () => {
  const more = { ...shown, clicks: 9 };
  const lines = analyticsCsv(more, null, [], listsOf(more)).split('\r\n');
  expect(lines).toContain('sources,Others,3,,');
  for (const line of ['referrers,No referrer,7,,', 'utm_campaigns,No campaign,7,,']) expect(lines).toContain(line);
});
