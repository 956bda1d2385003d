import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { announcesBody } from './announces-body.ts';

/** How much of a body is read after the response was sent. A client that sends more may lose the response. */
const DRAINED_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Allows a request to be refused before its whole body has arrived. The response is sent at once with
 * `Connection: close`, and the rest of the body is read and discarded before the connection closes. If it closed
 * earlier, a client that is still sending could get a reset and lose the response (RFC 9112 section 9.6). The bytes to
 * discard are limited here, the time by the server's request timeout.
 */
export function respondBeforeBodyEnds(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode < 400 || typeof payload !== 'string' || !isBodyUnread(request)) return done(null, payload);
    reply.header('connection', 'close').header('content-length', Buffer.byteLength(payload));
    return done(null, Readable.from(answerThenDrain(payload, request.raw), { objectMode: false }));
  });
}

function isBodyUnread({ headers, raw }: FastifyRequest): boolean {
  return announcesBody(headers) && !raw.complete;
}

async function* answerThenDrain(answer: string, body: IncomingMessage): AsyncGenerator<Buffer> {
  yield Buffer.from(answer);
  if (body.complete || body.destroyed) return;
  await new Promise<void>((resolve) => {
    let drainedBytes = 0;
    body.on('data', (chunk: Buffer) => {
      drainedBytes += chunk.length;
      if (drainedBytes > DRAINED_MAX_BYTES) resolve();
    });
    body
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
    body.resume();
  });
}
