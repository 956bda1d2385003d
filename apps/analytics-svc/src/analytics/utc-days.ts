const DAY_SECONDS = 86_400;
const QUARTER_SECONDS = 900;
/** The number of quarter hours in a UTC day. */
const DAY_QUARTERS = DAY_SECONDS / QUARTER_SECONDS;

/** A window split into its whole UTC days and the rest at both ends. */
export interface UtcDays {
  /** Days since the epoch: [firstDay, endDay), empty if both are equal. */
  firstDay: number;
  endDay: number;
  /** Seconds since the epoch, each [from, to). */
  edges: [number, number][];
}

/** Splits [from, to), in seconds since the epoch, into whole UTC days and the rest. */
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
 * Returns where boundaries cut each day of [firstDay, endDay): an ascending list of quarter hours since the start of
 * the day. A boundary at the start of a day cuts nothing.
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

/** Returns the nth cut of each day, or the end of the day if it has fewer. */
export function nthCuts(cuts: readonly (readonly number[])[], n: number): number[] {
  return cuts.map((ofDay) => ofDay[n] ?? DAY_QUARTERS);
}

/** Returns the moment at which a quarter hour of a day begins, in seconds since the epoch. */
export function secondOf(day: number, quarter: number): number {
  return day * DAY_SECONDS + quarter * QUARTER_SECONDS;
}
