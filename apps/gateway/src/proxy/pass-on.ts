import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientResponseHeaders, upstreamRequestHeaders } from './headers.ts';
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.ts';
import { isBrokenConnection, upstreamFailure } from './upstream-errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request is passed on with, in place of its key; undefined on open routes. */
    upstreamIdentity: string | undefined;
  }
}

/** A request is answered within 5 seconds of its arrival; this leaves time to say that it was not. */
const ANSWER_WITHIN_MS = 4600;
/** Beyond this a second try is not worth while. */
const RETRY_UNTIL_MS = 300;

/**
 * Answers a request with what a service says to it. Where `retryReads` is true, a GET or HEAD whose connection broke
 * before an answer is sent once more; anything else is sent once.
 * @throws {AppError} `unavailable` where the service gives no answer in time.
 */
export async function passOn(
  client: UpstreamClient,
  origin: string,
  request: FastifyRequest,
  reply: FastifyReply,
  retryReads: boolean,
): Promise<FastifyReply> {
  const body = request.body as Buffer | undefined;
  const outgoing: Omit<UpstreamRequest, 'timeoutMs'> = {
    origin,
    path: request.raw.url!,
    method: request.method,
    headers: upstreamRequestHeaders(request.headers, {
      requestId: request.id,
      address: request.ip,
      identityToken: request.upstreamIdentity,
      bodyLength: body?.length,
    }),
    body,
  };
  const exchange = () => client.exchange({ ...outgoing, timeoutMs: ANSWER_WITHIN_MS - reply.elapsedTime });
  const canRetry = retryReads && (request.method === 'GET' || request.method === 'HEAD');
  try {
    const response = await exchange().catch((error: unknown) => {
      if (canRetry && isBrokenConnection(error) && reply.elapsedTime < RETRY_UNTIL_MS) return exchange();
      throw error;
    });
    return send(reply, request, response);
  } catch (error) {
    throw upstreamFailure(error);
  }
}

/**
 * Sends a service's answer. That a service does not believe an identity which the gateway has just signed is not the
 * client's fault: the two have different signing keys, as can be for a moment while they are rotated.
 */
function send(reply: FastifyReply, request: FastifyRequest, { status, headers, body }: UpstreamResponse): FastifyReply {
  if (request.upstreamIdentity !== undefined && status === 401) {
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE, {
      cause: new Error('The service behind refused the identity that the gateway signed'),
    });
  }
  reply.code(status).headers(clientResponseHeaders(headers));
  return body.length === 0 ? reply.send() : reply.send(body);
}
