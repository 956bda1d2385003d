import type { Analytics } from '@waymark/contract';
import { dateIn, hourIn, isTimeZone } from '../dates.ts';
import { clicksOf, hourOfDay } from './time-series.ts';

/** Returns true if the window ends today, so that more clicks can be added to it. */
export function endsToday({ to, tz }: Pick<Analytics, 'to' | 'tz'>, now: Date): boolean {
  return isTimeZone(tz) && to === dateIn(tz, now);
}

/** A figure of the shown window and of the window before, both of the same part of their windows. */
export interface Compared {
  now: number;
  before: number;
}

/** The figures that can be compared. */
export interface Comparison {
  clicks: Compared;
  /** Null if the visitors of this part of a day are not known. */
  visitors: Compared | null;
  /** The part of the windows. */
  part: { kind: 'whole' } | { kind: 'without-today' } | { kind: 'until-hour'; hour: number };
}

/**
 * Returns the figures to compare a window with. Of a window that ends today, only what is over is compared, with the same
 * part of the window before: the days without today, or, of today alone, the hours that are over by the clocks of the
 * zone. Null if nothing is compared, nothing is over yet, or what is needed of the window before is still loading.
 */
export function comparisonOf(shown: Analytics, previous: Analytics | null, now: Date): Comparison | null {
  if (!shown.previous) return null;
  if (!endsToday(shown, now)) {
    const visitors = previous && { now: shown.visitors ?? 0, before: previous.visitors ?? 0 };
    return { clicks: { now: shown.clicks, before: shown.previous.clicks }, visitors, part: { kind: 'whole' } };
  }
  if (!previous) return null;
  if (shown.days > 1) {
    const over = ({ clicks_by_day }: Analytics) => clicks_by_day.slice(0, -1);
    return {
      clicks: { now: clicksOf(over(shown)), before: clicksOf(over(previous)) },
      visitors: { now: visitorsOf(over(shown)), before: visitorsOf(over(previous)) },
      part: { kind: 'without-today' },
    };
  }
  const hour = hourIn(shown.tz, now);
  if (hour === 0 || !shown.clicks_by_hour || !previous.clicks_by_hour) return null;
  const over = (hours: NonNullable<Analytics['clicks_by_hour']>) => hours.filter((each) => hourOfDay(each.hour) < hour);
  return {
    clicks: { now: clicksOf(over(shown.clicks_by_hour)), before: clicksOf(over(previous.clicks_by_hour)) },
    visitors: null,
    part: { kind: 'until-hour', hour },
  };
}

function visitorsOf(days: readonly { visitors?: number | undefined }[]): number {
  return days.reduce((sum, { visitors = 0 }) => sum + visitors, 0);
}
