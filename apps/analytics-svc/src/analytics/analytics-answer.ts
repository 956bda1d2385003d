import {
  type Analytics,
  type AnalyticsQuery,
  analyticsParts,
  type CrossEntry,
  type CrossPart,
  crossEntry,
  crossParts,
  DEFAULT_TOP_LINKS,
  type Device,
  MAX_CROSS,
  MAX_NAMES,
  MAX_SOURCES,
  type NotCountedReason,
} from '@waymark/contract';
import type { LinkClicks } from './analytics.store.ts';
import type { FigureKind, FiguresRow } from './figures-statement.ts';
import type { ShownLink } from './shown-links.ts';
import type { Times } from './window.ts';

/** Returns the answer to a query, with its keys in the order of the API. */
export function answerOf(
  asked: AnalyticsQuery,
  times: Times,
  rows: readonly FiguresRow[],
  leaders: readonly LinkClicks[],
  shown: ReadonlyMap<string, ShownLink>,
): Analytics {
  const parts = analyticsParts(asked);
  const { dates, boundaries } = times.window;
  const kinds = Map.groupBy(rows, ({ kind }) => kind);
  const days = totalsByStart(kinds.get('days'));
  const visitors = totalsByStart(kinds.get('visitors'));
  // Clicks of a day that the zone skipped belong to the next one, which starts at the same moment.
  const startsDay = (day: number) => boundaries[day] !== boundaries[day + 1];
  const ofDay = (totals: ReadonlyMap<number, number>, day: number) =>
    startsDay(day) ? (totals.get(boundaries[day]!) ?? 0) : 0;
  const clicks_by_day = dates.map((date, day) => ({
    date,
    clicks: ofDay(days, day),
    // Visitors of many clicks are estimated (figures-statement.ts).
    ...(parts.has('visitors') && { visitors: Math.min(ofDay(visitors, day), ofDay(days, day)) }),
  }));
  const clicks = sum(clicks_by_day.map((day) => day.clicks));
  const names = (kind: FigureKind) => namesOf(kinds.get(kind)).slice(0, MAX_NAMES);
  /** The names of a list that leaves out clicks without one. */
  const given = (kind: FigureKind) => namesOf(kinds.get(kind)?.filter(({ name }) => name !== '')).slice(0, MAX_NAMES);
  const { source } = asked;
  return {
    days: dates.length,
    source: source ?? null,
    tz: asked.tz,
    from: dates[0]!,
    to: dates.at(-1)!,
    clicks,
    clicks_by_day,
    devices: namesOf(kinds.get('days')).map(({ name, clicks }) => ({ device: name as Device, clicks })),
    sources:
      source === undefined
        ? namesOf(kinds.get('sources'))
            .slice(0, MAX_SOURCES)
            .map((entry) => ({ source: entry.name, clicks: entry.clicks }))
        : clicks === 0
          ? []
          : [{ source: source.toLowerCase(), clicks }],
    top_links: topLinksOf(asked, leaders, shown, parts.has('previous')),
    ...(parts.has('visitors') && { visitors: sum(clicks_by_day.map((day) => day.visitors ?? 0)) }),
    ...(parts.has('countries') && {
      countries: names('countries').map(({ name, clicks }) => ({ country: name === '' ? null : name, clicks })),
    }),
    ...(parts.has('browsers') && {
      browsers: names('browsers').map(({ name, clicks }) => ({ browser: name, clicks })),
    }),
    ...(parts.has('operating_systems') && {
      operating_systems: names('operating_systems').map(({ name, clicks }) => ({ os: name, clicks })),
    }),
    ...(parts.has('referrers') && {
      referrers: given('referrers').map(({ name, clicks }) => ({ referrer: name, clicks })),
    }),
    ...(parts.has('hosts') && {
      hosts: names('hosts').map(({ name, clicks }) => ({ host: name === '' ? null : name, clicks })),
    }),
    ...(parts.has('languages') && {
      languages: names('languages').map(({ name, clicks }) => ({ language: name === '' ? null : name, clicks })),
    }),
    ...(parts.has('utm_campaigns') && {
      utm_campaigns: given('utm_campaigns').map(({ name, clicks }) => ({ utm_campaign: name, clicks })),
    }),
    ...(parts.has('utm_mediums') && {
      utm_mediums: given('utm_mediums').map(({ name, clicks }) => ({ utm_medium: name, clicks })),
    }),
    ...(parts.has('utm_contents') && {
      utm_contents: given('utm_contents').map(({ name, clicks }) => ({ utm_content: name, clicks })),
    }),
    ...(parts.has('utm_terms') && {
      utm_terms: given('utm_terms').map(({ name, clicks }) => ({ utm_term: name, clicks })),
    }),
    ...(parts.has('verdicts') && {
      verdicts: namesOf(kinds.get('verdicts')).map(({ name, clicks }) => ({
        verdict: name as NotCountedReason,
        requests: clicks,
      })),
    }),
    ...(times.hours !== null && { clicks_by_hour: hoursOf(times.hours, totalsByStart(kinds.get('hours'))) }),
    ...(times.before !== null && {
      previous: {
        from: times.before.dates[0]!,
        to: times.before.dates.at(-1)!,
        clicks: sum((kinds.get('previous') ?? []).map(({ before }) => before)),
      },
    }),
    ...(asked.cross !== undefined && { cross: crossOf(asked.cross, times, kinds.get('cross')) }),
    ...echoOf(asked),
  };
}

