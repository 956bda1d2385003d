import type { Analytics } from '@waymark/contract';
import { expect, test } from 'vitest';
import { addDays } from '../dates.ts';
import { comparisonOf } from './window-before.ts';

/** An answer in Berlin with one click in each of these hours, `HH+offset`, and one visitor on each day. */
function answer(from: string, hoursOfDays: readonly (readonly string[])[]): Analytics {
  const dates = hoursOfDays.map((_, index) => addDays(from, index));
  return {
    days: dates.length,
    tz: 'Europe/Berlin',
    from,
    to: dates.at(-1)!,
    clicks: hoursOfDays.flat().length,
    visitors: dates.length,
    clicks_by_day: dates.map((date, index) => ({ date, clicks: hoursOfDays[index]!.length, visitors: 1 })),
    clicks_by_hour: hoursOfDays.flatMap((hours, index) =>
      hours.map((hour) => ({ hour: `${dates[index]}T${hour.slice(0, 2)}:00:00${hour.slice(2)}:00`, clicks: 1 })),
    ),
  } as unknown as Analytics;
}
/** The hours from one to another, both included. */
const hours = (from: number, to: number, offset: string) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${String(from + index).padStart(2, '0')}${offset}`);
const WHOLE_DAY = hours(0, 23, '+01');
const withPrevious = (shown: Analytics, previous: Analytics): Analytics => ({
  ...shown,
  previous: { from: previous.from, to: previous.to, clicks: previous.clicks },
});

const yesterday = answer('2026-11-20', [WHOLE_DAY]);
const today = (until: number) => withPrevious(answer('2026-11-21', [hours(0, until, '+01')]), yesterday);

test('today is compared with yesterday until the same hour, and only with hours that are over', () => {
  expect(comparisonOf(today(14), yesterday, new Date('2026-11-21T13:35:00Z'))).toEqual({
    clicks: { now: 14, before: 14 },
    visitors: null,
    part: { kind: 'until-hour', hour: 14 },
  });
  const late = comparisonOf(today(23), yesterday, new Date('2026-11-21T22:30:00Z'));
  expect(late).toMatchObject({ clicks: { now: 23, before: 23 }, part: { hour: 23 } });
});

test('in the first hour of a day, nothing is over yet', () => {
  expect(comparisonOf(today(0), yesterday, new Date('2026-11-20T23:20:00Z'))).toBeNull();
});

test('on days with a change of the clocks, it is the same hour by the clocks', () => {
  // 25 October 2026 has 02:00 twice, 29 March none.
  const twice = ['00+02', '01+02', '02+02', '02+01', ...hours(3, 23, '+01')];
  const skipped = ['00+01', '01+01', ...hours(3, 23, '+02')];
  const clicksAt = (shown: Analytics, previous: Analytics, now: string) =>
    comparisonOf(withPrevious(shown, previous), previous, new Date(now))?.clicks;
  const normal = hours(0, 23, '+02');
  const before = answer('2026-10-24', [normal]);
  expect(clicksAt(answer('2026-10-25', [twice.slice(0, 6)]), before, '2026-10-25T03:30:00Z')).toEqual({
    now: 5,
    before: 4,
  });
  // 02:30, for the second time: the first one is not counted on either side.
  expect(clicksAt(answer('2026-10-25', [twice.slice(0, 4)]), before, '2026-10-25T01:30:00Z')).toEqual({
    now: 2,
    before: 2,
  });
  expect(clicksAt(answer('2026-10-26', [WHOLE_DAY]), answer('2026-10-25', [twice]), '2026-10-26T11:30:00Z')).toEqual({
    now: 12,
    before: 13,
  });
  expect(clicksAt(answer('2026-03-29', [skipped]), answer('2026-03-28', [WHOLE_DAY]), '2026-03-29T10:30:00Z')).toEqual({
    now: 11,
    before: 12,
  });
});

test('several days that end today are compared without today', () => {
  const previous = answer('2026-11-17', [WHOLE_DAY, hours(0, 9, '+01')]);
  const shown = withPrevious(answer('2026-11-19', [hours(0, 4, '+01'), hours(0, 2, '+01')]), previous);
  expect(comparisonOf({ ...shown, to: '2026-11-20' }, previous, new Date('2026-11-20T13:35:00Z'))).toEqual({
    clicks: { now: 5, before: 24 },
    visitors: { now: 1, before: 1 },
    part: { kind: 'without-today' },
  });
});

test('a window that is over is compared with the whole one before', () => {
  const now = new Date('2026-11-25T13:35:00Z');
  const whole = { clicks: { now: 15, before: 24 }, part: { kind: 'whole' } };
  expect(comparisonOf(today(14), yesterday, now)).toEqual({ ...whole, visitors: { now: 1, before: 1 } });
  expect(comparisonOf(today(14), null, now)).toEqual({ ...whole, visitors: null });
  expect(comparisonOf({ ...today(14), tz: 'Mars' }, null, now)).toMatchObject(whole);
});

test('nothing is compared while the window before loads, or if it is not asked for', () => {
  const now = new Date('2026-11-21T13:35:00Z');
  expect(comparisonOf(today(14), null, now)).toBeNull();
  const { previous: _none, ...alone } = today(14);
  expect(comparisonOf(alone as Analytics, yesterday, now)).toBeNull();
});
