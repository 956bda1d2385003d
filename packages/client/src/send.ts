import { errorOf, noResponse, unlikeWaymark, WaymarkError } from './waymark-error.ts';

/** How requests are sent. */
export interface SendOptions {
  /** How often a request is repeated, after no response, 429 and 503. Default: 4. */
  retries?: number | undefined;
  /** Once it is aborted, nothing is repeated, and a pause throws its reason. A request that was sent gets its response. */
  stopRetrying?: AbortSignal | undefined;
  /** Called before each pause. */
  onRetry?: ((error: WaymarkError, pauseMs: number) => void) | undefined;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

const RETRIES = 4;
const PAUSE_MAX_MS = 30_000;
/** The API responds within 5 seconds, and networks are slow. */
const RESPONSE_MAX_MS = 30_000;
/** A limit per minute is over by then. */
const RETRY_AFTER_MAX_SECONDS = 61;

/**
 * Sends a request, and again if it may succeed soon and does nothing twice. Returns the response if it is `ok`.
 * @throws {WaymarkError} for any other response, and without one. The reason of the request's signal if that is aborted.
 */
export async function send(request: Request, options: SendOptions): Promise<Response> {
  const { retries = RETRIES, stopRetrying, onRetry, fetch = globalThis.fetch } = options;
  let lostResponse = false;
  for (let tries = 0; ; tries++) {
    try {
      return await attempt(request.clone(), fetch);
    } catch (error) {
      if (!(error instanceof WaymarkError)) throw error;
      // The request before this one has done it.
      if (lostResponse && request.method === 'DELETE' && error.status === 404)
        return new Response(null, { status: 204 });
      const pauseMs = pauseOf(error, tries);
      if (tries >= retries || pauseMs === null || !isRepeatable(request, error)) throw error;
      lostResponse ||= error.status === 0;
      onRetry?.(error, pauseMs);
      await pause(pauseMs, stopRetrying ? AbortSignal.any([request.signal, stopRetrying]) : request.signal);
    }
  }
}

async function attempt(request: Request, fetch: typeof globalThis.fetch): Promise<Response> {
  const late = new AbortController();
  // An upload takes as long as it takes.
  const isUpload = request.body !== null && !request.headers.get('content-type')?.startsWith('application/json');
  const timer = isUpload
    ? undefined
    : setTimeout(() => late.abort(new DOMException('', 'TimeoutError')), RESPONSE_MAX_MS);
  try {
    const signal = AbortSignal.any([request.signal, late.signal]);
    // A redirected POST would become a GET, and a key is for one server.
    const response = await fetch(request, { signal, redirect: 'manual' });
    if (!response.ok) throw await refusalOf(response);
    // JSON is read here, so that one that breaks off is no response. All else may be long, and streams.
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return isJson ? new Response(await response.arrayBuffer(), response) : response;
  } catch (error) {
    if (error instanceof WaymarkError || request.signal.aborted) throw error;
    throw noResponse(request.url, error);
  } finally {
    clearTimeout(timer);
  }
}

function refusalOf(response: Response): Promise<WaymarkError> {
  const location = response.status < 400 ? response.headers.get('location') : null;
  return errorOf(
    response,
    location === null
      ? unlikeWaymark(response.status, response.url)
      : `${new URL(response.url).origin} redirects to ${location}; use that address.`,
  );
}

/** Returns true if a repetition does nothing twice. */
function isRepeatable({ method, headers }: Request, { status }: WaymarkError): boolean {
  return method !== 'POST' || headers.has('idempotency-key') || status === 429;
}

/** Returns how long to wait before the next try, or null if none can succeed soon. */
function pauseOf({ status, retryAfterSeconds }: WaymarkError, tries: number): number | null {
  if (status !== 0 && status !== 429 && status !== 503) return null;
  if (retryAfterSeconds === null) return Math.min(500 * 2 ** tries, PAUSE_MAX_MS);
  return retryAfterSeconds <= RETRY_AFTER_MAX_SECONDS ? 1000 * retryAfterSeconds : null;
}

/** Waits. Throws the reason of the signal if that is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) throw signal.reason;
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
