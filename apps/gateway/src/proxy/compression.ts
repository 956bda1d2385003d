import { pipeline } from 'node:stream';
import { createGzip, type Gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsEncoding } from '../static/static-file.ts';
import { ShortBody, type UpstreamResponse } from './attempt.ts';

/** A shorter response takes no longer than its headers. */
const MIN_BYTES = 4 * 1024;
/** Higher levels make a list hardly smaller, and take twice the time. */
const LEVEL = 4;

/**
 * Compresses JSON for the dashboard, which may be on a slow network, and returns the body to send. Programs send keys and
 * are near: for them it would only cost time.
 */
export function compressed(
  { method, headers, caller }: FastifyRequest,
  reply: FastifyReply,
  body: UpstreamResponse['body'],
): UpstreamResponse['body'] | Gzip {
  const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
  const isLong = Number(reply.getHeader('content-length')) >= MIN_BYTES;
  if (!caller?.isSession || method !== 'GET' || !isJson || !isLong) return body;
  reply.header('vary', 'Accept-Encoding');
  if (!acceptsEncoding(headers, 'gzip')) return body;
  reply.removeHeader('content-length').header('content-encoding', 'gzip');
  const gzip = createGzip({ level: LEVEL });
  if (body instanceof ShortBody) gzip.end(body.bytes);
  // Fastify ends the response if it fails.
  else pipeline(body, gzip, () => {});
  return gzip;
}
