const DAY_MS = 86_400_000;
/** Of the days of the links of a page, and then some. */
const DAYS_KEPT_MAX = 5_000;

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THREE_DIGITS = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));
/** What times of a day begin with, by the number of the day since the epoch. */
const days = new Map<number, string>();

/**
 * Milliseconds since the epoch in RFC 3339, UTC, with milliseconds: what `Date.toISOString` gives, in a fifth of its time,
 * which is a third of what it takes to make a page of links JSON. @throws {RangeError} where there is no such date.
 */
export function isoTime(ms: number): string {
  const whole = Math.trunc(ms);
  const day = Math.floor(whole / DAY_MS);
  const inDay = whole - day * DAY_MS;
  const seconds = Math.floor(inDay / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hour = TWO_DIGITS[Math.floor(minutes / 60)];
  return `${beginningOf(day)}${hour}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}.${THREE_DIGITS[inDay % 1_000]}Z`;
}

function beginningOf(day: number): string {
  const known = days.get(day);
  if (known !== undefined) return known;
  const midnight = new Date(day * DAY_MS).toISOString();
  const beginning = midnight.slice(0, midnight.indexOf('T') + 1);
  if (days.size >= DAYS_KEPT_MAX) days.clear();
  days.set(day, beginning);
  return beginning;
}
