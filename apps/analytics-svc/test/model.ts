import type { AccountIdentity } from '@waymark/auth';
import { Analytics, type AnalyticsQuery, validator } from '@waymark/contract';
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
export type Device = keyof typeof USER_AGENTS;

/** A click as the tests describe it. */
export interface ModelClick {
  link: number;
  atMs: number;
  device: Device;
  source: string;
}

/** Returns a function that returns the date of a moment in a zone, by the runtime's own calendar. */
function dateIn(tz: string): (atMs: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: tz, year: 'numeric', month: '2-digit', day: '2-digit' });
  return (atMs) => format.format(atMs);
}

/**
 * Returns the analytics that the contract requires for the clicks, computed in the simplest way. `to` is the day that
 * the response calls today.
 */
export function model(
  clicks: ModelClick[],
  query: AnalyticsQuery,
  to: string,
  linkId: (link: number) => string,
): Omit<Analytics, 'from' | 'to'> {
  const dates = Array.from({ length: query.days }, (_, i) =>
    new Date(Date.parse(to) - (query.days - 1 - i) * DAY_MS).toISOString().slice(0, 10),
  );
  const toDate = dateIn(query.tz);
  const inWindow = clicks
    .map((click) => ({ ...click, date: toDate(click.atMs) }))
    .filter(({ date, source }) => date >= dates[0]! && date <= to && (query.source ?? source) === source);
  const countBy = (key: (click: (typeof inWindow)[number]) => string) =>
    [...Map.groupBy(inWindow, key)]
      .map(([name, group]) => ({ name, clicks: group.length }))
      .sort((a, b) => b.clicks - a.clicks || (a.name < b.name ? -1 : 1));
  const byDate = new Map(countBy(({ date }) => date).map(({ name, clicks }) => [name, clicks]));
  return {
    days: query.days,
    source: query.source ?? null,
    tz: query.tz,
    clicks: inWindow.length,
    clicks_by_day: dates.map((date) => ({ date, clicks: byDate.get(date) ?? 0 })),
    devices: countBy(({ device }) => device).map(({ name, clicks }) => ({ device: name as Device, clicks })),
    sources: countBy(({ source }) => source).map(({ name, clicks }) => ({ source: name, clicks })),
    top_links: countBy(({ link }) => linkId(link))
      .slice(0, 10)
      .map(({ name, clicks }) => ({
        id: name,
        slug: slugOf(name),
        short_url: shortUrlOf(name),
        title: null,
        destination_url: 'https://example.com/',
        clicks,
      })),
  };
}

const checkShape = validator(Analytics);

/** Returns the analytics that a key of the account gets. */
export async function analyticsOf(
  service: TestService,
  query: Partial<AnalyticsQuery>,
  accountId: string,
  scope: AccountIdentity['scope'],
): Promise<Analytics> {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const { status, body } = await service.get(`/api/v1/analytics?${parameters}`, account(accountId, scope));
  expect({ status, body }).toMatchObject({ status: 200 });
  return checkShape(body);
}

/** Returns the click as links-svc reports it. */
export function sentClick(
  { link, atMs, device, source }: ModelClick,
  accountId: string,
  linkId: (link: number) => string,
): SentClick {
  return {
    accountId,
    linkId: linkId(link),
    atMs,
    userAgent: USER_AGENTS[device],
    ...(source === 'google.com'
      ? { referrer: 'https://www.google.com/' }
      : { utmSource: source === 'direct' ? '' : source }),
  };
}
