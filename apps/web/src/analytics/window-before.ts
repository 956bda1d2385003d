import type { Analytics } from '@waymark/contract';
import { addDays, dateIn, hourIn, isTimeZone } from '../dates.ts';
import { hourOfDay, MAX_DAYS_WITH_HOURS } from './time-series.ts';

/** Returns true if the window ends today, so that more clicks can be added to it. */
export function endsToday({ to, tz }: Pick<Analytics, 'to' | 'tz'>, now: Date): boolean {
  return isTimeZone(tz) && to === dateIn(tz, now);
}

/** The clicks of the previous window that the shown window is compared with. */
export interface ClicksBefore {
  clicks: number;
  /** They end at this hour of the last day, 1 to 23. Null for the whole window. */
  untilHour: number | null;
}

/**
 * Returns the clicks to compare a window with. Today is not over, so a window that ends today is compared with the same
 * hours of the previous window, the current hour included. If hours are unknown, it is compared with the whole window.
 * Null while the hours load, or if nothing is compared.
 */
export function clicksBefore(shown: Analytics, previous: Analytics | null, now: Date): ClicksBefore | null {
  if (!shown.previous) return null;
  const untilHour = endsToday(shown, now) ? hourIn(shown.tz, now) + 1 : 24;
  if (untilHour === 24 || shown.days > MAX_DAYS_WITH_HOURS) return { clicks: shown.previous.clicks, untilHour: null };
  if (!previous?.clicks_by_hour) return null;
  const lastDay = addDays(shown.from, -1);
  const counted = previous.clicks_by_hour.filter(
    ({ hour }) => !hour.startsWith(lastDay) || hourOfDay(hour) < untilHour,
  );
  return { clicks: counted.reduce((sum, { clicks }) => sum + clicks, 0), untilHour };
}
