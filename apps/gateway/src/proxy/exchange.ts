import { IDENTITY_HEADER, inClientSpan } from '@waymark/proto';
import { RESPONSE_HEADERS_MAX_BYTES } from '@waymark/service-kit';
import { Agent, type Dispatcher } from 'undici';
import type { Replica, Replicas } from './replicas.ts';
import { UnreadBody } from './unread-body.ts';
import { isBroken, isUnsent } from './upstream-errors.ts';

/** A request as `@fastify/reply-from` gives it to its client. */
export type UpstreamRequest = Dispatcher.RequestOptions & { headers: Record<string, string>; headersTimeout: number };

export interface ExchangeOptions {
  /** Whether a GET or HEAD is sent once more if its connection breaks before the response begins. */
  retryReads: boolean;
  /** Cancels the exchange, which closes the connection to the service. */
  signal: AbortSignal | undefined;
}

const CONNECT_TIMEOUT_MS = 1_000;
/** How long a service may take for the next part of a response. A client that does not read stops this clock. */
const PAUSE_MAX_MS = 10_000;
/** Shorter than the idle timeout of the services, so that no request uses a connection that a service is closing. */
const KEEP_ALIVE_MS = 30_000;
/**
 * A response that says that it is no longer than this is read whole: it costs half of a stream, and if it breaks off,
 * the client gets an error instead of a part.
 */
const SHORT_MAX_BYTES = 16 * 1024;
/** Statuses that can close the connection because of the request. They do not mean that the replica is stopping. */
const REFUSALS = new Set([400, 408, 413, 417, 431]);

/**
 * Creates the HTTP client of all services. It has as many connections as there are requests in progress, which
 * `in-flight.ts` bounds, so that no request waits here for those of others.
 */
export function createUpstreamAgent(): Agent {
  return new Agent({
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: RESPONSE_HEADERS_MAX_BYTES,
    headersTimeout: 0,
    bodyTimeout: PAUSE_MAX_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
}

/** A response whose body is a stream, or a buffer if it is short. `@fastify/reply-from` can destroy either. */
export type UpstreamResponse = Omit<Dispatcher.ResponseData, 'body'> & {
  body: Dispatcher.ResponseData['body'] | (Buffer & { destroy(): void });
};

/**
 * Sends a request to a replica and resolves to its response. A request that reached no replica goes to the next one.
 * Rejects if it has not resolved within `headersTimeout`, all attempts together; with an {@link UnreadBody}, within that
 * time after its end.
 */
export async function exchange(
  agent: Agent,
  replicas: Replicas,
  { headersTimeout: timeoutMs, ...request }: UpstreamRequest,
  { retryReads, signal }: ExchangeOptions,
): Promise<UpstreamResponse> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const startTimer = () => {
    timer = setTimeout(() => late.abort(new Error(`No response within ${timeoutMs} ms`)), timeoutMs);
  };
  const unread = request.body instanceof UnreadBody ? request.body : undefined;
  const stopWaiting = unread?.onceSent(startTimer);
  if (unread === undefined) startTimer();
  const cancelled = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  try {
    const inOrder = await replicas.inOrder();
    for (let attempt = 0; ; attempt++) {
      const replica = inOrder[attempt % inOrder.length]!;
      try {
        return await send(agent, replicas, replica, {
          ...request,
          ...(unread !== undefined && { body: unread.pieces() }),
          signal: cancelled,
          bodyTimeout: PAUSE_MAX_MS,
        });
      } catch (error) {
        const unsent = isUnsent(error);
        if (unsent) replicas.eject(replica, 'unavailable');
        const again = unsent ? attempt < inOrder.length : retryReads && isRead && attempt === 0 && isBroken(error);
        if (!again) throw error;
      }
    }
  } finally {
    stopWaiting?.();
    clearTimeout(timer);
  }
}

/** Ejects the replica if it closes the connection because it is about to stop. */
export function ejectIfStopping(
  replicas: Replicas,
  replica: Replica,
  { headers, statusCode }: Dispatcher.ResponseData,
): void {
  if (headers.connection === 'close' && !REFUSALS.has(statusCode)) replicas.eject(replica, 'stopping');
}

/** Sends a request to one replica. Ejects the replica if it is about to stop. */
async function send(
  agent: Agent,
  replicas: Replicas,
  replica: Replica,
  request: Omit<UpstreamRequest, 'headersTimeout'>,
): Promise<UpstreamResponse> {
  const response = await inClientSpan(request.method, { 'http.request.method': request.method }, (trace) =>
    requestReplica(agent, replica, { ...request, headers: Object.assign(request.headers, trace) }),
  );
  // The plugin destroys the body if the client is gone. Without a listener, that would end the process.
  response.body.on('error', () => {});
  ejectIfStopping(replicas, replica, response);
  // The signing keys can differ for a moment during a rotation. That is not the client's fault.
  if (response.statusCode === 401 && request.headers[IDENTITY_HEADER] !== undefined) {
    response.body.destroy();
    throw new Error('The upstream service refused the identity that the gateway signed');
  }
  const length = Number(response.headers['content-length'] ?? Infinity);
  if (length > SHORT_MAX_BYTES) return response;
  const body = length === 0 ? Buffer.alloc(0) : Buffer.from(await response.body.arrayBuffer());
  return { ...response, body: Object.assign(body, { destroy() {} }) };
}

/** Sends a request to one replica. Without a server name, undici would expect a certificate of the forwarded `Host`. */
export function requestReplica(
  agent: Agent,
  { origin, servername }: Replica,
  request: Omit<Dispatcher.RequestOptions, 'origin'>,
): Promise<Dispatcher.ResponseData> {
  const options: Dispatcher.RequestOptions & { servername: string } = { ...request, origin, servername };
  return agent.request(options);
}
