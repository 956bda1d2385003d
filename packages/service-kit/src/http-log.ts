import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from './logger.ts';
import type { HttpMetrics } from './metrics.ts';

const PATH_MAX_LENGTH = 200;
const MESSAGE = 'request';

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
    this.#observe(answered);
    if (!config.quiet) request.log.info(lineOf(answered), MESSAGE);
  }

  /** Counts and logs a request that was answered before Fastify saw it, in the same words. */
  answeredFirst(answered: AnsweredRequest, logger: Logger, requestId: string): void {
    this.#observe(answered);
    logger.infoOfPlain({ request_id: requestId, ...lineOf(answered) }, MESSAGE);
  }

  #observe({ method, route, status, durationMs }: AnsweredRequest): void {
    this.#metrics?.observe(method, route, status, durationMs);
  }

  override routeNotFound(): void {}
}

function lineOf({ method, path, route, status, durationMs }: AnsweredRequest) {
  return { method, path, route, status, duration_ms: Math.round(durationMs * 100) / 100 };
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return (end === -1 ? url : url.slice(0, end)).slice(0, PATH_MAX_LENGTH);
}
