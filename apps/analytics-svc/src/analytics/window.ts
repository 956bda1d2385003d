import { addDays } from '@waymark/contract';
import { LRUCache } from 'lru-cache';
import { Temporal } from 'temporal-polyfill';
import type { Span } from './click-query.ts';

/** Consecutive whole days of a time zone. */
export interface Window {
  /** ISO dates of the days, oldest first. */
  dates: string[];
  /**
   * The starts and ends of the days, in seconds since the epoch: day `i` is [boundaries[i], boundaries[i + 1]). A day
   * that the zone skipped is empty.
   */
  boundaries: number[];
}

/** The hours of a window. */
export interface Hours {
  /** Each hour's start in RFC 3339 with the offset of the zone, oldest first. */
  names: string[];
  /** Each hour's start in seconds since the epoch, and the end of the last one. */
  starts: number[];
}

/** The days and hours of an answer. */
export interface Times {
  window: Window;
  /** Null unless they are asked for. */
  hours: Hours | null;
  /** The window before; null unless it is asked for. */
  before: Window | null;
}

const REMEMBERED_MAX = 2_000;
const remembered = new LRUCache<string, Window>({ max: REMEMBERED_MAX });
/** Hours of a month are long lists. */
const rememberedHours = new LRUCache<string, Hours>({ max: REMEMBERED_MAX / 10 });

/** Returns the date of a moment in an IANA time zone. */
export function dateAt(tz: string, nowMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(tz).toPlainDate().toString();
}

/**
 * Returns the days of an IANA time zone from one ISO date to another, both included. A day begins at midnight or, if the
 * clocks skipped midnight, at the first moment of its date.
 */
export function windowOf(from: string, to: string, tz: string): Window {
  const key = `${from} ${to} ${tz}`;
  let window = remembered.get(key);
  if (window === undefined) {
    const first = Temporal.PlainDate.from(from);
    const days = first.until(to).days + 1;
    const dates = Array.from({ length: days + 1 }, (_, day) => first.add({ days: day }));
    window = {
      dates: dates.slice(0, days).map(String),
      boundaries: dates.map((date) => date.toZonedDateTime(tz).epochMilliseconds / 1000),
    };
    remembered.set(key, window);
  }
  return window;
}

/** Returns the days of the same number before a window. */
export function windowBefore({ dates }: Window, tz: string): Window {
  return windowOf(addDays(dates[0]!, -dates.length), addDays(dates[0]!, -1), tz);
}

/** Returns the span of a window. */
export function spanOfWindow({ boundaries }: Window): Span {
  return { from: boundaries[0]!, to: boundaries.at(-1)! };
}

/**
 * Returns the hours of a window by the zone's clocks. An hour that they repeat is there twice, with different offsets,
 * and one that they skip is not there.
 */
export function hoursOf({ boundaries }: Window, tz: string): Hours {
  const { from, to } = { from: boundaries[0]!, to: boundaries.at(-1)! };
  const key = `${from} ${to} ${tz}`;
  let hours = rememberedHours.get(key);
  if (hours === undefined) {
    hours = { names: [], starts: [] };
    let at = Temporal.Instant.fromEpochMilliseconds(from * 1000).toZonedDateTimeISO(tz);
    while (at.epochMilliseconds < to * 1000) {
      hours.names.push(at.toString({ timeZoneName: 'never', smallestUnit: 'second' }));
      hours.starts.push(at.epochMilliseconds / 1000);
      // Where clocks change by half an hour, an hour may begin in its middle.
      at = at.add({ minutes: 60 - at.minute });
    }
    hours.starts.push(to);
    rememberedHours.set(key, hours);
  }
  return hours;
}
