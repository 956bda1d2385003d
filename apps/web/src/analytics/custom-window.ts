import { daysBetween, isIsoDate } from '../dates.ts';
import { analytics as texts } from '../texts/analytics.ts';

/** The most days of a window, as the API has it. */
export const MAX_WINDOW_DAYS = 366;

/** Returns what is wrong with a window, or null if it can be shown. `today` is the date in the window's time zone. */
export function faultOfWindow(from: string, to: string, today: string): string | null {
  if (!isIsoDate(from) || !isIsoDate(to)) return texts.window.incomplete;
  if (from > to) return texts.window.reversed;
  if (to > today) return texts.window.future;
  if (daysBetween(from, to) > MAX_WINDOW_DAYS) return texts.window.tooLong(MAX_WINDOW_DAYS);
  return null;
}
