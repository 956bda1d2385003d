import type { AppError } from '@waymark/contract';
import type { ReachedLimit } from '@waymark/proto';
import type { Logger } from 'pino';
import { runWithDeadline } from '../concurrency/deadline.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { findTraceId } from '../tracing/tracing.ts';

/** Returns the `onLimit` of a gRPC server that logs the limits that clients without an identity reach. */
export function logReachedLimits(logger: Logger): (reached: ReachedLimit) => void {
  return (reached) => logger.warn(reached, 'gRPC clients without an identity have reached a limit');
}

/** Returns the options of `GrpcServer.addService` that log server errors, measure every call and hand its deadline on. */
export function rpcHooks({ logger, metrics }: { logger: Logger; metrics: Metrics }) {
  return {
    onError(error: AppError, { method, requestId }: { method: string; requestId: string }): void {
      if (error.httpStatus < 500) return;
      const err = error.code === 'internal' ? (error.cause ?? error) : error;
      logger.error({ err, method, request_id: requestId, trace_id: findTraceId() }, 'call failed');
    },
    onCall: metrics.observeCall,
    runInTime: runWithDeadline,
  };
}
