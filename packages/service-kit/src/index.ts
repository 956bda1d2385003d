export { type App, type AppAddresses, serveApp } from './app.ts';
export { baseConfig, grpcConfig, processConfig } from './base-config.ts';
export { ConfigError, type ConfigRow, configTable, type Environment, loadConfig, requireFolder } from './config.ts';
export {
  grpcClientTls,
  grpcClientTlsConfig,
  grpcClientTlsRules,
  grpcServerTls,
  grpcServerTlsRules,
} from './grpc-tls.ts';
export { FORWARDED_HEADERS_MAX_BYTES, LOCATION_MAX_BYTES, RESPONSE_HEADERS_MAX_BYTES } from './header-limits.ts';
export { type Check, createHealth, type Health, type Readiness } from './health.ts';
export { healthRoutes } from './health-routes.ts';
export { healthService } from './health-service.ts';
export { createHttpApp, type HttpAppOptions } from './http-app.ts';
export { type ErrorBody, failureOf, sendFailure } from './http-errors.ts';
export type { RequestRecord } from './http-log.ts';
export type { Interceptor } from './http-server.ts';
export { KeyedMutex } from './keyed-mutex.ts';
export type { Attempt, AttemptCounter } from './limits/attempt-counter.ts';
export { limitsConfig } from './limits/limits-config.ts';
export { createMemoryAttempts } from './limits/memory-attempts.ts';
export { createMemoryCounter } from './limits/memory-counter.ts';
export { rateLimitKey } from './limits/rate-limit-key.ts';
export { type CountResult, type Usage, WINDOW_SECONDS, type WindowCounter } from './limits/window-counter.ts';
export { createWindowCounters, type WindowCounters } from './limits/window-counters.ts';
export { createLogger, type Logger, maskSecrets } from './logger.ts';
export { BUCKETS_SECONDS, createMetrics, type Metrics } from './metrics.ts';
export { hostFault } from './node-refusals.ts';
export { startPeriodicTask } from './periodic-task.ts';
export { checkQueryParameters } from './query-parameters.ts';
export { parseQueryString, queryOf } from './query-string.ts';
export { requestIdOf } from './request-id.ts';
export { rpcHooks } from './rpc-hooks.ts';
export {
  defineService,
  runService,
  runServices,
  runTask,
  type Service,
  type ServiceConfig,
  type ServiceContext,
} from './run-service.ts';
export { notReadyLog, requireVersion, UnmetRequirement } from './unmet-requirement.ts';
export { withTimeout } from './with-timeout.ts';
