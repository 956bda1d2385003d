import { DEVICES, type Device } from '@waymark/contract';
import type { ClickQuery } from './click-query.ts';
import type { ReadPlan } from './read-plan.ts';
import { secondOf } from './utc-days.ts';

/** Clicks by day, device and source, of one moment: their sums are equal. */
export interface Figures {
  /** By index of the day; days without clicks are missing. */
  days: Map<number, number>;
  /** Most clicks first, then by name. */
  devices: { device: Device; clicks: number }[];
  /** Most clicks first, then by name, at most a few hundred. */
  sources: { source: string; clicks: number }[];
}

/** A row of the answer: what it is about, and the sums. */
export interface FiguresRow {
  /** `day` of UTC, `quarter` of an hour, `source`, `device`, or the `set` of hidden links that was read. */
  kind: 'day' | 'quarter' | 'source' | 'device' | 'set';
  /** Days or seconds since the epoch, or a name. */
  key: string;
  /** One number; of a day or a set, those of each device and then those before its first cut, before its second, … */
  sums: number[];
}

/** Where the row of a set has the number of its links: among the devices, the column `other`. */
const SET_SUM = DEVICES.indexOf('other');

/**
 * The figures from the rows of `figuresStatement`; null where the sums of the hidden links were gone, or not complete yet,
 * when they were read.
 */
export function figuresOf(query: ClickQuery, plan: ReadPlan, rows: readonly FiguresRow[]): Figures | null {
  const { cuts, days: utcDays, set } = plan;
  // The row of the set is taken away with its other rows.
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

/** The day that a moment is in: the last one that has begun by then, since a day that was skipped has no length. */
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
