import { isUtf8 } from 'node:buffer';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { inClientSpan } from '@waymark/proto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { askReplica } from './ask-replica.ts';
import { clientResponseHeaders, upstreamRequestHeaders } from './headers.ts';
import type { Replicas } from './replicas.ts';
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.ts';
import { isBrokenConnection, isUnsent, upstreamFailure } from './upstream-errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request is passed on with, in place of its key; undefined on open routes. */
    upstreamIdentity: string | undefined;
  }
}

/** A request is answered within 5 seconds of its arrival; this leaves time to say that it was not. */
const ANSWER_WITHIN_MS = 4600;
/** Beyond this a second try could not be answered in time. */
const RETRY_UNTIL_MS = 2_500;

/**
 * Answers a request with what a service says to it. A request that reached no replica goes to the next one; where
 * `retryReads` is true, a GET or HEAD whose connection broke before an answer is sent once more; else it is sent once.
 * @throws {AppError} `unavailable` where the service gives no answer in time.
 */
export async function passOn(
  client: UpstreamClient,
  replicas: Replicas,
  request: FastifyRequest,
  reply: FastifyReply,
  retryReads: boolean,
): Promise<FastifyReply> {
  const body = request.body as Buffer | undefined;
  const outgoing: Omit<UpstreamRequest, 'origin' | 'timeoutMs'> = {
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
  const canRetry = retryReads && (request.method === 'GET' || request.method === 'HEAD');
  for (let attempt = 0; ; attempt++) {
    try {
      const timeoutMs = Math.max(1, ANSWER_WITHIN_MS - reply.elapsedTime);
      const answer = await inClientSpan(request.method, { 'http.request.method': request.method }, (trace) => {
        Object.assign(outgoing.headers, trace);
        return askReplica(client, replicas, { ...outgoing, timeoutMs });
      });
      return send(reply, request, answer);
    } catch (error) {
      const again = isUnsent(error)
        ? attempt < replicas.size
        : canRetry && attempt === 0 && isBrokenConnection(error) && reply.elapsedTime < RETRY_UNTIL_MS;
      if (!again) throw upstreamFailure(error);
    }
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
  // Text leaves together with the headers, in one write instead of two.
  return body.length === 0 ? reply.send() : reply.send(isUtf8(body) ? body.toString() : body);
}
