const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long before its day a key is made, so that an outage of the database at midnight does no harm. */
const MADE_BEFORE_MS = 12 * HOUR_MS;
/** How long a key is kept after its day. A key exists for two days. */
const KEPT_AFTER_MS = 12 * HOUR_MS;

/** Returns the UTC day of a time in milliseconds, counted from the epoch. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/** Returns the days whose keys are needed at a time: today, and tomorrow soon before midnight. */
export function daysNeededAt(atMs: number): number[] {
  return [...new Set([dayOf(atMs), dayOf(atMs + MADE_BEFORE_MS)])];
}

/** Returns the id of a day's key. */
export function keyIdOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the time from which a day's key is deleted. */
export function expiryOf(day: number): Date {
  return new Date((day + 1) * DAY_MS + KEPT_AFTER_MS);
}
