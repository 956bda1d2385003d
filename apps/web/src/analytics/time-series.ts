import { addDays, mondayOf } from '../dates.ts';
import type { Unit } from './analytics-search.ts';

/** The API reports hours for windows of at most this length. */
export const MAX_DAYS_WITH_HOURS = 31;

const HOUR_MS = 3_600_000;

/** A bar of the chart over time. */
export interface Bar {
  /** Unique in its chart. */
  key: string;
  /** The first and last date of the bar within the window. */
  from: string;
  to: string;
  /** The start of an hour in RFC 3339 with the offset of the zone. Null for the other units. */
  hour: string | null;
  /** Which one it is of the two hours that the clocks show alike. Null for any other bar. */
  pass: 1 | 2 | null;
  clicks: number;
  /** Distinct visitors of each day, added up. Null for hours, whose visitors are not known. */
  visitors: number | null;
  /** Clicks of the same part of the window before. Null if they are not known. */
  previousClicks: number | null;
}

/** The parts of the API's answer that are over time. */
export interface ClicksOverTime {
  days: number;
  clicks_by_day: readonly { date: string; clicks: number; visitors?: number | undefined }[];
  clicks_by_hour?: readonly { hour: string; clicks: number }[] | undefined;
}

/** Returns the clicks of days, hours or rows, added up. */
export function clicksOf(entries: readonly { clicks: number }[]): number {
  return entries.reduce((sum, { clicks }) => sum + clicks, 0);
}

/** Returns true if more clicks can be added to a bar. `today` is the date of `now` in the zone of the bars. */
export function isUnfinished({ to, hour }: Bar, today: string, now: Date): boolean {
  return hour === null ? to === today : now.getTime() < Date.parse(hour) + HOUR_MS;
}

/** Returns the units that a window can be shown in. There is always one. */
export function unitsOf(days: number): Unit[] {
  const units: Unit[] = [];
  if (days <= 7) units.push('hour');
  if (days > 1) units.push('day');
  if (days > 14) units.push('week');
  if (days > 61) units.push('month');
  return units;
}

/** Returns the unit that suits a window: few enough bars to be told apart. */
export function defaultUnit(days: number): Unit {
  if (days <= 2) return 'hour';
  return days <= 92 ? 'day' : 'week';
}

/**
 * Returns the bars of a window, oldest first. `previous` is the window of the same length before: its days are compared
 * in their order, the first with the first. The first and the last week or month may be cut off by the window.
 */
export function barsOf(current: ClicksOverTime, previous: ClicksOverTime | null, unit: Unit): Bar[] {
  return unit === 'hour' ? hourBars(current, previous) : dayBars(current, previous, unit);
}

function dayBars(current: ClicksOverTime, previous: ClicksOverTime | null, unit: Exclude<Unit, 'hour'>): Bar[] {
  const bars: Bar[] = [];
  for (const [index, { date, clicks, visitors }] of current.clicks_by_day.entries()) {
    const key = keyOfDay(date, unit);
    let bar = bars.at(-1);
    if (bar?.key !== key) {
      bar = {
        ...{ key, from: date, to: date, hour: null, pass: null },
        clicks: 0,
        visitors: 0,
        previousClicks: previous && 0,
      };
      bars.push(bar);
    }
    bar.to = date;
    bar.clicks += clicks;
    bar.visitors! += visitors ?? 0;
    if (previous) bar.previousClicks! += previous.clicks_by_day[index]?.clicks ?? 0;
  }
  return bars;
}

function keyOfDay(date: string, unit: Exclude<Unit, 'hour'>): string {
  if (unit === 'day') return date;
  return unit === 'week' ? mondayOf(date) : date.slice(0, 7);
}

/**
 * An hour that the clocks repeated has two bars. The first is compared with the first one of the window before, and the
 * second with the second one. What the window before does not have is compared with nothing.
 */
function hourBars(current: ClicksOverTime, previous: ClicksOverTime | null): Bar[] {
  const before = new Map<string, number[]>();
  for (const { hour, clicks } of previous?.clicks_by_hour ?? []) {
    const key = `${addDays(dateOfHour(hour), current.days)} ${hourOfDay(hour)}`;
    before.set(key, [...(before.get(key) ?? []), clicks]);
  }
  const hours = current.clicks_by_hour ?? [];
  return hours.map(({ hour, clicks }, index) => {
    const date = dateOfHour(hour);
    const pass = passOf(hours, index);
    const previousClicks = before.get(`${date} ${hourOfDay(hour)}`)?.[(pass ?? 1) - 1] ?? null;
    return { key: hour, from: date, to: date, hour, pass, clicks, visitors: null, previousClicks };
  });
}

/** Returns whether an hour is the first or the second one that the clocks show alike, or null if there is no other. */
export function passOf(hours: readonly { hour: string }[], index: number): 1 | 2 | null {
  const isAlike = (other: number) => hours[other]?.hour.slice(0, CLOCK_END) === hours[index]!.hour.slice(0, CLOCK_END);
  if (isAlike(index - 1)) return 2;
  return isAlike(index + 1) ? 1 : null;
}

/** An hour of the day. */
export interface HourOfDay {
  /** 0 to 23. */
  hour: number;
  clicks: number;
  /** How often the clocks showed it in the window. */
  times: number;
}

/**
 * Returns the hours of the day with their clicks, added up over the window. An hour that the clocks skipped on every day is
 * missing.
 */
export function hoursOfDay(hours: readonly { hour: string; clicks: number }[]): HourOfDay[] {
  const sums = new Map<number, HourOfDay>();
  for (const { hour: start, clicks } of hours) {
    const hour = hourOfDay(start);
    const sum = sums.get(hour) ?? { hour, clicks: 0, times: 0 };
    sums.set(hour, { hour, clicks: sum.clicks + clicks, times: sum.times + 1 });
  }
  return [...sums.values()].sort((one, other) => one.hour - other.hour);
}

/** Where the date and the time of the clocks end in a moment, before the seconds and the offset. */
const CLOCK_END = 'yyyy-mm-ddThh:mm'.length;

/** Returns the date of an hour by the zone's clocks. */
function dateOfHour(hour: string): string {
  return hour.slice(0, 10);
}

/** Returns the hour of the day, 0 to 23, by the zone's clocks. */
export function hourOfDay(hour: string): number {
  return Number(hour.slice(11, 13));
}
