import type { AccountIdentity } from '@waymark/auth';
import {
  Analytics,
  type AnalyticsQuery,
  analyticsParts,
  type CrossEntry,
  isUtmName,
  UTM_NAMES,
  type UtmName,
  validator,
} from '@waymark/contract';
import { expect } from 'vitest';
import {
  account,
  CHROME,
  IPAD,
  IPHONE,
  type SentClick,
  shortUrlOf,
  slugOf,
  TELEVISION,
  type TestService,
} from './harness.ts';

export const DAY_MS = 86_400_000;
const USER_AGENTS = { desktop: CHROME, mobile: IPHONE, tablet: IPAD, other: TELEVISION };
/** What bowser calls them. */
const BROWSERS = { desktop: 'Chrome', mobile: 'Safari', tablet: 'Safari', other: 'WebOS Browser' };
const SYSTEMS = { desktop: 'Windows', mobile: 'iOS', tablet: 'iOS', other: 'WebOS' };
export type Device = keyof typeof USER_AGENTS;

/** A click as the tests describe it. */
export interface ModelClick {
  link: number;
  atMs: number;
  device: Device;
  source: string;
  /** Empty if unknown. */
  country?: string;
  /** The short host; empty for the default host. */
  host?: string;
  /** A number of the visitor; 0 if unknown. */
  visitor?: number;
  /** Two letters; empty if unknown. */
  language?: string;
  /** Each as it was sent; missing if the click has none. */
  utm?: Partial<Record<UtmName, string>>;
  /** If true, it does not count. */
  prefetch?: boolean;
}

/** Returns a function that returns the date of a moment in a zone, by the runtime's own calendar. */
function dateIn(tz: string): (atMs: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: tz, year: 'numeric', month: '2-digit', day: '2-digit' });
  return (atMs) => format.format(atMs);
}

/** Returns a function that returns the date, hour and offset of a moment in a zone, by the runtime's own calendar. */
function hourIn(tz: string): (atMs: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: tz,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  return (atMs) => {
    const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    const offset = parts.timeZoneName === 'GMT' ? '+00:00' : parts.timeZoneName!.slice(3);
    return `${parts.year}-${parts.month}-${parts.day}T${parts.hour} ${offset}`;
  };
}

const addDays = (date: string, days: number) => new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/** The query of the tests. Without `days` and `from`, the window is of 30 days. */
export type Asked = Partial<AnalyticsQuery>;

/**
 * Returns the analytics that the contract requires for the clicks, computed in the simplest way. `today` is the date in
 * the zone of the query. `hashtagsOf` returns the hashtags of a link.
 */
