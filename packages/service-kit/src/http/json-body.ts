import { AppError } from '@waymark/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { announcesBody } from '../connections/announces-body.ts';

const WRONG_TYPE_MESSAGE = 'Send the body as JSON, with the header "Content-Type: application/json".';

/**
 * Makes the app accept JSON bodies only. The error is `invalid`, with a message on what to send, if a body is malformed,
 * not UTF-8, of another content type, or has a field such as `__proto__`. An empty body counts as no body, whatever its
 * content type: many clients send the header with every request. The body of a DELETE and of an unknown path is ignored.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parseText = app.getDefaultJsonParser('error', 'error');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (isIgnored(request) || body.length === 0) return done(null, undefined);
    let text: string;
    try {
      text = decoder.decode(body);
    } catch (cause) {
      return done(new AppError('invalid', 'The body is not UTF-8; send JSON in UTF-8.', { cause }));
    }
    return parseText(request, text, (error, value) => (error === null ? done(null, value) : done(malformed(text))));
  });
  app.addContentTypeParser('*', (request, payload, done) => {
    if (!isIgnored(request) && announcesBody(request.headers)) return done(new AppError('invalid', WRONG_TYPE_MESSAGE));
    payload.resume();
    return done(null, undefined);
  });
}

const COMPRESSED_MESSAGE = 'The body is compressed; send it uncompressed, without "Content-Encoding".';

/** Refuses a compressed body, of any content type, before it is parsed. */
export function refuseCompressedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { headers } = request;
    const coding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
    if (coding === 'identity' || isIgnored(request) || !announcesBody(headers)) return done(null, payload);
    return done(new AppError('invalid', COMPRESSED_MESSAGE));
  });
}

export { WRONG_TYPE_MESSAGE };

function isIgnored({ method, is404 }: FastifyRequest): boolean {
  return ['GET', 'HEAD', 'DELETE'].includes(method) || is404;
}

/** Returns the error for a text that the JSON parser rejected. */
function malformed(text: string): AppError {
  try {
    JSON.parse(text);
  } catch (cause) {
    return new AppError('invalid', 'The body is not valid JSON; check its quotes, commas and brackets.', { cause });
  }
  return new AppError('invalid', 'The body has a field with a forbidden name ("__proto__" or "constructor").');
}
