import { LRUCache } from 'lru-cache';
import { Temporal } from 'temporal-polyfill';

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

const REMEMBERED_MAX = 2_000;
const remembered = new LRUCache<string, Window>({ max: REMEMBERED_MAX });

/**
 * Returns the last `days` days of an IANA time zone, today included, at the moment `nowMs` (milliseconds since the
 * epoch). A day begins at midnight or, if the clocks skipped midnight, at the first moment of its date.
 */
export function windowOf(days: number, tz: string, nowMs: number): Window {
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(tz).toPlainDate();
  const key = `${days} ${tz} ${today}`;
  let window = remembered.get(key);
  if (window === undefined) {
    const first = today.subtract({ days: days - 1 });
    const dates = Array.from({ length: days + 1 }, (_, day) => first.add({ days: day }));
    window = {
      dates: dates.slice(0, days).map(String),
      boundaries: dates.map((date) => date.toZonedDateTime(tz).epochMilliseconds / 1000),
    };
    remembered.set(key, window);
  }
  return window;
}
