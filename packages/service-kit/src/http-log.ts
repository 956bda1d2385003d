import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { HttpMetrics } from './metrics.ts';

const PATH_MAX_LENGTH = 200;

/** One log line, and one observation, for each finished request: no query string, since it may hold what is private. */
export class RequestLog extends LogController {
  readonly #metrics: HttpMetrics | undefined;

  constructor(metrics: HttpMetrics | undefined) {
    super({ requestIdLogLabel: 'request_id' });
    this.#metrics = metrics;
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const durationMs = reply.elapsedTime;
    const { url = 'unknown', config } = request.routeOptions;
    const route = request.is404 ? 'unknown' : url;
    this.#metrics?.observe(request.method, route, reply.statusCode, durationMs);
    if (error) request.log.warn({ err: error, method: request.method, route }, 'answer was not sent whole');
    if (config.quiet) return;
    request.log.info(
      {
        method: request.method,
        path: pathOf(request.url),
        route,
        status: reply.statusCode,
        duration_ms: Math.round(durationMs * 100) / 100,
      },
      'request',
    );
  }

  override routeNotFound(): void {}
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return (end === -1 ? url : url.slice(0, end)).slice(0, PATH_MAX_LENGTH);
}
