import type { Analytics } from '@waymark/contract';
import { addDays, dateIn, hourIn, isTimeZone } from '../dates.ts';
import { hourOfDay, MAX_DAYS_WITH_HOURS } from './time-series.ts';

/** Returns true if the window ends today, so that more clicks can be added to it. */
export function endsToday({ to, tz }: Pick<Analytics, 'to' | 'tz'>, now: Date): boolean {
  return isTimeZone(tz) && to === dateIn(tz, now);
}

/** The clicks of the window before, up to the moment that the shown window has reached. */
export interface ClicksBefore {
  clicks: number;
  /** The hour of the last day at which they end, 1 to 23. Null for the whole window. */
  untilHour: number | null;
}

/**
 * Returns the clicks to compare a window with. A window that ends today is compared with the same hours, the current one
 * included, as far as hours are known. Null while they load, or if nothing is compared.
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
