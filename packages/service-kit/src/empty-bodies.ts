import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** An option of Node's HTTP server: a request that tells of no body ends at once, for 2 µs of CPU less. */
export const ENDS_WITHOUT_BODY = { optimizeEmptyRequests: true };

/** Whether a request has a body, be it empty: without either header it has none (RFC 9112 section 6.3). */
export function tellsOfBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/**
 * Gives the parsers of a request without a body an empty one: of what has ended they would wait for an end. Fastify reads
 * only where there is the header of a type.
 */
export function addEmptyBodies(app: FastifyInstance): void {
  app.addHook('preParsing', ({ headers }, _reply, payload, done) => {
    const isRead = headers['content-type'] !== undefined;
    done(null, isRead && !tellsOfBody(headers) ? Readable.from([]) : payload);
  });
}
