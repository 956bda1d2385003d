import { shared } from '../texts/shared.ts';
import { ApiError, errorOf } from './api-error.ts';
import { noResponse } from './no-response.ts';

const listeners = new Set<() => void>();

/** Calls `listener` after each change of which nobody knows whether it was made. */
export function onUncertainChange(listener: () => void): void {
  listeners.add(listener);
}

/** Returns true if a request changes something. */
export function isChange({ method, url }: Request): boolean {
  const { pathname, searchParams } = new URL(url);
  return method !== 'GET' && !searchParams.has('dry_run') && !pathname.endsWith('/options');
}

/**
 * Sends a change and returns its response once all of it has arrived. Otherwise, or after `maxMs` milliseconds, or if a
 * server failed, the change may have been made or not.
 * @throws {ApiError} that says so, or the reason of the request's signal.
 */
export async function sendChange(request: Request, maxMs?: number): Promise<Response> {
  const late = new AbortController();
  const timer = maxMs === undefined ? undefined : setTimeout(() => late.abort(), maxMs);
  try {
    const response = await fetch(request, { signal: AbortSignal.any([request.signal, late.signal]) });
    const body = await response.clone().text();
    if (response.status >= 500) throw errorOf(response, parsed(body));
    // The page of a proxy is no response of the API.
    if (response.ok && body !== '') JSON.parse(body);
    return response;
  } catch (error) {
    for (const listener of listeners) listener();
    if (request.signal.aborted) throw error;
    const { status, message, retryAfterSeconds } = error instanceof ApiError ? error : await noResponse(request.method);
    throw new ApiError(status, `${message} ${shared.uncertain}`, retryAfterSeconds);
  } finally {
    clearTimeout(timer);
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
