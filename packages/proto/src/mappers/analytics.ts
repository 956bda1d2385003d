import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type Analytics,
  type AnalyticsPart,
  type AnalyticsQuery,
  analyticsParts,
  type CrossEntry,
  crossEntry,
  crossParts,
  type Device,
  type NotCountedReason,
  noticeOf,
} from '@waymark/contract';
import {
  type CrossClicks,
  type CrossClicksSchema,
  type GetAnalyticsRequest,
  GetAnalyticsRequestSchema,
  type GetAnalyticsResponse,
  GetAnalyticsResponseSchema,
} from '../gen/analytics/v1/analytics_pb.ts';

/** The parameters of a query that an answer repeats, `source` excepted, and their fields in both messages. */
const ECHOED = {
  link_id: 'linkId',
  hashtag: 'hashtag',
  device: 'device',
  country: 'country',
  browser: 'browser',
  os: 'os',
  host: 'host',
  language: 'language',
  utm_campaign: 'utmCampaign',
  utm_medium: 'utmMedium',
  utm_content: 'utmContent',
  utm_term: 'utmTerm',
  include: 'include',
  fields: 'fields',
  top: 'top',
  top_by: 'topBy',
} as const satisfies Record<EchoedParameter, keyof GetAnalyticsRequest & keyof GetAnalyticsResponse>;
type EchoedParameter = Exclude<
  keyof AnalyticsQuery & keyof Analytics,
  'days' | 'from' | 'to' | 'tz' | 'source' | 'cross'
>;

type Echo = Pick<AnalyticsQuery, EchoedParameter>;
type EchoMessage = Partial<Record<(typeof ECHOED)[EchoedParameter], string | number>>;

