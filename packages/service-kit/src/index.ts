export { accentsOf, contrast, isHexColor, luminance, TEXT_CONTRAST } from './brand/accents.ts';
export {
  BRAND_FORMATS,
  type Brand,
  type BrandConfig,
  type BrandValues,
  brandConfig,
  brandOf,
  brandRules,
  createBrand,
  NO_BRAND,
} from './brand/brand.ts';
export type { Logo } from './brand/logo.ts';
export {
  callTimeMs,
  piecesWithoutDeadline,
  runWithDeadline,
  runWithoutDeadline,
  timeLeftMs,
} from './concurrency/deadline.ts';
export { FairQueue } from './concurrency/fair-queue.ts';
export { KeyedMutex } from './concurrency/keyed-mutex.ts';
export { startPeriodicTask } from './concurrency/periodic-task.ts';
export { withTimeout } from './concurrency/with-timeout.ts';
export { addressConfig, baseConfig, grpcConfig, HOST_DESCRIPTION, processConfig } from './config/base-config.ts';
export {
  ConfigError,
  type ConfigRow,
  configTable,
  type Environment,
  loadConfig,
  requireFolder,
} from './config/config.ts';
export type { Format } from './config/formats.ts';
export { allowSlowBody } from './connections/body-time.ts';
export type { Interceptor } from './connections/http-server.ts';
export {
  grpcClientTls,
  grpcClientTlsConfig,
  grpcClientTlsRules,
  grpcServerTls,
  grpcServerTlsRules,
} from './grpc/grpc-tls.ts';
export { logReachedLimits, rpcHooks } from './grpc/rpc-hooks.ts';
export { type Check, createHealth, type Health, type Readiness } from './health/health.ts';
export { healthRoutes } from './health/health-routes.ts';
export { healthService } from './health/health-service.ts';
export { notReadyLog, requireVersion, UnmetRequirement } from './health/unmet-requirement.ts';
export { clientGone } from './http/client-gone.ts';
export { FORWARDED_HEADERS_MAX_BYTES, LOCATION_MAX_BYTES, RESPONSE_HEADERS_MAX_BYTES } from './http/header-limits.ts';
export { createHttpApp, type HttpAppOptions } from './http/http-app.ts';
export { type ErrorBody, failureOf, NOT_FOUND_MESSAGE, sendFailure } from './http/http-errors.ts';
export type { RequestRecord } from './http/http-log.ts';
export { hostFault } from './http/node-refusals.ts';
export {
  escapeHtml,
  LOGO_PATH,
  type PageContent,
  type PageTemplate,
  PLAIN_PAGES,
  pageTemplate,
  wantsPage,
} from './http/page.ts';
export { checkQueryParameters } from './http/query-parameters.ts';
export { queryOf } from './http/query-string.ts';
export { bodyPieces, limitedPieces, readBody } from './http/request-body.ts';
export { requestIdOf } from './http/request-id.ts';
export { REQUEST_MAX_MS, respondInTime, TIME_LEFT_HEADER } from './http/respond-in-time.ts';
export { answerOnShortHost, redirectOnShortHost, type ShortHost } from './http/short-host.ts';
export { TextStreams } from './http/text-streams.ts';
export { type App, type AppAddresses, serveApp } from './lifecycle/app.ts';
export { usableHost } from './lifecycle/listen.ts';
export {
  defineService,
  runService,
  runServices,
  runTask,
  type Service,
  type ServiceConfig,
  type ServiceContext,
} from './lifecycle/run-service.ts';
export { atMostEntries } from './limits/at-most-entries.ts';
export type { Attempt, AttemptCounter } from './limits/attempt-counter.ts';
export { limitsConfig } from './limits/limits-config.ts';
export { createMemoryAttempts } from './limits/memory-attempts.ts';
export { createMemoryCounter } from './limits/memory-counter.ts';
export { rateLimitKey } from './limits/rate-limit-key.ts';
export { type CountResult, type Usage, WINDOW_SECONDS, type WindowCounter } from './limits/window-counter.ts';
export { createWindowCounters, type WindowCounters } from './limits/window-counters.ts';
export { createLogger, type Logger, maskSecrets } from './logging/logger.ts';
export { BUCKETS_SECONDS, createMetrics, type Metrics } from './metrics/metrics.ts';
