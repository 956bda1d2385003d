import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** An option of Node's HTTP server: a request that tells of no body ends at once, for 2 µs of CPU less. */
export const ENDS_WITHOUT_BODY = { optimizeEmptyRequests: true };

/**
 * Gives the parsers of such a request an empty body: of what has ended they would wait for an end. Without the header of a
 * length there is none (RFC 9112 section 6.3), and Fastify reads only where there is one of a type.
 */
export function addEmptyBodies(app: FastifyInstance): void {
  app.addHook('preParsing', ({ headers }, _reply, payload, done) => {
    const isRead = headers['content-type'] !== undefined;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    done(null, isRead && !hasBody ? Readable.from([]) : payload);
  });
}
