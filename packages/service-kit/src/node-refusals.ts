import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestIdOf } from './request-id.ts';

const UNREADABLE: Record<string, { status: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The headers of the request are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', message: 'The request took too long to arrive.' },
};
const MALFORMED = { status: '400 Bad Request', message: 'The request is not valid HTTP.' };
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Answers what Node could not read as an HTTP request, in the shape of every error, and ends the connection. Also where
 * it would have become a HEAD: what cannot be read has no method. The OpenAPI document tells clients of these answers.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const { status, message } = UNREADABLE[error.code ?? ''] ?? MALFORMED;
  const body = JSON.stringify({ error: message });
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'Connection: close',
      `Content-Type: ${JSON_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${randomUUID()}`,
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
}

/** True where an answer to an earlier request of the connection has begun: a second one would be read as part of it. */
function isAnswering(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

/** Answers an `Expect` header that asks for anything but `100-continue`, which Node would do without a body. */
export function answerUnknownExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.stringify({ error: 'The Expect header may only be "100-continue".' });
    response
      .writeHead(417, {
        connection: 'close',
        'content-length': Buffer.byteLength(body),
        'content-type': JSON_TYPE,
        'x-request-id': requestIdOf(request.headers),
      })
      .end(body);
  });
}

/**
 * What is wrong with the `Host` of a request, or null (RFC 9112 section 3.2): HTTP/1.1 needs one, and no request may have
 * two, which Node would let pass.
 */
export function hostFault({ httpVersion, rawHeaders }: IncomingMessage): string | null {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return 'The request has more than one Host header.';
  return hosts === 0 && httpVersion === '1.1' ? 'The request has no Host header.' : null;
}

/**
 * Refuses a request whose `Host` is missing or sent twice; true where it did. Node would do it without a body, and only
 * for the first: the server must have `requireHostHeader` off.
 */
export function refuseWrongHost(request: FastifyRequest, reply: FastifyReply): boolean {
  const error = hostFault(request.raw);
  if (error === null) return false;
  reply.code(400).header('connection', 'close').type(JSON_TYPE).serializer(JSON.stringify).send({ error });
  return true;
}
