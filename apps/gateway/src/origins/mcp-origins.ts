import { AppError } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Which web pages may call the MCP endpoint. A browser says in `Origin` where a page is from; other clients send none. */
export interface McpOrigins {
  /** Lets a page of an allowed origin read the answer (CORS), whatever it will be. */
  openTo(request: FastifyRequest, reply: FastifyReply): void;
  /** True where a page of an allowed origin asks beforehand whether it may send a request: that question has no key. */
  isPreflight(request: FastifyRequest): boolean;
  /** The answer to such a question: yes. */
  answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  /**
   * Against pages that reach a server which is not theirs (DNS rebinding): the protocol asks for it.
   * @throws {AppError} `forbidden` where there is an `Origin` and it is not allowed.
   */
  check(request: FastifyRequest): void;
}

const EXPOSED_HEADERS = 'WWW-Authenticate, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After';
const PREFLIGHT_MAX_AGE_SECONDS = 7200;

/** Allows the origins of these URLs. */
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
        throw new AppError('forbidden', 'Web pages of this Origin may not call the MCP endpoint.');
    },
  };
}
