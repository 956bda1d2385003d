import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../dates.ts';
import { barsOf, type ClicksOverTime, defaultUnit, hoursOfDay, isUnfinished, unitsOf } from './time-series.ts';

/** Windows of one length: a current one, and the one before. */
const windows = fc
  .record({
    from: fc.integer({ min: 0, max: 40_000 }).map((day) => addDays('1990-01-01', day)),
    days: fc.array(fc.record({ clicks: fc.nat(1_000), visitors: fc.nat(1_000), before: fc.nat(1_000) }), {
      minLength: 1,
      maxLength: 366,
    }),
  })
  .map(({ from, days }) => ({
    current: {
      days: days.length,
      clicks_by_day: days.map(({ clicks, visitors }, day) => ({ date: addDays(from, day), clicks, visitors })),
    },
    previous: {
      days: days.length,
      clicks_by_day: days.map(({ before }, day) => ({ date: addDays(from, day - days.length), clicks: before })),
    },
  }));
const sum = (numbers: readonly (number | null)[]) => numbers.reduce<number>((all, each) => all + each!, 0);

test('bars of days, weeks and months have every click of both windows, and every day once', () => {
  fc.assert(
    fc.property(
      windows,
      fc.constantFrom('day' as const, 'week' as const, 'month' as const),
      ({ current, previous }, unit) => {
        const bars = barsOf(current, previous, unit);
        expect(sum(bars.map(({ clicks }) => clicks))).toBe(sum(current.clicks_by_day.map(({ clicks }) => clicks)));
        expect(sum(bars.map(({ visitors }) => visitors))).toBe(
          sum(current.clicks_by_day.map(({ visitors }) => visitors)),
        );
        expect(sum(bars.map((bar) => bar.previousClicks))).toBe(
          sum(previous.clicks_by_day.map(({ clicks }) => clicks)),
        );
        expect(bars[0]!.from).toBe(current.clicks_by_day[0]!.date);
        expect(bars.at(-1)!.to).toBe(current.clicks_by_day.at(-1)!.date);
        for (const [index, bar] of bars.slice(1).entries()) expect(bar.from).toBe(addDays(bars[index]!.to, 1));
        expect(new Set(bars.map(({ key }) => key)).size).toBe(bars.length);
      },
    ),
  );
});

test('weeks begin on Monday, months on their first day, and the window cuts the ends off', () => {
  const from = '2026-10-28';
  const current: ClicksOverTime = {
    days: 14,
    clicks_by_day: Array.from({ length: 14 }, (_, day) => ({ date: addDays(from, day), clicks: 1 })),
  };
  expect(barsOf(current, null, 'week').map((bar) => [bar.from, bar.to, bar.clicks, bar.previousClicks])).toEqual([
    ['2026-10-28', '2026-11-01', 5, null],
    ['2026-11-02', '2026-11-08', 7, null],
    ['2026-11-09', '2026-11-10', 2, null],
  ]);
  expect(barsOf(current, null, 'month').map((bar) => [bar.from, bar.to, bar.clicks])).toEqual([
    ['2026-10-28', '2026-10-31', 4],
    ['2026-11-01', '2026-11-10', 10],
  ]);
});

const day = (date: string, hours: [time: string, clicks: number][]): ClicksOverTime => ({
  days: 1,
  clicks_by_day: [{ date, clicks: sum(hours.map(([, clicks]) => clicks)) }],
  clicks_by_hour: hours.map(([time, clicks]) => ({ hour: `${date}T${time}`, clicks })),
});
// 25 October has 02:00 twice in Berlin; the day before has it once.
const TWICE = day('2026-10-25', [
  ['01:00:00+02:00', 1],
  ['02:00:00+02:00', 2],
  ['02:00:00+01:00', 4],
  ['03:00:00+01:00', 8],
]);
const ONCE = day('2026-10-24', [
  ['01:00:00+02:00', 10],
  ['02:00:00+02:00', 20],
  ['03:00:00+02:00', 30],
]);
const figuresOf = (current: ClicksOverTime, previous: ClicksOverTime) =>
  barsOf(current, previous, 'hour').map(({ pass, clicks, previousClicks }) => [pass, clicks, previousClicks]);

test('an hour that the clocks repeat has two bars that say which, and the second is compared with nothing', () => {
  expect(figuresOf(TWICE, ONCE)).toEqual([
    [null, 1, 10],
    [1, 2, 20],
    [2, 4, null],
    [null, 8, 30],
  ]);
  expect(new Set(barsOf(TWICE, ONCE, 'hour').map(({ key }) => key)).size).toBe(4);
  expect(barsOf(TWICE, null, 'hour').map(({ previousClicks }) => previousClicks)).toEqual([null, null, null, null]);
});

test('an hour that was repeated the day before is compared with the first of the two', () => {
  const dayAfter = day('2026-10-26', [
    ['01:00:00+01:00', 5],
    ['02:00:00+01:00', 6],
  ]);
  expect(figuresOf(dayAfter, TWICE)).toEqual([
    [null, 5, 1],
    [null, 6, 2],
  ]);
});

test('an hour that the clocks skip has no bar, neither over time nor in the hours of the day', () => {
  const skipped = day('2026-03-29', [
    ['01:00:00+01:00', 1],
    ['03:00:00+02:00', 2],
  ]);
  expect(barsOf(skipped, null, 'hour').map(({ hour }) => hour!.slice(11, 13))).toEqual(['01', '03']);
  expect(hoursOfDay(skipped.clicks_by_hour!).map(({ hour }) => hour)).toEqual([1, 3]);
});

test('hours of the day are by the clocks of the zone, and count how often the clocks showed them', () => {
  const hours = hoursOfDay([
    { hour: '2026-10-25T02:00:00+02:00', clicks: 2 },
    { hour: '2026-10-25T02:00:00+01:00', clicks: 4 },
    { hour: '2026-10-26T02:30:00+05:30', clicks: 8 },
    { hour: '2026-10-26T23:00:00-11:00', clicks: 1 },
  ]);
  expect(hours).toEqual([
    { hour: 2, clicks: 14, times: 3 },
    { hour: 23, clicks: 1, times: 1 },
  ]);
});

test('a bar of today is unfinished, and so is the present hour', () => {
  const bar = {
    key: '',
    from: '2026-11-20',
    to: '2026-11-21',
    hour: null,
    pass: null,
    clicks: 0,
    visitors: 0,
    previousClicks: null,
  };
  const now = new Date('2026-11-21T09:30:00+01:00');
  expect(isUnfinished(bar, '2026-11-21', now)).toBe(true);
  expect(isUnfinished(bar, '2026-11-22', now)).toBe(false);
  expect(isUnfinished({ ...bar, hour: '2026-11-21T09:00:00+01:00' }, '2026-11-21', now)).toBe(true);
  expect(isUnfinished({ ...bar, hour: '2026-11-21T08:00:00+01:00' }, '2026-11-21', now)).toBe(false);
});

test('every window has a unit that suits it', () => {
  for (let days = 1; days <= 366; days++) expect(unitsOf(days)).toContain(defaultUnit(days));
});
