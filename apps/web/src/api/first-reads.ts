import { listQuery, QUERY_NAMES } from '../links/link-query.ts';
import { readSessionToken } from '../session/session-store.ts';

const responses = new Map<string, Promise<Response>>();

/** Asks for the account, and for the links if they are the view, while the other scripts load. */
export function startFirstReads(): void {
  const token = readSessionToken();
  if (token === null) return;
  const read = (path: string) => {
    const response = fetch(path, { headers: { authorization: `Bearer ${token}` } });
    // The view that takes it shows the error.
    response.catch(() => undefined);
    responses.set(keyOf(token, new URL(path, location.origin).href), response);
  };
  read('/api/v1/me');
  if (!/^\/app\/?(links)?$/.test(location.pathname)) return;
  const parameters = new URLSearchParams(location.search);
  const view = Object.fromEntries(
    QUERY_NAMES.flatMap((name) => (parameters.get(name) ? [[name, parameters.get(name)!]] : [])),
  );
  const query = Object.entries(listQuery(view)).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  read(`/api/v1/links?${query.join('&')}`);
}

/** Returns the response to the same request of `startFirstReads`, once. */
export function takeFirstResponse({ method, url }: Request, token: string): Promise<Response> | undefined {
  if (method !== 'GET') return undefined;
  const key = keyOf(token, url);
  const response = responses.get(key);
  responses.delete(key);
  return response;
}

function keyOf(token: string, url: string): string {
  return `${token} ${url}`;
}
