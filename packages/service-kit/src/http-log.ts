import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { HttpMetrics } from './metrics.ts';

const PATH_MAX_LENGTH = 200;

/** A request that was answered. */
export interface AnsweredRequest {
  method: string;
  /** The path as it was sent, without its query string, since that may hold what is private. */
  path: string;
  /** The path of the route, or `unknown`. */
  route: string;
  status: number;
  durationMs: number;
}

/** One log line, and one observation, for each finished request. */
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
      path: pathOf(request.url),
      route: request.is404 ? 'unknown' : url,
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    };
    if (error)
      request.log.warn({ err: error, method: answered.method, route: answered.route }, 'answer was not sent whole');
    if (config.quiet) this.#observe(answered);
    else this.answered(answered, request.log);
  }

  /** Counts and logs a request that was answered; `requestId` where the logger does not know it. */
  answered(answered: AnsweredRequest, log: FastifyBaseLogger, requestId?: string): void {
    this.#observe(answered);
    const { method, path, route, status, durationMs } = answered;
    const line = { method, path, route, status, duration_ms: Math.round(durationMs * 100) / 100 };
    log.info(requestId === undefined ? line : { request_id: requestId, ...line }, 'request');
  }

  #observe({ method, route, status, durationMs }: AnsweredRequest): void {
    this.#metrics?.observe(method, route, status, durationMs);
  }

  override routeNotFound(): void {}
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return (end === -1 ? url : url.slice(0, end)).slice(0, PATH_MAX_LENGTH);
}
