import { DEVICES, type Device } from '@waymark/contract';
import type { ClickQuery } from './click-query.ts';
import type { ReadPlan } from './read-plan.ts';
import { secondOf } from './utc-days.ts';

/** Clicks by day, device and source at one moment. The three add up to the same total, unless sources are cut off. */
export interface Figures {
  /** Clicks by index of the day. Days without clicks are missing. */
  days: Map<number, number>;
  /** Most clicks first, then by name. */
  devices: { device: Device; clicks: number }[];
  /** Most clicks first, then by name; at most a few hundred. */
  sources: { source: string; clicks: number }[];
}

/** A row of the result of `figuresStatement`. */
export interface FiguresRow {
  /** What the sums are of: a UTC `day`, a `quarter` hour, a `source`, a `device`, or the `set` of hidden links. */
  kind: 'day' | 'quarter' | 'source' | 'device' | 'set';
  /** Days or seconds since the epoch, or a name. */
  key: string;
  /**
   * One number. For a day or a set: the clicks of each device, then those before the first cut, before the second, and
   * so on.
   */
  sums: number[];
}

/** The index of the sum that holds the number of links in a set: the column `other` of its mark. */
const SET_SUM = DEVICES.indexOf('other');

/**
 * Returns the figures from the rows of `figuresStatement`, or null if the sums of the hidden links were dropped, or not
 * complete yet, when they were read.
 */
export function figuresOf(query: ClickQuery, plan: ReadPlan, rows: readonly FiguresRow[]): Figures | null {
  const { cuts, days: utcDays, set } = plan;
  // All rows of the set are subtracted, so its number of links is negative here.
  if (set !== null && -(rows.find(({ kind }) => kind === 'set')?.sums[SET_SUM] ?? 0) !== set.links.size) return null;
  const days = new Map<number, number>();
  const devices = new Map<Device, number>();
  const sources: Figures['sources'] = [];
  const addToDay = (second: number, clicks: number) => add(days, dayOf(query.boundaries, second), clicks);
  for (const { kind, key, sums } of rows) {
    if (kind === 'quarter') addToDay(Number(key), sums[0]!);
    else if (kind === 'device') add(devices, key as Device, sums[0]!);
    else if (kind === 'source') sources.push({ source: key, clicks: sums[0]! });
    else if (kind === 'day') {
      const day = Number(key);
      const byDevice = sums.slice(0, DEVICES.length);
      const beforeCuts = sums.slice(DEVICES.length);
      const total = byDevice.reduce((sum, clicks) => sum + clicks, 0);
      for (const [index, device] of DEVICES.entries()) add(devices, device, byDevice[index]!);
      const begins = [0, ...cuts[day - utcDays.firstDay]!];
      for (const [index, quarter] of begins.entries()) {
        const until = index < begins.length - 1 ? beforeCuts[index]! : total;
        addToDay(secondOf(day, quarter), until - (index === 0 ? 0 : beforeCuts[index - 1]!));
      }
    }
  }
  const counted = [...devices].filter(([, clicks]) => clicks !== 0);
  const total = counted.reduce((sum, [, clicks]) => sum + clicks, 0);
  if (query.source !== null && total !== 0) sources.push({ source: query.source, clicks: total });
  return {
    days,
    devices: counted
      .map(([device, clicks]) => ({ device, clicks }))
      .sort((a, b) => b.clicks - a.clicks || (a.device < b.device ? -1 : 1)),
    sources,
  };
}

/**
 * Returns the index of the day that contains a moment: the last day that has begun. A day that the zone skipped has no
 * length and is never returned.
 */
function dayOf(boundaries: readonly number[], second: number): number {
  let [low, high] = [0, boundaries.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (boundaries[middle]! <= second) low = middle;
    else high = middle;
  }
  return low;
}

function add<Key>(sums: Map<Key, number>, key: Key, clicks: number): void {
  sums.set(key, (sums.get(key) ?? 0) + clicks);
}
