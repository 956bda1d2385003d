import { IDENTITY_HEADER, inClientSpan } from '@waymark/proto';
import { RESPONSE_HEADERS_MAX_BYTES } from '@waymark/service-kit';
import { Agent, type Dispatcher } from 'undici';
import type { Replica, Replicas } from './replicas.ts';
import { isBrokenConnection, isUnsent } from './upstream-errors.ts';

/** A request as `@fastify/reply-from` gives it to its client. */
export type UpstreamRequest = Dispatcher.RequestOptions & { headers: Record<string, string>; headersTimeout: number };

const CONNECT_TIMEOUT_MS = 1_000;
/** How long a service may take for the next part of a response. A client that does not read stops this clock. */
const PAUSE_MAX_MS = 10_000;
/** Shorter than the idle timeout of the services, so that no request uses a connection that a service is closing. */
const KEEP_ALIVE_MS = 30_000;
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

/**
 * Sends a request to a replica and resolves to its response, whose body is a stream. A request that reached no replica
 * goes to the next one. A GET or HEAD is sent once more if `retryReads` and its connection breaks before the response.
 * Rejects if the response does not begin within `headersTimeout`, all attempts together.
 */
export async function exchange(
  agent: Agent,
  replicas: Replicas,
  { headersTimeout: timeoutMs, ...request }: UpstreamRequest,
  retryReads: boolean,
): Promise<Dispatcher.ResponseData> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`No response within ${timeoutMs} ms`)), timeoutMs);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  try {
    for (let attempt = 1; ; attempt++) {
      const replica = await replicas.next();
      try {
        return await send(agent, replicas, replica, { ...request, signal: late.signal, bodyTimeout: PAUSE_MAX_MS });
      } catch (error) {
        if (isUnsent(error)) {
          replicas.eject(replica, 'unreachable');
          if (attempt <= (await replicas.all()).length) continue;
        }
        if (retryReads && isRead && attempt === 1 && isBrokenConnection(error)) continue;
        throw error;
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Sends a request once. Ejects the replica if it closes the connection because it is about to stop. */
async function send(
  agent: Agent,
  replicas: Replicas,
  replica: Replica,
  request: Omit<UpstreamRequest, 'headersTimeout'>,
): Promise<Dispatcher.ResponseData> {
  const response = await inClientSpan(request.method, { 'http.request.method': request.method }, (trace) =>
    requestReplica(agent, replica, { ...request, headers: { ...request.headers, ...trace } }),
  );
  // The plugin destroys the body if the client is gone. Without a listener, that would end the process.
  response.body.on('error', () => {});
  if (response.headers.connection === 'close' && !REFUSALS.has(response.statusCode))
    replicas.eject(replica, 'stopping');
  // The signing keys can differ for a moment during a rotation. That is not the client's fault.
  if (response.statusCode === 401 && request.headers[IDENTITY_HEADER] !== undefined) {
    response.body.destroy();
    throw new Error('The upstream service refused the identity that the gateway signed');
  }
  return response;
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
