import { addDays, isTimeZone } from '@waymark/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hoursOf, dateAt as todayAt, windowBefore, windowOf } from './window.ts';

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
const lastDays = (days: number, tz: string, nowMs: number) => {
  const today = todayAt(tz, nowMs);
  return windowOf(addDays(today, 1 - days), today, tz);
};
const windowAt = (days: number, tz: string, now: string) => lastDays(days, tz, Date.parse(now));

describe('days begin and end at midnight of the zone, exactly', () => {
  test('UTC', () => {
    const { dates, boundaries } = windowAt(2, 'UTC', '2026-11-21T23:59:59.999Z');
    expect(dates).toEqual(['2026-11-20', '2026-11-21']);
    expect(boundaries.map(iso)).toEqual(['2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z']);
  });

  test('Kathmandu is 5:45 ahead: its today may be the UTC tomorrow', () => {
    const { dates, boundaries } = windowAt(1, 'Asia/Kathmandu', '2026-11-21T18:15:00Z');
    expect(dates).toEqual(['2026-11-22']);
    expect(boundaries.map(iso)).toEqual(['2026-11-21T18:15:00Z', '2026-11-22T18:15:00Z']);
  });

  test('Lord Howe changes by half an hour', () => {
    const { boundaries } = windowAt(3, 'Australia/Lord_Howe', '2026-10-05T00:00:00Z');
    expect(boundaries.map(iso)).toEqual([
      '2026-10-02T13:30:00Z',
      '2026-10-03T13:30:00Z',
      '2026-10-04T13:00:00Z',
      '2026-10-05T13:00:00Z',
    ]);
  });

  test('New York has days of 23 and of 25 hours', () => {
    const hours = ({ boundaries }: ReturnType<typeof windowAt>) => (boundaries[1]! - boundaries[0]!) / 3600;
    expect(hours(windowAt(1, 'America/New_York', '2026-03-08T18:00:00Z'))).toBe(23);
    expect(hours(windowAt(1, 'America/New_York', '2026-11-01T18:00:00Z'))).toBe(25);
  });

  test('a midnight that does not exist is the first moment of its date', () => {
    const { boundaries } = windowAt(1, 'America/Sao_Paulo', '2018-11-04T12:00:00Z');
    expect(boundaries.map(iso)).toEqual(['2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z']);
  });

  test('the day that Samoa skipped is there, and empty', () => {
    const { dates, boundaries } = windowAt(3, 'Pacific/Apia', '2011-12-31T05:00:00Z');
    expect(dates).toEqual(['2011-12-29', '2011-12-30', '2011-12-31']);
    expect(boundaries.map(iso)).toEqual([
      '2011-12-29T10:00:00Z',
      '2011-12-30T10:00:00Z',
      '2011-12-30T10:00:00Z',
      '2011-12-31T10:00:00Z',
    ]);
  });

  test('a zone in any case, and an old name of a zone', () => {
    const now = '2026-11-21T12:00:00Z';
    expect(windowAt(30, 'europe/berlin', now)).toEqual(windowAt(30, 'Europe/Berlin', now));
    expect(windowAt(30, 'Asia/Calcutta', now)).toEqual(windowAt(30, 'Asia/Kolkata', now));
  });
});

const formats = new Map<string, Intl.DateTimeFormat>();
function dateAt(tz: string, seconds: number): string {
  let format = formats.get(tz);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: tz, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(tz, format);
  }
  return format.format(seconds * 1000);
}

describe('in every zone of the runtime', () => {
  const zones = Intl.supportedValuesOf('timeZone');

  test('a boundary is the first second of its date by the runtime’s own calendar, on a quarter of an hour', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 1, max: 365 }),
        fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2029, 0, 1) }),
        (tz, days, nowMs) => {
          const { dates, boundaries } = lastDays(days, tz, nowMs);
          expect(dates).toHaveLength(days);
          expect(boundaries).toHaveLength(days + 1);
          expect(dates.at(-1)).toBe(dateAt(tz, Math.floor(nowMs / 1000)));
          for (const [day, date] of dates.entries()) {
            const boundary = boundaries[day]!;
            expect(boundary % 900).toBe(0);
            expect(boundaries[day + 1]).toBeGreaterThan(boundary);
            expect([dateAt(tz, boundary), dateAt(tz, boundary - 1) < date]).toEqual([date, true]);
          }
          expect(boundaries.at(-1)! * 1000).toBeGreaterThan(nowMs);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('today and yesterday are right in each', () => {
    const nowMs = Date.UTC(2026, 10, 21, 12);
    for (const tz of zones) {
      const { dates, boundaries } = lastDays(2, tz, nowMs);
      expect([tz, ...dates]).toEqual([tz, dateAt(tz, boundaries[0]!), dateAt(tz, nowMs / 1000)]);
    }
  });
});

test('the window before has as many days, and ends where the window begins', () => {
  const window = windowOf('2026-03-01', '2026-03-31', 'Europe/Berlin');
  const before = windowBefore(window, 'Europe/Berlin');
  expect([before.dates[0], before.dates.at(-1), before.dates.length]).toEqual(['2026-01-29', '2026-02-28', 31]);
  expect(before.boundaries.at(-1)).toBe(window.boundaries[0]);
});

describe('hours by the clocks of a zone', () => {
  const hoursAt = (date: string, tz: string) => hoursOf(windowOf(date, date, tz), tz);

  test('an ordinary day has 24', () => {
    const { names, starts } = hoursAt('2026-11-21', 'Asia/Kathmandu');
    expect(names).toHaveLength(24);
    expect([names[0], names.at(-1)]).toEqual(['2026-11-21T00:00:00+05:45', '2026-11-21T23:00:00+05:45']);
    expect(starts.map((start) => start % 900)).toEqual(Array(25).fill(0));
  });

  test('an hour that the clocks repeat is there twice, and one that they skip is not there', () => {
    expect(hoursAt('2026-10-25', 'Europe/Berlin').names.slice(1, 5)).toEqual([
      '2026-10-25T01:00:00+02:00',
      '2026-10-25T02:00:00+02:00',
      '2026-10-25T02:00:00+01:00',
      '2026-10-25T03:00:00+01:00',
    ]);
    expect(hoursAt('2026-03-29', 'Europe/Berlin').names.slice(1, 3)).toEqual([
      '2026-03-29T01:00:00+01:00',
      '2026-03-29T03:00:00+02:00',
    ]);
  });

  test('where clocks change by half an hour, every moment is in one hour', () => {
    expect(hoursAt('2026-04-05', 'Australia/Lord_Howe').names.slice(0, 4)).toEqual([
      '2026-04-05T00:00:00+11:00',
      '2026-04-05T01:00:00+11:00',
      '2026-04-05T01:30:00+10:30',
      '2026-04-05T02:00:00+10:30',
    ]);
    expect(hoursAt('2026-10-04', 'Australia/Lord_Howe').names.slice(0, 4)).toEqual([
      '2026-10-04T00:00:00+10:30',
      '2026-10-04T01:00:00+10:30',
      '2026-10-04T02:30:00+11:00',
      '2026-10-04T03:00:00+11:00',
    ]);
  });
});

test('every name that is accepted as a time zone can be computed with, also of three letters', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const short = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c))).filter(isTimeZone);
  for (const tz of [...short, ...Intl.supportedValuesOf('timeZone')]) expect(todayAt(tz, 0)).toMatch(/^19(69|70)-/);
  expect(['CST', 'PST', 'JST', 'ist'].filter(isTimeZone)).toEqual([]);
  expect(short).toContain('UTC');
});
