import { AppError } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The web pages that may call the MCP endpoint, by their `Origin`. Clients other than browsers usually send none. */
export interface McpOrigins {
  /** Sets the CORS headers that let a page of an allowed origin read the response, errors included. */
  openTo(request: FastifyRequest, reply: FastifyReply): void;
  /** Returns true for a CORS preflight of an allowed origin. Browsers send preflights without a key. */
  isPreflight(request: FastifyRequest): boolean;
  /** Answers a preflight: the request may be sent. */
  answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  /**
   * Checks the `Origin` of a request. The MCP specification requires this against DNS rebinding.
   * @throws {AppError} `forbidden` if there is an `Origin` that is not allowed.
   */
  check(request: FastifyRequest): void;
}

const EXPOSED_HEADERS = 'WWW-Authenticate, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After';
const PREFLIGHT_MAX_AGE_SECONDS = 7200;

/** Creates the check that allows the origins of these URLs. */
export function createMcpOrigins(urls: readonly string[]): McpOrigins {
  const allowed = new Set(urls.map((url) => new URL(url).origin));
  const isAllowed = ({ headers: { origin } }: FastifyRequest) => origin !== undefined && allowed.has(origin);
  return {
    openTo(request, reply) {
      reply.header('vary', 'Origin');
      if (!isAllowed(request)) return;
      reply.header('access-control-allow-origin', request.headers.origin);
      reply.header('access-control-expose-headers', EXPOSED_HEADERS);
    },
    isPreflight: (request) =>
      request.method === 'OPTIONS' &&
      request.headers['access-control-request-method'] !== undefined &&
      isAllowed(request),
    answerPreflight(request, reply) {
      const asked = request.headers['access-control-request-headers'];
      if (asked !== undefined) reply.header('access-control-allow-headers', asked);
      return reply
        .code(204)
        .header('access-control-allow-methods', 'POST')
        .header('access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS)
        .send();
    },
    check(request) {
      if (request.headers.origin !== undefined && !isAllowed(request))
        throw new AppError('forbidden', 'This Origin may not call the MCP endpoint.');
    },
  };
}
