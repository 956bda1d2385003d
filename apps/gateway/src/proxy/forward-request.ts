import { isUtf8 } from 'node:buffer';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { inClientSpan } from '@waymark/proto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProxyRoute } from '../routes.ts';
import { clientResponseHeaders, upstreamRequestHeaders } from './headers.ts';
import type { Replicas } from './replicas.ts';
import { sendToReplica } from './send-to-replica.ts';
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.ts';
import { isBrokenConnection, isUnsent, upstreamFailure } from './upstream-errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed identity that is forwarded in place of the key; undefined on open routes. */
    upstreamIdentity: string | undefined;
  }
}

/** Every request gets a response within 5 seconds. This leaves time to send a 503. */
const RESPONSE_TIMEOUT_MS = 4600;
/** After this time, a retry could not finish before the deadline. */
const RETRY_UNTIL_MS = 2_500;

type Forwarding = Pick<ProxyRoute, 'retryReads' | 'streams'>;

/**
 * Forwards a request to a service and sends the service's response. A request that reached no replica goes to the next
 * one. If `retryReads` is true, a GET or HEAD is retried when its first attempt breaks off before the response is
 * complete. Any other request is sent once.
 * @throws {AppError} `unavailable` if the service does not respond in time; see {@link upstreamFailure} for the rest.
 */
export async function forwardRequest(
  client: UpstreamClient,
  replicas: Replicas,
  request: FastifyRequest,
  reply: FastifyReply,
  { retryReads, streams }: Forwarding,
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
      const timeoutMs = Math.max(1, RESPONSE_TIMEOUT_MS - reply.elapsedTime);
      const answer = await inClientSpan(request.method, { 'http.request.method': request.method }, (trace) => {
        Object.assign(outgoing.headers, trace);
        return sendToReplica(streams === true ? client.open : client.exchange, replicas, { ...outgoing, timeoutMs });
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
 * Sends a service's response. A 401 for an identity that the gateway has just signed is not the client's fault: the
 * signing keys differ, which can happen for a moment during a rotation.
 * @throws {AppError} `unavailable` in that case.
 */
function send(reply: FastifyReply, request: FastifyRequest, { status, headers, body }: UpstreamResponse): FastifyReply {
  if (request.upstreamIdentity !== undefined && status === 401) {
    if (!Buffer.isBuffer(body)) body.destroy();
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE, {
      cause: new Error('The upstream service refused the identity that the gateway signed'),
    });
  }
  reply.code(status).headers(clientResponseHeaders(headers));
  if (!Buffer.isBuffer(body)) return reply.send(body);
  // Node writes a string together with the headers, but a buffer separately.
  return body.length === 0 ? reply.send() : reply.send(isUtf8(body) ? body.toString() : body);
}
