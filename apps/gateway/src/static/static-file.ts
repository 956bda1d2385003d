import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The compressed forms that a file can have, the preferred one first. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A file in memory, which all requests share. */
export interface StaticFile {
  type: string;
  content: Buffer;
  compressed: Partial<Record<Encoding, Buffer>>;
  /** Weak, because the compressed forms share it. */
  etag: string;
}

export function staticFile(type: string, content: Buffer, compressed: StaticFile['compressed'] = {}): StaticFile {
  const etag = `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return { type: `${type}; charset=utf-8`, content, compressed, etag };
}

/** Returns a function that loads on its first call and shares the result among all calls. A failure is not kept. */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** Sends a file in the form that the client prefers, or 304 if the client has it. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
  headers: Record<string, string>,
): FastifyReply {
  reply.headers({ 'x-content-type-options': 'nosniff', vary: 'Accept-Encoding', etag: file.etag, ...headers });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  reply.type(file.type);
  const encoding = ENCODINGS.find((one) => file.compressed[one] && acceptsEncoding(request.headers, one));
  if (encoding === undefined) return reply.send(file.content);
  return reply.header('content-encoding', encoding).send(file.compressed[encoding]);
}

/** Returns true if `Accept-Encoding` lists the encoding, and not with the weight 0. */
export function acceptsEncoding(headers: IncomingHttpHeaders, encoding: Encoding): boolean {
  const list = String(headers['accept-encoding'] ?? '').split(',');
  return list.some((item) => {
    const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
