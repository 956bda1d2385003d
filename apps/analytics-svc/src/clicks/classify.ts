import { DEVICES } from '@waymark/contract';
import { type Clicks, type Column, type RawClicks, VERDICTS } from './click.ts';
import type { SourceOf } from './source.ts';
import { TimeSlices } from './time-slices.ts';
import { type Visitor, visitorOf } from './visitor.ts';

const PREFETCH = VERDICTS.indexOf('prefetch');

/**
 * Returns the clicks with their verdicts, devices and sources. Each distinct User-Agent is classified once, and so is
 * each pair of `utm_source` and referrer. Pauses often: visitors choose these texts and can make them expensive.
 */
export async function classify(clicks: RawClicks, sourceOf: SourceOf): Promise<Clicks> {
  const { count, ids, clickedAtMs, accountIds, linkIds, userAgents, prefetch } = clicks;
  const slices = new TimeSlices();
  const visitors: Visitor[] = [];
  for (const userAgent of userAgents.values) {
    if (slices.isOver()) await slices.pause();
    visitors.push(visitorOf(userAgent));
  }
  const deviceOf = visitors.map(({ device }) => DEVICES.indexOf(device));
  const verdictOf = visitors.map(({ notCounted }) => VERDICTS.indexOf(notCounted ?? 'counted'));
  const devices = new Uint16Array(count);
  const verdicts = new Uint16Array(count);
  for (let n = 0; n < count; n++) {
    const userAgent = userAgents.indexes[n]!;
    devices[n] = deviceOf[userAgent]!;
    verdicts[n] = prefetch[n] === 1 ? PREFETCH : verdictOf[userAgent]!;
  }
  return {
    count,
    ids,
    clickedAtMs,
    accountIds,
    linkIds,
    sources: await sourcesOf(clicks, sourceOf, slices),
    devices: { values: DEVICES, indexes: devices },
    verdicts: { values: VERDICTS, indexes: verdicts },
  };
}

async function sourcesOf(
  { count, referrers, utmSources }: RawClicks,
  sourceOf: SourceOf,
  slices: TimeSlices,
): Promise<Column<string>> {
  const indexOf = new Map<string, number>();
  const ofPairs: number[][] = utmSources.values.map(() => []);
  const indexes = new Uint16Array(count);
  for (let n = 0; n < count; n++) {
    const utmSource = utmSources.indexes[n]!;
    const referrer = referrers.indexes[n]!;
    let index = ofPairs[utmSource]![referrer];
    if (index === undefined) {
      if (slices.isOver()) await slices.pause();
      const source = sourceOf({ utmSource: utmSources.values[utmSource]!, referrer: referrers.values[referrer]! });
      index = indexOf.get(source) ?? indexOf.size;
      indexOf.set(source, index);
      ofPairs[utmSource]![referrer] = index;
    }
    indexes[n] = index;
  }
  return { values: [...indexOf.keys()], indexes };
}
