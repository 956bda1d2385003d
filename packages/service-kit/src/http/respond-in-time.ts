import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { runWithDeadline } from '../concurrency/deadline.ts';
import { withTimeout } from '../concurrency/with-timeout.ts';

/** Every request gets a response within five seconds (docs/api.md, Errors). This leaves time to send a 503. */
export const REQUEST_MAX_MS = 4_600;
/** The header in which the gateway tells a service how many milliseconds are left. */
export const TIME_LEFT_HEADER = 'x-waymark-time-left';

/**
 * Gives each request to routes that are added afterwards one deadline, which everything that it does meets
 * (`deadline.ts`). If the response has not begun by then, it is 503.
 */
export function respondInTime(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.handler = inTime(route.handler);
  });
}

function inTime(handler: RouteHandlerMethod): RouteHandlerMethod {
  return async function (request, reply) {
    const timeMs = timeOf(request, reply);
    const response = runWithDeadline(timeMs, async () => handler.call(this, request, reply));
    try {
      return await withTimeout(response, timeMs, 'the request');
    } catch (error) {
      // Long responses take the time that their clients need.
      if (reply.raw.headersSent) return response;
      throw error;
    }
  };
}

function timeOf({ headers }: FastifyRequest, reply: FastifyReply): number {
  const leftMs = Number(headers[TIME_LEFT_HEADER] ?? REQUEST_MAX_MS);
  const allowedMs = leftMs > 0 ? Math.min(leftMs, REQUEST_MAX_MS) : REQUEST_MAX_MS;
  return Math.max(1, allowedMs - reply.elapsedTime);
}
