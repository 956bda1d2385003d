import { type Route, urlOf } from '@waymark/client';
import { readSessionToken } from './session-store.ts';

const responses = new Map<string, Promise<Response>>();

/** Sends a read while the scripts that need its response still load. Does nothing without a session. */
export function readEarly(route: Route, query: object): void {
  const token = readSessionToken();
  if (token === null) return;
  const url = urlOf(location.origin, route, {}, query);
  const response = fetch(url, { headers: { authorization: `Bearer ${token}` } });
  // The view that takes it shows the error.
  response.catch(() => undefined);
  responses.set(keyOf(token, url), response);
}

/** Returns the response to the same request of `readEarly`, once. */
export function takeEarlyResponse({ method, url }: Request, token: string): Promise<Response> | undefined {
  if (method !== 'GET') return undefined;
  const key = keyOf(token, url);
  const response = responses.get(key);
  responses.delete(key);
  return response;
}

function keyOf(token: string, url: string): string {
  return `${token} ${url}`;
}
