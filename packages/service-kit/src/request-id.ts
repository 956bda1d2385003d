import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const SANE = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Returns the id of a request: its `X-Request-Id` if that has 1 to 128 characters of `A–Z a–z 0–9 . _ -`, else a new
 * UUID.
 */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && SANE.test(sent) ? sent : randomUUID();
}