export function model(
  clicks: ModelClick[],
  query: Asked,
  today: string,
  linkId: (link: number) => string,
  hashtagsOf: (link: number) => readonly string[] = () => [],
): Analytics {
  const { tz = 'UTC', source, link_id, hashtag, device, country, browser, os, include, top, top_by = 'clicks' } = query;
  const { cross, host, language } = query;
  const parts = analyticsParts(query);
  const to = query.to ?? today;
  const from = query.from ?? addDays(to, 1 - (query.days ?? 30));
  const dates: string[] = [];
  for (let date = from; date <= to; date = addDays(date, 1)) dates.push(date);
  const before = { from: addDays(from, -dates.length), to: addDays(from, -1) };
  const same = (asked: string | undefined, value: string) =>
    asked === undefined || asked.toLowerCase() === value.toLowerCase();
  const toDate = dateIn(tz);
  const matching = clicks
    .map((click) => ({
      ...click,
      date: toDate(click.atMs),
      country: click.country ?? '',
      host: click.host ?? '',
      referrer: click.source === 'google.com' ? 'www.google.com' : '',
      language: click.language ?? '',
      utm: (name: UtmName) => click.utm?.[name]?.toLowerCase() ?? '',
    }))
    .filter((click) => {
      return (
        same(source, click.source) &&
        same(link_id, linkId(click.link)) &&
        (hashtag === undefined || hashtagsOf(click.link).includes(hashtag)) &&
        same(device, click.device) &&
        same(country, click.country === '' ? 'unknown' : click.country) &&
        same(browser, BROWSERS[click.device]) &&
        same(os, SYSTEMS[click.device]) &&
        same(host, click.host === '' ? 'default' : click.host) &&
        same(language, click.language === '' ? 'unknown' : click.language) &&
        UTM_NAMES.every((name) => same(query[name], click.utm(name)))
      );
    });
  const requests = matching.filter(({ date }) => date >= from && date <= to);
  const inWindow = requests.filter(({ prefetch }) => !prefetch);
  const notCounted = requests.length - inWindow.length;
  const inWindowBefore = matching.filter(({ date, prefetch }) => date >= before.from && date <= before.to && !prefetch);
  type Click = (typeof inWindow)[number];
  const countBy = (key: (click: Click) => string, some = inWindow) =>
    [...Map.groupBy(some, key)]
      .map(([name, group]) => ({ name, clicks: group.length }))
      .sort((a, b) => b.clicks - a.clicks || (a.name < b.name ? -1 : 1));
  const countOf = (key: (click: Click) => string, some = inWindow) =>
    new Map(countBy(key, some).map(({ name, clicks }) => [name, clicks]));
  const byDate = countOf(({ date }) => date);
  const hourOf = hourIn(tz);
  let hours: Map<string, number> | undefined;
  const byHour = () => {
    hours ??= countOf(({ atMs }) => hourOf(atMs));
    return hours;
  };
  const visitorsOn = (date: string) =>
    new Set(inWindow.filter((click) => click.date === date && click.visitor).map(({ visitor }) => visitor)).size;
  const utmsOf = (name: UtmName, click: Click) => (click.utm(name) === '' ? [] : [click.utm(name)]);
  const namesOf = (part: string, click: Click): readonly string[] =>
    part === 'hashtag'
      ? hashtagsOf(click.link)
      : isUtmName(part)
        ? utmsOf(part, click)
        : [
            {
              day: click.date,
              source: click.source,
              device: click.device,
              country: click.country,
              browser: BROWSERS[click.device],
              os: SYSTEMS[click.device],
              host: click.host,
              language: click.language,
            }[part]!,
          ];
  const crossOf = (cross: string) => {
    const [first, second] = cross.split(',') as [string, string];
    const pairs = inWindow.flatMap((click) =>
      namesOf(first, click).flatMap((one) => namesOf(second, click).map((other) => [one, other] as const)),
    );
    return [...Map.groupBy(pairs, (pair) => pair.join('\0'))]
      .map(([key, group]) => ({ key, pair: group[0]!, clicks: group.length }))
      .sort((a, b) => b.clicks - a.clicks || Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
      .slice(0, 200)
      .map(({ pair, clicks }) => ({ [first]: pair[0] || null, [second]: pair[1] || null, clicks })) as CrossEntry[];
  };
  const earlier = countOf(({ link }) => linkId(link), inWindowBefore);
  const now = countOf(({ link }) => linkId(link));
  const sign = top_by === 'decline' ? -1 : 1;
  const leaders = [...new Set([...now.keys(), ...earlier.keys()])]
    .map((id) => {
      const [clicksNow, clicksBefore] = [now.get(id) ?? 0, earlier.get(id) ?? 0];
      return { id, clicks: clicksNow, previous: clicksBefore, growth: clicksNow - clicksBefore };
    })
    .filter(({ clicks }) => top_by !== 'clicks' || clicks > 0)
    .sort(
      (a, b) =>
        sign * (top_by === 'clicks' ? b.clicks - a.clicks : b.growth - a.growth) ||
        (slugOf(a.id) < slugOf(b.id) ? -1 : 1),
    );
  return {
    days: dates.length,
    source: source ?? null,
    tz,
    from,
    to,
    clicks: inWindow.length,
    clicks_by_day: dates.map((date) => ({
      date,
      clicks: byDate.get(date) ?? 0,
      ...(parts.has('visitors') && { visitors: visitorsOn(date) }),
    })),
    devices: countBy((click) => click.device).map((entry) => ({ device: entry.name as Device, clicks: entry.clicks })),
    sources: countBy((click) => click.source).map((entry) => ({ source: entry.name, clicks: entry.clicks })),
    top_links: leaders.slice(0, top ?? 10).map(({ id, clicks, previous }) => ({
      id,
      slug: slugOf(id),
      short_url: shortUrlOf(id),
      title: null,
      destination_url: 'https://example.com/',
      clicks,
      ...(parts.has('previous') && { previous_clicks: previous }),
    })),
    ...(parts.has('visitors') && { visitors: dates.reduce((sum, date) => sum + visitorsOn(date), 0) }),
    ...(parts.has('countries') && {
      countries: countBy((click) => click.country).map(({ name, clicks }) => ({ country: name || null, clicks })),
    }),
    ...(parts.has('browsers') && {
      browsers: countBy((click) => BROWSERS[click.device]).map(({ name, clicks }) => ({ browser: name, clicks })),
    }),
    ...(parts.has('operating_systems') && {
      operating_systems: countBy((click) => SYSTEMS[click.device]).map(({ name, clicks }) => ({ os: name, clicks })),
    }),
    ...(parts.has('referrers') && {
      referrers: countBy((click) => click.referrer)
        .filter(({ name }) => name !== '')
        .map(({ name, clicks }) => ({ referrer: name, clicks })),
    }),
    ...(parts.has('hosts') && {
      hosts: countBy((click) => click.host).map(({ name, clicks }) => ({ host: name || null, clicks })),
    }),
    ...(parts.has('languages') && {
      languages: countBy((click) => click.language).map(({ name, clicks }) => ({ language: name || null, clicks })),
    }),
    ...Object.fromEntries(
      UTM_NAMES.filter((name) => parts.has(`${name}s`)).map((utm) => [
        `${utm}s`,
        countBy((click) => click.utm(utm))
          .filter(({ name }) => name !== '')
          .map(({ name, clicks }) => ({ [utm]: name, clicks })),
      ]),
    ),
    ...(parts.has('verdicts') && {
      verdicts: notCounted === 0 ? [] : [{ verdict: 'prefetch' as const, requests: notCounted }],
    }),
    ...(parts.has('hours') && {
      clicks_by_hour: hoursOf(from, to, tz).map((hour) => ({
        hour,
        clicks: byHour().get(hourOf(Date.parse(hour))) ?? 0,
      })),
    }),
    ...(parts.has('previous') && { previous: { ...before, clicks: inWindowBefore.length } }),
    ...(cross !== undefined && { cross: crossOf(cross) }),
    ...Object.fromEntries(
      Object.entries({
        link_id,
        hashtag,
        device,
        country,
        browser,
        os,
        host,
        language,
        ...Object.fromEntries(UTM_NAMES.map((name) => [name, query[name]])),
        include,
        top,
        top_by: query.top_by,
      }).filter(([, value]) => value !== undefined),
    ),
  };
}

/** Returns the starts of the hours of some days in a zone whose clocks change by whole hours. */
function hoursOf(from: string, to: string, tz: string): string[] {
  const hourOf = hourIn(tz);
  const dateOf = dateIn(tz);
  const hours = new Set<string>();
  for (let atMs = Date.parse(from) - DAY_MS; atMs < Date.parse(to) + 2 * DAY_MS; atMs += 900_000) {
    const date = dateOf(atMs);
    if (date >= from && date <= to) hours.add(hourOf(atMs));
  }
  return [...hours].map((hour) => hour.replace(' ', ':00:00'));
}

const checkShape = validator(Analytics);
/** An answer that is not there within 4 seconds is 503. */
const TRIES = 10;

/** Returns the analytics that a key of the account gets, however long a busy machine takes for them. */
export async function analyticsOf(
  service: TestService,
  query: Asked,
  accountId: string,
  scope: AccountIdentity['scope'],
): Promise<Analytics> {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const ask = () => service.get(`/api/v1/analytics?${parameters}`, account(accountId, scope));
  let answer = await ask();
  for (let tries = 1; tries < TRIES && answer.status === 503; tries++) answer = await ask();
  const { status, body } = answer;
  expect({ status, body }).toMatchObject({ status: 200 });
  return checkShape(body);
}

/** Returns the click as links-svc reports it. */
export function sentClick(
  {
    link,
    atMs,
    device,
    source,
    country = '',
    host = '',
    visitor = 0,
    language = '',
    utm = {},
    prefetch = false,
  }: ModelClick,
  accountId: string,
  linkId: (link: number) => string,
): SentClick {
  return {
    accountId,
    linkId: linkId(link),
    atMs,
    userAgent: USER_AGENTS[device],
    country,
    host,
    language,
    utmCampaign: utm.utm_campaign ?? '',
    utmMedium: utm.utm_medium ?? '',
    utmContent: utm.utm_content ?? '',
    utmTerm: utm.utm_term ?? '',
    prefetch,
    visitor: visitor === 0 ? '' : visitor.toString(16).padStart(16, 'a'),
    ...(source === 'google.com'
      ? { referrer: 'https://www.google.com/' }
      : { utmSource: source === 'direct' ? '' : source }),
  };
}
