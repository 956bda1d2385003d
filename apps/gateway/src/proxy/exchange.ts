import { IDENTITY_HEADER, inClientSpan } from '@waymark/proto';
import { RESPONSE_HEADERS_MAX_BYTES } from '@waymark/service-kit';
import { Agent, type Dispatcher } from 'undici';
import { Attempt, type UpstreamResponse } from './attempt.ts';
import type { Replica, Replicas } from './replicas.ts';
import { UnreadBody } from './unread-body.ts';
import { isBroken, isUnsent } from './upstream-errors.ts';

/** A request to a service. */
export interface UpstreamRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer | UnreadBody | null;
  /** How long all attempts together may take; with an {@link UnreadBody}, after its end. */
  timeoutMs: number;
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
 * Sends a request to a replica and resolves to its response. A request that reached no replica goes to the next one.
 * Rejects if it has not resolved within `timeoutMs`.
 */
export async function exchange(agent: Agent, replicas: Replicas, request: UpstreamRequest): Promise<UpstreamResponse> {
  const { method, body, timeoutMs, retryReads, signal } = request;
  let attempt: Attempt | undefined;
  let cancelled: Error | undefined;
  const cancel = (reason: Error) => {
    cancelled ??= reason;
    attempt?.cancel(cancelled);
  };
  let timer: NodeJS.Timeout | undefined;
  const startTimer = () => {
    timer = setTimeout(() => cancel(new Error(`No response within ${timeoutMs} ms`)), timeoutMs);
  };
  const stopWaiting = body instanceof UnreadBody ? body.onceSent(startTimer) : startTimer();
  const onAbort = () => cancel(signal!.reason);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  const isRead = method === 'GET' || method === 'HEAD';
  try {
    const inOrder = await replicas.inOrder();
    for (let tries = 0; ; tries++) {
      if (cancelled !== undefined) throw cancelled;
      const replica = inOrder[tries % inOrder.length]!;
      try {
        return await inClientSpan(method, { 'http.request.method': method }, (trace) => {
          attempt = new Attempt();
          return send(
            agent,
            replicas,
            replica,
            { ...request, headers: Object.assign(request.headers, trace) },
            attempt,
          );
        });
      } catch (error) {
        const unsent = isUnsent(error);
        if (unsent) replicas.eject(replica, 'unavailable');
        const again = unsent ? tries < inOrder.length : retryReads && isRead && tries === 0 && isBroken(error);
        if (!again) throw error;
      }
    }
  } finally {
    stopWaiting?.();
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Ejects the replica if it closes the connection because it is about to stop. */
export function ejectIfStopping(
  replicas: Replicas,
  replica: Replica,
  { headers, statusCode }: Pick<UpstreamResponse, 'headers' | 'statusCode'>,
): void {
  if (headers.connection === 'close' && !REFUSALS.has(statusCode)) replicas.eject(replica, 'stopping');
}

/** Sends a request to one replica. Ejects the replica if it is about to stop. */
async function send(
  agent: Agent,
  replicas: Replicas,
  replica: Replica,
  { method, path, headers, body }: UpstreamRequest,
  attempt: Attempt,
): Promise<UpstreamResponse> {
  agent.dispatch(
    toReplica(replica, { method, path, headers, body: body instanceof UnreadBody ? body.pieces() : body }),
    attempt,
  );
  const response = await attempt.response;
  ejectIfStopping(replicas, replica, response);
  // The signing keys can differ for a moment during a rotation. That is not the client's fault.
  if (response.statusCode === 401 && headers[IDENTITY_HEADER] !== undefined) {
    response.body.destroy();
    throw new Error('The upstream service refused the identity that the gateway signed');
  }
  return response;
}

/** Sends a request to one replica, with a stream for its response. */
export function requestReplica(
  agent: Agent,
  replica: Replica,
  request: Omit<Dispatcher.RequestOptions, 'origin'>,
): Promise<Dispatcher.ResponseData> {
  return agent.request(toReplica(replica, request));
}

/** Without a server name, undici would expect a certificate of the forwarded `Host`. */
function toReplica<Request extends object>({ origin, servername }: Replica, request: Request) {
  return { ...request, origin, servername };
}
