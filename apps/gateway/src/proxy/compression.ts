import { pipeline } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsEncoding } from '../static/static-file.ts';
import { ShortBody, type UpstreamResponse } from './attempt.ts';

/** A shorter response takes no longer than its headers. */
const MIN_BYTES = 4 * 1024;
/** Higher levels make a list hardly smaller, and take twice the time. */
const OPTIONS = { level: 4 };

/**
 * Compresses JSON for the dashboard, which may be on a slow network, and returns the body to send. Programs send keys and
 * are near: for them it would only cost time.
 */
export function compressed(
  { method, headers, caller }: FastifyRequest,
  reply: FastifyReply,
  body: UpstreamResponse['body'],
): UpstreamResponse['body'] {
  if (!caller?.isSession || method !== 'GET') return body;
  const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
  const isLong = Number(reply.getHeader('content-length')) >= MIN_BYTES;
  if (!isJson || !isLong) return body;
  reply.header('vary', 'Accept-Encoding');
  if (!acceptsEncoding(headers, 'gzip')) return body;
  reply.removeHeader('content-length').header('content-encoding', 'gzip');
  // Its place is free already: a stream would keep a quarter of a megabyte for a client that does not read.
  if (body instanceof ShortBody) return new ShortBody(gzipSync(body.bytes, OPTIONS));
  // Fastify ends the response if it fails.
  return pipeline(body, createGzip(OPTIONS), () => {});
}
