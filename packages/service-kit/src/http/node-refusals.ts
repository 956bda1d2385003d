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
 * Closes a connection on which Node could not read an HTTP request. Sends an error response in the usual shape first,
 * unless the client has gone or an earlier response has begun. The response has a body even for a HEAD, because an
 * unreadable request has no known method. The OpenAPI document lists these responses.
 */
export function respondToClientError(error: Error & { code?: string }, socket: Socket): void {
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

/** Returns true if an earlier response on the connection has begun. The client would read a new one as part of it. */
function isAnswering(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

/** Rejects an `Expect` header other than `100-continue` with a JSON body. Node would respond without a body. */
export function respondToUnknownExpectations(server: Server): void {
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
 * Returns what is wrong with the `Host` of a request, or null (RFC 9112 section 3.2). HTTP/1.1 requires one. No request
 * may have two, but Node accepts that.
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
 * Rejects a request if its `Host` is missing or sent twice. Returns true if it did. Node itself checks only for a
 * missing one, and responds without a body, so the server must set `requireHostHeader: false`.
 */
export function refuseWrongHost(request: FastifyRequest, reply: FastifyReply): boolean {
  const error = hostFault(request.raw);
  if (error === null) return false;
  reply.code(400).header('connection', 'close').type(JSON_TYPE).serializer(JSON.stringify).send({ error });
  return true;
}
