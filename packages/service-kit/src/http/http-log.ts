import type { IncomingMessage } from 'node:http';
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from '../logging/logger.ts';
import type { HttpMetrics } from '../metrics/metrics.ts';
import { endRequestSpan, startRequestSpan, traceIdOf } from '../tracing/http-tracing.ts';
import { requestIdOf } from './request-id.ts';

const PATH_MAX_LENGTH = 200;

/** The record of a request that is served before Fastify sees it. */
export interface RequestRecord {
  readonly requestId: string;
  /** Ends the request's span, writes its log line and records its duration. */
  end(status: number): void;
  /** Ends the span only. Call it before the request is passed to Fastify, which records it. */
  discard(): void;
}

interface Answered {
  method: string;
  url: string;
  /** The path of the route, or `unknown`. */
  route: string;
  status: number;
  durationMs: number;
}

/** Records the duration of each finished request, and writes its log line unless its route is quiet. */
export class RequestLog extends LogController {
  readonly #metrics: HttpMetrics | undefined;

  constructor(metrics: HttpMetrics | undefined) {
    super({ requestIdLogLabel: 'request_id' });
    this.#metrics = metrics;
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { url = 'unknown', config } = request.routeOptions;
    const answered = {
      method: request.method,
      url: request.url,
      route: request.is404 ? 'unknown' : url,
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    };
    if (error)
      request.log.warn(
        { err: error, method: answered.method, route: answered.route },
        'response was not sent completely',
      );
    this.#observe(answered);
    if (!config.quiet) logRequest(request.log as Logger, answered);
  }

  /** Starts the record of a request that Fastify does not see. */
  begin(request: IncomingMessage, route: string, logger: Logger): RequestRecord {
    const startedAt = performance.now();
    const requestId = requestIdOf(request.headers);
    const method = request.method!;
    const span = startRequestSpan({ method, route, requestId, headers: request.headers });
    return {
      requestId,
      end: (status) => {
        const durationMs = performance.now() - startedAt;
        const answered = { method, url: request.url!, route, status, durationMs };
        if (span !== undefined) endRequestSpan(span, status);
        this.#observe(answered);
        logRequest(logger, answered, { request_id: requestId, ...traceIdOf(span) });
      },
      discard: () => span?.end(),
    };
  }

  #observe({ method, route, status, durationMs }: Answered): void {
    this.#metrics?.observe(method, route, status, durationMs);
  }

  override routeNotFound(): void {}
}

/** Writes the log line of a request. Redirects are logged at `debug`: their clicks say as much (ADR 47). */
function logRequest(logger: Logger, { method, url, route, status, durationMs }: Answered, ids: object = {}): void {
  const level = status >= 300 && status < 400 ? 'debug' : 'info';
  if (!logger.isLevelEnabled(level)) return;
  const duration_ms = Math.round(durationMs * 100) / 100;
  logger[level]({ ...ids, method, path: pathOf(url), route, status, duration_ms }, 'request');
}

/** Returns the path without the query string, which may hold private data. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  return (end === -1 ? url : url.slice(0, end)).slice(0, PATH_MAX_LENGTH);
}
