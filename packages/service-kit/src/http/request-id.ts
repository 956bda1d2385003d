import type { IncomingHttpHeaders } from 'node:http';
import { REQUEST_ID_HEADER, requestIdOr } from '@waymark/proto';

/** Returns the id of a request: its `X-Request-Id` if that is well-formed, otherwise a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const sent = headers[REQUEST_ID_HEADER];
  return requestIdOr(typeof sent === 'string' ? sent : undefined);
}
