export type { Metadata } from '@grpc/grpc-js';
export * from './client.ts';
export { FrameReader, frameOf } from './frames.ts';
export * as accountsV1 from './gen/accounts/v1/accounts_pb.ts';
export * as analyticsV1 from './gen/analytics/v1/analytics_pb.ts';
export * as healthV1 from './gen/grpc/health/v1/health_pb.ts';
export * as linksV1 from './gen/links/v1/links_pb.ts';
export * from './mappers/accounts.ts';
export * from './mappers/analytics.ts';
export * from './mappers/clicks.ts';
export * from './mappers/links.ts';
export * from './mappers/packed-texts.ts';
export * from './metadata.ts';
export * from './server.ts';
export * from './tracing.ts';
export {
  type RedirectHeaders,
  VISITS_FRAME_MAX_BYTES,
  VISITS_PATH,
  VISITS_PROTOCOL,
  type Visit,
  type VisitAnswers,
  type VisitHeaders,
  type VisitsMessage,
  type VisitsRequest,
} from './visits.ts';
