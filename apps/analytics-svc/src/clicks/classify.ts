import { readUserAgent, type UserAgent } from '@waymark/user-agents';
import { type Clicks, type Column, type RawClicks, VERDICTS } from './click.ts';
import type { Origin, OriginOf } from './origin.ts';
import { TimeSlices } from './time-slices.ts';
import { utmName } from './utm-name.ts';

const COUNTED = VERDICTS.indexOf('counted');
const PREFETCH = VERDICTS.indexOf('prefetch');

/**
 * Returns the clicks with their verdicts, and with what the User-Agent and the referrer tell. Each distinct User-Agent is
 * read once, and so is each pair of `utm_source` and referrer. Pauses often: visitors choose these texts and can make
 * them expensive.
 */
export async function classify(clicks: RawClicks, originOf: OriginOf): Promise<Clicks> {
  const { count, ids, clickedAtMs, accountIds, linkIds, userAgents, countries, visitors, hosts, prefetch } = clicks;
  const { languages, utmCampaigns, utmMediums, utmContents, utmTerms } = clicks;
  const slices = new TimeSlices();
  const read: UserAgent[] = [];
  for (const userAgent of userAgents.values) {
    if (slices.isOver()) await slices.pause();
    read.push(readUserAgent(userAgent));
  }
  const verdictOf = read.map(({ notCounted }) => (notCounted === null ? COUNTED : VERDICTS.indexOf(notCounted)));
  const verdicts = new Uint16Array(count);
  for (let n = 0; n < count; n++) verdicts[n] = prefetch[n] === 1 ? PREFETCH : verdictOf[userAgents.indexes[n]!]!;
  return {
    count,
    ids,
    clickedAtMs,
    accountIds,
    linkIds,
    countries,
    visitors,
    hosts,
    languages,
    utmCampaigns: namesOf(utmCampaigns),
    utmMediums: namesOf(utmMediums),
    utmContents: namesOf(utmContents),
    utmTerms: namesOf(utmTerms),
    origins: await originsOf(clicks, originOf, slices),
    clients: { values: read, indexes: userAgents.indexes },
    verdicts: { values: VERDICTS, indexes: verdicts },
  };
}

function namesOf({ values, indexes }: Column<string>): Column<string> {
  return { values: values.map(utmName), indexes };
}

async function originsOf(
  { count, referrers, utmSources }: RawClicks,
  originOf: OriginOf,
  slices: TimeSlices,
): Promise<Column<Origin>> {
  const origins: Origin[] = [];
  const ofPairs: number[][] = utmSources.values.map(() => []);
  const indexes = new Uint16Array(count);
  for (let n = 0; n < count; n++) {
    const utmSource = utmSources.indexes[n]!;
    const referrer = referrers.indexes[n]!;
    let index = ofPairs[utmSource]![referrer];
    if (index === undefined) {
      if (slices.isOver()) await slices.pause();
      index =
        origins.push(originOf({ utmSource: utmSources.values[utmSource]!, referrer: referrers.values[referrer]! })) - 1;
      ofPairs[utmSource]![referrer] = index;
    }
    indexes[n] = index;
  }
  return { values: origins, indexes };
}
