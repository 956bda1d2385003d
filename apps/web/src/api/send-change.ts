import { errorOf, WaymarkError } from '@waymark/client';
import { shared } from '../texts/shared.ts';
import { noResponse } from './no-response.ts';

const listeners = new Set<() => void>();

/** Calls `listener` after each change whose outcome is unknown. */
export function onUncertainChange(listener: () => void): void {
  listeners.add(listener);
}

/** Returns true if a request changes something. */
export function isChange({ method, url }: Request): boolean {
  const { pathname, searchParams } = new URL(url);
  return method !== 'GET' && !searchParams.has('dry_run') && !pathname.endsWith('/options');
}

/**
 * Sends a change and returns its response once all of it has arrived.
 * @throws {WaymarkError} after `maxMs` milliseconds, without a complete response, or if a server failed. The change may have
 *   been made then, and the message says so. Throws the reason of the request's signal if that is aborted.
 */
export async function sendChange(request: Request, maxMs?: number): Promise<Response> {
  const late = new AbortController();
  const timer = maxMs === undefined ? undefined : setTimeout(() => late.abort(), maxMs);
  try {
    const response = await fetch(request, { signal: AbortSignal.any([request.signal, late.signal]) });
    const body = await response.clone().text();
    if (response.status >= 500) throw await errorOf(response, shared.unexpected(response.status));
    // A proxy may answer with a page of its own. The API always sends JSON.
    if (response.ok && body !== '') JSON.parse(body);
    return response;
  } catch (error) {
    for (const listener of listeners) listener();
    if (request.signal.aborted) throw error;
    const known = error instanceof WaymarkError ? error : await noResponse(request.method);
    throw new WaymarkError(known.status, `${known.message} ${shared.uncertain}`, known);
  } finally {
    clearTimeout(timer);
  }
}