/** The parts of `cross` whose name may be unknown. */
const NULLABLE: readonly CrossPart[] = ['country', 'language', 'host'];

/** Returns the entries of `cross` in the order of the rows. */
function crossOf(cross: string, { window }: Times, rows: readonly FiguresRow[] = []): CrossEntry[] {
  const parts = crossParts(cross);
  // A day that the zone skipped starts with the next one, to which the clicks belong.
  const dateOf = new Map(window.dates.map((date, day) => [window.boundaries[day], date]));
  return rows.slice(0, MAX_CROSS).map(({ name, second, started_at, total }) => {
    const others = [name, second];
    const [first, last] = parts.map((part) => {
      if (part === 'day') return dateOf.get(started_at)!;
      const other = others.shift()!;
      return NULLABLE.includes(part) && other === '' ? null : other;
    });
    return crossEntry(parts, [first!, last!], total);
  });
}

/** Returns the parameters that an answer repeats, if they were sent. */
function echoOf(asked: AnalyticsQuery) {
  const { link_id, hashtag, device, country, browser, os, host, language } = asked;
  const { utm_campaign, utm_medium, utm_content, utm_term, include, fields, top, top_by } = asked;
  const filters = { link_id, hashtag, device, country, browser, os, host, language };
  const echo = { ...filters, utm_campaign, utm_medium, utm_content, utm_term, include, fields, top, top_by };
  return Object.fromEntries(Object.entries(echo).filter(([, value]) => value !== undefined)) as Partial<
    Pick<Analytics, keyof typeof echo>
  >;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function totalsByStart(rows: readonly FiguresRow[] = []): Map<number, number> {
  const totals = new Map<number, number>();
  for (const { started_at, total } of rows) totals.set(started_at, (totals.get(started_at) ?? 0) + total);
  return totals;
}

function hoursOf({ names, starts }: NonNullable<Times['hours']>, totals: ReadonlyMap<number, number>) {
  return names.map((hour, index) => ({ hour, clicks: totals.get(starts[index]!) ?? 0 }));
}

/** Returns the names with their clicks, of all days: most clicks first, then by name. */
export function namesOf(rows: readonly FiguresRow[] = []): { name: string; clicks: number }[] {
  return [...Map.groupBy(rows, ({ name }) => name)]
    .map(([name, group]) => ({ name, clicks: sum(group.map(({ total }) => total)) }))
    .sort((a, b) => b.clicks - a.clicks || (a.name < b.name ? -1 : 1));
}

/** Returns the links that lead by `top_by`; equal ones are ordered by slug. */
function topLinksOf(
  { top = DEFAULT_TOP_LINKS, top_by = 'clicks' }: AnalyticsQuery,
  leaders: readonly LinkClicks[],
  shown: ReadonlyMap<string, ShownLink>,
  withPrevious: boolean,
): Analytics['top_links'] {
  const sign = top_by === 'decline' ? -1 : 1;
  const scoreOf = ({ clicks, previousClicks }: LinkClicks) => (top_by === 'clicks' ? clicks : clicks - previousClicks);
  return leaders
    .map((leader) => ({ link: shown.get(leader.linkId)!, ...leader, score: sign * scoreOf(leader) }))
    .sort((a, b) => b.score - a.score || (a.link.slug < b.link.slug ? -1 : 1))
    .slice(0, top)
    .map(({ link, clicks, previousClicks }) => ({
      id: link.id,
      slug: link.slug,
      short_url: link.shortUrl,
      title: link.title ?? null,
      destination_url: link.destinationUrl,
      clicks,
      ...(withPrevious && { previous_clicks: previousClicks }),
    }));
}
