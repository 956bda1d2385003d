import { create } from '@bufbuild/protobuf';
import type { Analytics, AnalyticsQuery, Device } from '@waymark/contract';
import {
  type GetAnalyticsRequest,
  GetAnalyticsRequestSchema,
  type GetAnalyticsResponse,
  GetAnalyticsResponseSchema,
} from '../gen/analytics/v1/analytics_pb.ts';

/** Converts a validated query to a message. */
export function analyticsRequest(query: AnalyticsQuery): GetAnalyticsRequest {
  return create(GetAnalyticsRequestSchema, query);
}

/** Returns the unvalidated query of a message. Fields that are not set are absent, so that they get defaults. */
export function analyticsQuery(request: GetAnalyticsRequest): unknown {
  return {
    ...(request.days !== 0 && { days: request.days }),
    ...(request.tz !== '' && { tz: request.tz }),
    ...(request.source !== undefined && { source: request.source }),
  };
}

/** Converts analytics of the JSON API to a message. */
export function analyticsToMessage(analytics: Analytics): GetAnalyticsResponse {
  return create(GetAnalyticsResponseSchema, {
    days: analytics.days,
    tz: analytics.tz,
    ...(analytics.source !== null && { source: analytics.source }),
    from: analytics.from,
    to: analytics.to,
    clicks: BigInt(analytics.clicks),
    clicksByDay: analytics.clicks_by_day.map(({ date, clicks }) => ({ date, clicks: BigInt(clicks) })),
    devices: analytics.devices.map(({ device, clicks }) => ({ device, clicks: BigInt(clicks) })),
    sources: analytics.sources.map(({ source, clicks }) => ({ source, clicks: BigInt(clicks) })),
    topLinks: analytics.top_links.map((link) => ({
      id: link.id,
      slug: link.slug,
      shortUrl: link.short_url,
      ...(link.title !== null && { title: link.title }),
      destinationUrl: link.destination_url,
      clicks: BigInt(link.clicks),
    })),
  });
}

/** Converts a message back to analytics (inverse of {@link analyticsToMessage}), with keys in the order of the API. */
export function analyticsFromMessage(message: GetAnalyticsResponse): Analytics {
  return {
    days: message.days,
    source: message.source ?? null,
    tz: message.tz,
    from: message.from,
    to: message.to,
    clicks: Number(message.clicks),
    clicks_by_day: message.clicksByDay.map(({ date, clicks }) => ({ date, clicks: Number(clicks) })),
    devices: message.devices.map(({ device, clicks }) => ({ device: device as Device, clicks: Number(clicks) })),
    sources: message.sources.map(({ source, clicks }) => ({ source, clicks: Number(clicks) })),
    top_links: message.topLinks.map((link) => ({
      id: link.id,
      slug: link.slug,
      short_url: link.shortUrl,
      title: link.title ?? null,
      destination_url: link.destinationUrl,
      clicks: Number(link.clicks),
    })),
  };
}
