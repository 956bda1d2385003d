import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What is read of a body after its answer. A client that sends more than this may lose the answer. */
const DRAINED_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Lets a request be refused before all of its body has come. The answer leaves at once and asks for the end of the
 * connection, but the connection ends only when the rest of the body has been read and thrown away: closed earlier, it
 * would be reset under a client that is still sending, which then never sees its answer (RFC 9112 section 9.6). The
 * rest is bounded: in bytes here, in time by the server's request timeout.
 */
export function answerBeforeBodyEnds(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode < 400 || typeof payload !== 'string' || !isBodyUnread(request)) return done(null, payload);
    reply.header('connection', 'close').header('content-length', Buffer.byteLength(payload));
    return done(null, Readable.from(answerThenDrain(payload, request.raw), { objectMode: false }));
  });
}

function isBodyUnread({ headers, raw }: FastifyRequest): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return hasBody && !raw.complete;
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
