import { AppError } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

const EXPOSED_HEADERS = 'WWW-Authenticate, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After';
const PREFLIGHT_MAX_AGE_SECONDS = 7200;

/** The web pages that may call the MCP endpoint, by their `Origin`. Clients other than browsers usually send none. */
export class McpOrigins {
  readonly #allowed: ReadonlySet<string>;

  constructor(urls: readonly string[]) {
    this.#allowed = new Set(urls.map((url) => new URL(url).origin));
  }

  /** Sets the CORS headers that let a page of an allowed origin read the response, errors included. */
  openTo(request: FastifyRequest, reply: FastifyReply): void {
    reply.header('vary', 'Origin');
    if (!this.#allows(request)) return;
    reply.header('access-control-allow-origin', request.headers.origin);
    reply.header('access-control-expose-headers', EXPOSED_HEADERS);
  }

  /** Returns true for a CORS preflight of an allowed origin. Browsers send preflights without a key. */
  isPreflight(request: FastifyRequest): boolean {
    const { method, headers } = request;
    return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && this.#allows(request);
  }

  answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const asked = request.headers['access-control-request-headers'];
    if (asked !== undefined) reply.header('access-control-allow-headers', asked);
    reply.header('access-control-allow-methods', 'POST').header('access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS);
    return reply.code(204).send();
  }

  /**
   * Checks the `Origin` of a request. The MCP specification requires this against DNS rebinding.
   * @throws {AppError} `forbidden` if there is an `Origin` that is not allowed.
   */
  check(request: FastifyRequest): void {
    if (request.headers.origin !== undefined && !this.#allows(request))
      throw new AppError('forbidden', 'This Origin may not call the MCP endpoint.');
  }

  #allows({ headers: { origin } }: FastifyRequest): boolean {
    return origin !== undefined && this.#allowed.has(origin);
  }
}
