import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import {
  addDays,
  beginningOf,
  dateIn,
  daysBetween,
  ianaName,
  isIsoDate,
  isTimeZone,
  mondayOf,
  timeZones,
} from './dates.ts';

const date = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map((each) => each.toISOString().slice(0, 10));
const zone = fc.constantFrom(...timeZones());
const moment = fc.date({ min: new Date('1980-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });

test('adding days and counting them agree', () => {
  fc.assert(
    fc.property(date, fc.integer({ min: 0, max: 800 }), (from, days) => {
      const to = addDays(from, days);
      expect(isIsoDate(to)).toBe(true);
      expect(daysBetween(from, to)).toBe(days + 1);
      expect(addDays(to, -days)).toBe(from);
    }),
  );
});

test('a week begins with its Monday', () => {
  fc.assert(
    fc.property(date, (each) => {
      const monday = mondayOf(each);
      expect(new Date(monday).getUTCDay()).toBe(1);
      expect(daysBetween(monday, each)).toBeGreaterThanOrEqual(1);
      expect(daysBetween(monday, each)).toBeLessThanOrEqual(7);
    }),
  );
});

test('the date in a zone is at most a day from the date in UTC, and never goes back', () => {
  fc.assert(
    fc.property(zone, moment, (tz, at) => {
      const here = dateIn(tz, at);
      expect(isIsoDate(here)).toBe(true);
      expect(Math.abs(daysBetween(at.toISOString().slice(0, 10), here) - 1)).toBeLessThanOrEqual(1);
      expect(dateIn(tz, new Date(at.getTime() + 3_600_000)) >= here).toBe(true);
    }),
  );
});

test.each([
  ['Pacific/Kiritimati', '2026-11-21T10:00:00Z', '2026-11-22'],
  ['America/Los_Angeles', '2026-11-21T07:59:59Z', '2026-11-20'],
  ['Asia/Kathmandu', '2026-11-20T18:15:00Z', '2026-11-21'],
  // Clocks go forward and back.
  ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-25'],
])('in %s, %s is on %s', (tz, at, expected) => {
  expect(dateIn(tz, new Date(at))).toBe(expected);
});

test.each([
  ['Pacific/Auckland', '2026-06-01', '2026-05-31T12:00:00.000Z'],
  ['America/Los_Angeles', '2026-11-01', '2026-11-01T07:00:00.000Z'],
  // Its clocks go forward at midnight.
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
])('in %s, %s begins at %s', (tz, day, expected) => {
  vi.stubEnv('TZ', tz);
  expect(beginningOf(day)).toBe(expected);
  vi.unstubAllEnvs();
});

test('what is no date is left to the API', () => {
  for (const text of ['2026-02-29', 'yesterday', '2026-06-01T00:00:00Z']) expect(beginningOf(text)).toBe(text);
});

test.each(['2026-02-29', '2026-13-01', '2026-1-1', '', '2026-01-01T00:00:00Z', '0000-00-00'])(
  '%j is no date',
  (text) => {
    expect(isIsoDate(text)).toBe(false);
  },
);

test('UTC is among the zones, and none is there twice', () => {
  const zones = timeZones();
  expect(zones).toContain('UTC');
  expect(new Set(zones).size).toBe(zones.length);
});

test('a zone has the name that IANA gives it, whatever the browser calls it, and is the same zone', () => {
  const canonical = (timeZone: string) => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  const renamed = Intl.supportedValuesOf('timeZone').filter((listed) => ianaName(listed) !== listed);
  for (const listed of renamed) expect(canonical(ianaName(listed))).toBe(canonical(listed));
  expect(ianaName('Asia/Calcutta')).toBe('Asia/Kolkata');
  expect(ianaName('America/Buenos_Aires')).toBe('America/Argentina/Buenos_Aires');
  for (const zone of ['Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'UTC', 'Asia/toString'])
    expect(ianaName(zone)).toBe(zone);
  const zones = timeZones();
  for (const zone of ['Asia/Kolkata', 'Europe/Kyiv', 'America/Nuuk']) expect(zones).toContain(zone);
  for (const zone of ['Asia/Calcutta', 'Europe/Kiev', 'America/Godthab']) expect(zones).not.toContain(zone);
});

test('a zone of an address may be one that nobody knows', () => {
  expect(timeZones().filter((zone) => !isTimeZone(zone))).toEqual([]);
  for (const text of ['Mars/Olympus', '', 'Europe', '<b>', 'Etc/Unknown', '+02:00'])
    expect(isTimeZone(text)).toBe(false);
});
