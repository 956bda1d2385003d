import { describe, expect, test } from 'vitest';
import { queryValidator } from '../validate.ts';
import { AnalyticsQuery, analyticsWindow } from './analytics-query.ts';

const TODAY = '2026-11-23';
const read = queryValidator(AnalyticsQuery);
const windowOf = (query: Record<string, string>) => analyticsWindow(read(query), TODAY);

describe('the window', () => {
  test.each([
    [{}, { days: 30, from: '2026-10-25', to: TODAY }],
    [{ days: '1' }, { days: 1, from: TODAY, to: TODAY }],
    [
      { from: TODAY, to: TODAY },
      { days: 1, from: TODAY, to: TODAY },
    ],
    [
      { from: '2024-01-01', to: '2024-12-31' },
      { days: 366, from: '2024-01-01', to: '2024-12-31' },
    ],
    [
      { days: '31', include: 'hours' },
      { days: 31, from: '2026-10-24', to: TODAY },
    ],
  ])('of %o is %o', (query, expected) => {
    expect(windowOf(query)).toEqual(expected);
  });

  test.each([
    [{ days: '7', from: '2026-11-01', to: '2026-11-02' }, 'Send either "days" or "from" and "to", not both.'],
    [{ days: '7', to: '2026-11-02' }, 'Send either "days" or "from" and "to", not both.'],
    [{ from: '2026-11-01' }, '"from" and "to" must be sent together; "to" is missing.'],
    [{ to: '2026-11-01' }, '"from" and "to" must be sent together; "from" is missing.'],
    [{ from: '2026-11-02', to: '2026-11-01' }, '"from" must not be after "to"; you sent 2026-11-02 and 2026-11-01.'],
    [{ from: '2025-11-22', to: TODAY }, '"from" and "to" must span at most 366 days; you sent 367.'],
    [{ from: TODAY, to: '2026-11-24' }, '"to" must not be after today, 2026-11-23; you sent 2026-11-24.'],
    [{ days: '32', include: 'hours' }, '"include" can have hours for at most 31 days; the window has 32.'],
    [{ include: 'hours,hours' }, '"include" must be a comma-separated list of visitors, countries, browsers, '],
    [{ include: 'cities' }, '"include" must be a comma-separated list of visitors, countries, browsers, '],
    [{ top_by: 'growth' }, '"top_by" can be growth only with "previous" in "include".'],
    [{ top_by: 'decline', include: 'hours' }, '"top_by" can be decline only with "previous" in "include".'],
    [{ top_by: 'name' }, '"top_by" must be one of clicks, growth, decline; you sent "name".'],
    [{ top: '101' }, '"top" must be between 1 and 100; you sent 101.'],
    [{ top: '0' }, '"top" must be between 1 and 100; you sent 0.'],
    [{ from: '2026-02-30', to: TODAY }, '"from" must be a date such as 2026-02-28; you sent "2026-02-30".'],
    [{ from: '0000-01-01', to: '0000-01-01' }, '"from" must not be before 1970-01-01; you sent 0000-01-01.'],
    [{ from: '1969-12-31', to: '1970-01-01' }, '"from" must not be before 1970-01-01; you sent 1969-12-31.'],
    [{ from: '1900-01-01', to: '1900-01-02' }, '"from" must not be before 1970-01-01; you sent 1900-01-01.'],
    [{ from: '1', to: TODAY }, '"from" must be a date such as 2026-02-28; you sent "1".'],
    [{ hashtag: 'a b' }, '"hashtag" must be 1 to 50 letters, digits, "_" or "-" (counted after lower-casing)'],
    [{ country: '' }, '"country" must be 1 to 255 characters long; you sent 0.'],
  ])('%o is refused: %s', (query, message) => {
    expect(() => windowOf(query)).toThrow(message);
  });
});
