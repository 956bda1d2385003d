import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** The content codings that browsers know. They ignore other names, such as UTF-8 and none. */
const CODINGS = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'compress', 'x-compress', 'zstd', 'dcb', 'dcz']);

/**
 * Returns the decoded body of a response with this `Content-Encoding`. Returns null for a coding that was not requested
 * and for several codings. Rejects if the signal aborts before the first byte.
 */
export async function decompressed(
  body: Readable,
  contentEncoding: string | string[] | undefined,
  signal: AbortSignal,
): Promise<Readable | null> {
  const names = String(contentEncoding ?? '').split(',');
  const codings = names.map((name) => name.trim().toLowerCase()).filter((name) => CODINGS.has(name));
  if (codings.length === 0) return body;
  const decoder = codings.length === 1 ? await decoderOf(codings[0]!, body, signal) : null;
  if (decoder === null) return null;
  body.on('error', (error) => decoder.destroy(error));
  decoder.on('close', () => body.destroy());
  return body.pipe(decoder);
}

async function decoderOf(coding: string, body: Readable, signal: AbortSignal) {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return (await hasZlibHeader(body, signal)) ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    default:
      return null;
  }
}

/** Looks at the first byte of a deflated body. Some servers send it without the header of zlib, and browsers read it. */
async function hasZlibHeader(body: Readable, signal: AbortSignal): Promise<boolean> {
  await once(body, 'readable', { signal });
  const first: Buffer | null = body.read(1);
  if (first === null) return true;
  body.unshift(first);
  // RFC 1950, section 2.2: the lower half of the first byte is the method, and 8 is the only one.
  return (first[0]! & 0x0f) === 8;
}
