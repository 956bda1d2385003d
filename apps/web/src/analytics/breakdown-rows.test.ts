import type { Analytics } from '@waymark/contract';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { breakdownLists, FURTHER_LISTS, nameOfFilter, shownRows } from './breakdown-rows.ts';
import { clicksOf } from './time-series.ts';

vi.mock('../page-facts.ts', () => ({ PUBLIC_URL: 'https://go.example' }));

test.each([
  ['country', 'unknown', 'Unknown country'],
  ['country', 'JP', 'Japan'],
  ['language', 'unknown', 'Unknown language'],
  ['language', 'pt', 'Portuguese'],
  // ISO 639 has no such language, but a browser may send it.
  ['language', 'xx', 'xx'],
  ['language', 'german', 'german'],
  ['utm_campaign', 'unknown', 'unknown'],
  ['source', 'direct', 'Direct'],
  ['source', 'direct.example', 'direct.example'],
  ['device', 'tablet', 'Tablet'],
  // Anybody can write an address.
  ['device', 'constructor', 'constructor'],
  ['browser', 'other', 'Other'],
  ['os', 'Android', 'Android'],
  ['hashtag', 'summer', '#summer'],
  ['host', 'default', 'Default host'],
  ['host', 'go.example.com', 'go.example.com'],
] as const)('%s %s is shown as %s', (filter, value, name) => {
  expect(nameOfFilter(filter, value)).toBe(name);
});

/** An answer with these clicks by referrer, country and campaign, and as many clicks that the API does not name. */
function answerOf(named: readonly number[], unnamed: number): Analytics {
  const sum = named.reduce((total, clicks) => total + clicks, 0);
  const entries = <Name extends string>(name: Name) =>
    named.map((clicks, index) => ({ [name]: `n${index}`, clicks })) as ({ clicks: number } & Record<Name, string>)[];
  return {
    clicks: sum + unnamed,
    devices: sum + unnamed === 0 ? [] : [{ device: 'mobile', clicks: sum + unnamed }],
    countries: entries('country'),
    referrers: entries('referrer'),
    browsers: entries('browser'),
    operating_systems: entries('os'),
    languages: entries('language'),
    hosts: entries('host'),
    utm_campaigns: entries('utm_campaign'),
    utm_mediums: entries('utm_medium'),
    utm_contents: entries('utm_content'),
    utm_terms: entries('utm_term'),
  } as Analytics;
}

test('the rows of each list add up to all clicks, cut or whole, also where clicks have no value', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 1_000 }), { maxLength: 50 }),
      fc.nat(1_000),
      fc.boolean(),
      (named, unnamed, all) => {
        const answer = answerOf(named, unnamed);
        for (const list of breakdownLists(answer, FURTHER_LISTS)) {
          const rows = shownRows(list, all);
          expect([list.part, clicksOf(rows)]).toEqual([list.part, answer.clicks]);
          for (const row of rows) expect(row.clicks).toBeGreaterThan(0);
          const added = rows.filter(({ value }) => value === '');
          expect(added.every(({ filter }) => filter === null)).toBe(true);
          expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
        }
      },
    ),
  );
});

/** The names of the rows that are added to six rows of a list. */
function addedRows(part: 'countries' | 'referrers', named: number, unnamed: number, all = false) {
  const answer = answerOf(new Array<number>(named).fill(1), unnamed);
  const rows = shownRows(breakdownLists(answer, [part])[0]!, all);
  return rows.filter(({ value }) => value === '').map(({ name, clicks }) => `${name}: ${clicks}`);
}

test('the words say how many others there are, and what has no value', () => {
  expect(addedRows('countries', 7, 0)).toEqual([]);
  expect(addedRows('countries', 8, 0)).toEqual(['Others (2): 2']);
  expect(addedRows('countries', 50, 9)).toEqual(['Others (more than 44): 53']);
  expect(addedRows('countries', 50, 9, true)).toEqual(['Others: 9']);
  expect(addedRows('referrers', 8, 9)).toEqual(['Others (2): 2', 'No referrer: 9']);
  expect(addedRows('referrers', 8, 9, true)).toEqual(['No referrer: 9']);
  expect(addedRows('referrers', 50, 9)).toEqual(['Others (44): 44', 'Others, or no referrer: 9']);
  expect(addedRows('referrers', 0, 9)).toEqual(['No referrer: 9']);
});
