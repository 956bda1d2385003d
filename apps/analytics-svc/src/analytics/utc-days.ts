const DAY_SECONDS = 86_400;
const QUARTER_SECONDS = 900;
/** The end of a day of UTC, in quarters of an hour. */
const DAY_QUARTERS = DAY_SECONDS / QUARTER_SECONDS;

/** A window cut into the days of UTC that are wholly in it, and what is left at its two ends. */
export interface UtcDays {
  /** Days since the epoch; the days are [firstDay, endDay), none where they are equal. */
  firstDay: number;
  endDay: number;
  /** Seconds since the epoch, each [from, to). */
  edges: [number, number][];
}

/** The days of UTC in [from, to), seconds since the epoch. */
export function utcDaysOf(from: number, to: number): UtcDays {
  const firstDay = Math.ceil(from / DAY_SECONDS);
  const endDay = Math.floor(to / DAY_SECONDS);
  if (firstDay >= endDay) return { firstDay, endDay: firstDay, edges: [[from, to]] };
  const edges: UtcDays['edges'] = [
    [from, firstDay * DAY_SECONDS],
    [endDay * DAY_SECONDS, to],
  ];
  return { firstDay, endDay, edges: edges.filter(([begin, end]) => begin < end) };
}

/**
 * Where boundaries cut each day of [firstDay, endDay): lists of quarters of an hour since the day's beginning, ascending. A
 * boundary at the beginning of a day cuts nothing.
 */
export function cutsOf(boundaries: readonly number[], { firstDay, endDay }: UtcDays): number[][] {
  const cuts: number[][] = Array.from({ length: endDay - firstDay }, () => []);
  for (const boundary of new Set(boundaries)) {
    const day = Math.floor(boundary / DAY_SECONDS);
    const quarter = (boundary - day * DAY_SECONDS) / QUARTER_SECONDS;
    if (quarter > 0) cuts[day - firstDay]?.push(quarter);
  }
  return cuts;
}

/** The nth cut of each day, or the day's end where it has fewer. */
export function nthCuts(cuts: readonly (readonly number[])[], n: number): number[] {
  return cuts.map((ofDay) => ofDay[n] ?? DAY_QUARTERS);
}

/** The moment, in seconds since the epoch, at which a quarter of a day begins. */
export function secondOf(day: number, quarter: number): number {
  return day * DAY_SECONDS + quarter * QUARTER_SECONDS;
}
