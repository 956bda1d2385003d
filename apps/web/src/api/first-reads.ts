import type { QueryClient, QueryKey } from '@tanstack/preact-query';
import { listQuery, QUERY_NAMES } from '../links/link-query.ts';
import { readSessionToken } from '../session/session-store.ts';
import { api, dataOf } from './client.ts';

/** A read that began before the views were there. */
interface FirstRead {
  queryKey: QueryKey;
  /** The first call returns the data of the request under way, later ones ask again. */
  read: () => Promise<unknown>;
}

const reads: FirstRead[] = [];

/** Asks for the account, and for the links if they are the view, while the scripts of the page load. */
export function startFirstReads(): void {
  const token = readSessionToken();
  if (token === null) return;
  start(['me', token], () => dataOf(api.GET('/api/v1/me')));
  if (!/^\/app\/?(links)?$/.test(location.pathname)) return;
  const parameters = new URLSearchParams(location.search);
  const view = Object.fromEntries(
    QUERY_NAMES.flatMap((name) => (parameters.get(name) ? [[name, parameters.get(name)!]] : [])),
  );
  const query = listQuery(view);
  start(['links', query], () => dataOf(api.GET('/api/v1/links', { params: { query } })));
}

/** Hands the reads to the cache. The views that ask for the same keys wait for them. */
export function shareFirstReads(queryClient: QueryClient): void {
  for (const { queryKey, read } of reads.splice(0)) void queryClient.prefetchQuery({ queryKey, queryFn: read });
}

function start(queryKey: QueryKey, request: () => Promise<unknown>): void {
  let first: Promise<unknown> | null = request();
  // The cache reports the error.
  first.catch(() => undefined);
  const read = () => {
    const data = first ?? request();
    first = null;
    return data;
  };
  reads.push({ queryKey, read });
}
