import { describe, expect, test } from 'vitest';
import { queryValidator } from '../validate.ts';
import { AnalyticsQuery, analyticsWindow } from './analytics-query.ts';

const TODAY = '2026-11-23';
const read = queryValidator(AnalyticsQuery);
const windowOf = (query: Record<string, string>) => analyticsWindow(read(query), TODAY);

// apps/analytics-svc/test/analytics.test.ts has what else is refused.
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
    [{ from: '2025-11-22', to: TODAY }, '"from" and "to" must span at most 366 days; you sent 367.'],
    [{ from: TODAY, to: '2026-11-24' }, '"to" must not be after today, 2026-11-23; you sent 2026-11-24.'],
  ])('%o is refused: %s', (query, message) => {
    expect(() => windowOf(query)).toThrow(message);
  });
});