/** Returns the message fields of the parameters that are set. */
function echoToMessage(values: Echo) {
  const sent = Object.entries(ECHOED).flatMap(([name, field]) => {
    const value = values[name as EchoedParameter];
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(sent) as EchoMessage as { top?: number } & Record<
    Exclude<(typeof ECHOED)[EchoedParameter], 'top'>,
    string
  >;
}

/** Returns the parameters of the message fields that are set. */
function echoFromMessage(message: GetAnalyticsRequest | GetAnalyticsResponse): Echo {
  const sent = Object.entries(ECHOED).flatMap(([name, field]) =>
    message[field] === undefined ? [] : [[name, message[field]] as const],
  );
  return Object.fromEntries(sent) as Echo;
}

/** Converts a validated query to a message. */
export function analyticsRequest(query: AnalyticsQuery): GetAnalyticsRequest {
  const { days, from, to, tz, source, cross, ...rest } = query;
  return create(GetAnalyticsRequestSchema, {
    ...(days !== undefined && { days }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    tz,
    ...(source !== undefined && { source }),
    ...(cross !== undefined && { cross }),
    ...echoToMessage(rest),
  });
}

/** Returns the unvalidated query of a message. Fields that are not set are absent, so that they get defaults. */
export function analyticsQuery(request: GetAnalyticsRequest): unknown {
  return {
    ...(request.days !== undefined && { days: request.days }),
    ...(request.from !== undefined && { from: request.from }),
    ...(request.to !== undefined && { to: request.to }),
    ...(request.tz !== '' && { tz: request.tz }),
    ...(request.source !== undefined && { source: request.source }),
    ...(request.cross !== undefined && { cross: request.cross }),
    ...echoFromMessage(request),
  };
}

/** Converts analytics of the JSON API to a message. `cross` is that of the query. */
export function analyticsToMessage(analytics: Analytics, cross?: string): GetAnalyticsResponse {
  return create(GetAnalyticsResponseSchema, {
    days: analytics.days,
    tz: analytics.tz,
    ...(analytics.notice !== undefined && { notice: analytics.notice }),
    ...(analytics.source !== null && { source: analytics.source }),
    from: analytics.from,
    to: analytics.to,
    clicks: BigInt(analytics.clicks),
    clicksByDay: analytics.clicks_by_day.map(({ date, clicks, visitors }) => ({
      date,
      clicks: BigInt(clicks),
      visitors: BigInt(visitors ?? 0),
    })),
    devices: analytics.devices.map(({ device, clicks }) => ({ device, clicks: BigInt(clicks) })),
    sources: analytics.sources.map(({ source, clicks }) => ({ source, clicks: BigInt(clicks) })),
    topLinks: analytics.top_links.map((link) => ({
      id: link.id,
      slug: link.slug,
      shortUrl: link.short_url,
      ...(link.title !== null && { title: link.title }),
      destinationUrl: link.destination_url,
      clicks: BigInt(link.clicks),
      previousClicks: BigInt(link.previous_clicks ?? 0),
    })),
    visitors: BigInt(analytics.visitors ?? 0),
    countries: (analytics.countries ?? []).map(({ country, clicks }) => ({
      ...(country !== null && { country }),
      clicks: BigInt(clicks),
    })),
    browsers: (analytics.browsers ?? []).map(({ browser, clicks }) => ({ browser, clicks: BigInt(clicks) })),
    operatingSystems: (analytics.operating_systems ?? []).map(({ os, clicks }) => ({ os, clicks: BigInt(clicks) })),
    referrers: (analytics.referrers ?? []).map(({ referrer, clicks }) => ({ referrer, clicks: BigInt(clicks) })),
    hosts: (analytics.hosts ?? []).map(({ host, clicks }) => ({
      ...(host !== null && { host }),
      clicks: BigInt(clicks),
    })),
    languages: (analytics.languages ?? []).map(({ language, clicks }) => ({
      ...(language !== null && { language }),
      clicks: BigInt(clicks),
    })),
    utmCampaigns: (analytics.utm_campaigns ?? []).map((entry) => utmToMessage(entry.utm_campaign, entry.clicks)),
    utmMediums: (analytics.utm_mediums ?? []).map((entry) => utmToMessage(entry.utm_medium, entry.clicks)),
    utmContents: (analytics.utm_contents ?? []).map((entry) => utmToMessage(entry.utm_content, entry.clicks)),
    utmTerms: (analytics.utm_terms ?? []).map((entry) => utmToMessage(entry.utm_term, entry.clicks)),
    verdicts: (analytics.verdicts ?? []).map(({ verdict, requests }) => ({ verdict, requests: BigInt(requests) })),
    clicksByHour: (analytics.clicks_by_hour ?? []).map(({ hour, clicks }) => ({ hour, clicks: BigInt(clicks) })),
    ...(analytics.previous && { previous: { ...analytics.previous, clicks: BigInt(analytics.previous.clicks) } }),
    ...(cross !== undefined && { crossedBy: cross, cross: crossToMessage(analytics.cross ?? [], cross) }),
    ...echoToMessage(analytics),
  });
}

/** Converts a message back to analytics (inverse of {@link analyticsToMessage}), with keys in the order of the API. */
export function analyticsFromMessage(message: GetAnalyticsResponse): Analytics {
  const parts = analyticsParts(message);
  const withPart = <Fields extends object>(part: AnalyticsPart, fields: () => Fields) =>
    parts.has(part) ? fields() : {};
  return {
    days: message.days,
    source: message.source ?? null,
    tz: message.tz,
    from: message.from,
    to: message.to,
    clicks: Number(message.clicks),
    clicks_by_day: message.clicksByDay.map(({ date, clicks, visitors }) => ({
      date,
      clicks: Number(clicks),
      ...withPart('visitors', () => ({ visitors: Number(visitors) })),
    })),
    devices: message.devices.map(({ device, clicks }) => ({ device: device as Device, clicks: Number(clicks) })),
    sources: message.sources.map(({ source, clicks }) => ({ source, clicks: Number(clicks) })),
    top_links: message.topLinks.map((link) => ({
      id: link.id,
      slug: link.slug,
      short_url: link.shortUrl,
      title: link.title ?? null,
      destination_url: link.destinationUrl,
      clicks: Number(link.clicks),
      ...withPart('previous', () => ({ previous_clicks: Number(link.previousClicks) })),
    })),
    ...withPart('visitors', () => ({ visitors: Number(message.visitors) })),
    ...withPart('countries', () => ({
      countries: message.countries.map(({ country, clicks }) => ({ country: country ?? null, clicks: Number(clicks) })),
    })),
    ...withPart('browsers', () => ({
      browsers: message.browsers.map(({ browser, clicks }) => ({ browser, clicks: Number(clicks) })),
    })),
    ...withPart('operating_systems', () => ({
      operating_systems: message.operatingSystems.map(({ os, clicks }) => ({ os, clicks: Number(clicks) })),
    })),
    ...withPart('referrers', () => ({
      referrers: message.referrers.map(({ referrer, clicks }) => ({ referrer, clicks: Number(clicks) })),
    })),
    ...withPart('hosts', () => ({
      hosts: message.hosts.map(({ host, clicks }) => ({ host: host ?? null, clicks: Number(clicks) })),
    })),
    ...withPart('languages', () => ({
      languages: message.languages.map(({ language, clicks }) => ({
        language: language ?? null,
        clicks: Number(clicks),
      })),
    })),
    ...withPart('utm_campaigns', () => ({
      utm_campaigns: message.utmCampaigns.map(({ name, clicks }) => ({ utm_campaign: name, clicks: Number(clicks) })),
    })),
    ...withPart('utm_mediums', () => ({
      utm_mediums: message.utmMediums.map(({ name, clicks }) => ({ utm_medium: name, clicks: Number(clicks) })),
    })),
    ...withPart('utm_contents', () => ({
      utm_contents: message.utmContents.map(({ name, clicks }) => ({ utm_content: name, clicks: Number(clicks) })),
    })),
    ...withPart('utm_terms', () => ({
      utm_terms: message.utmTerms.map(({ name, clicks }) => ({ utm_term: name, clicks: Number(clicks) })),
    })),
    ...withPart('verdicts', () => ({
      verdicts: message.verdicts.map(({ verdict, requests }) => ({
        verdict: verdict as NotCountedReason,
        requests: Number(requests),
      })),
    })),
    ...withPart('hours', () => ({
      clicks_by_hour: message.clicksByHour.map(({ hour, clicks }) => ({ hour, clicks: Number(clicks) })),
    })),
    ...withPart('previous', () => ({
      previous: {
        from: message.previous!.from,
        to: message.previous!.to,
        clicks: Number(message.previous!.clicks),
      },
    })),
    ...(message.crossedBy !== undefined && { cross: crossFromMessage(message.cross, message.crossedBy) }),
    ...echoFromMessage(message),
    ...noticeOf([message.notice]),
  };
}

function utmToMessage(name: string, clicks: number) {
  return { name, clicks: BigInt(clicks) };
}

function crossToMessage(entries: readonly CrossEntry[], cross: string): MessageInitShape<typeof CrossClicksSchema>[] {
  const [first, second] = crossParts(cross);
  return entries.map((entry) => ({
    ...(entry[first] != null && { first: entry[first] }),
    ...(entry[second] != null && { second: entry[second] }),
    clicks: BigInt(entry.clicks),
  }));
}

function crossFromMessage(entries: readonly CrossClicks[], cross: string): CrossEntry[] {
  const parts = crossParts(cross);
  return entries.map(({ first = null, second = null, clicks }) => crossEntry(parts, [first, second], Number(clicks)));
}
