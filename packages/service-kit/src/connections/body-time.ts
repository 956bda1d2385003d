import type { IncomingMessage, Server } from 'node:http';
import { announcesBody } from './announces-body.ts';

/** How long the client of a request may take for a large body: 64 MiB at 1.8 Mbit/s. */
const SLOW_BODY_MAX_MS = 300_000;

const expiries = new WeakMap<IncomingMessage, (maxMs: number) => void>();

/**
 * Bounds the time that a request may take to arrive, from its headers to the end of its body. A request that takes longer
 * is treated as one that Node could not read. Node's own bound is the same for all paths.
 */
export function boundBodyTime(server: Server, maxMs: number): void {
  server.requestTimeout = 0;
  server.on('request', (request: IncomingMessage) => {
    const { headers, socket } = request;
    if (!announcesBody(headers)) return;
    let timer: NodeJS.Timeout | undefined;
    const expireAfter = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (request.complete || socket.destroyed) return;
        server.emit('clientError', Object.assign(new Error('Request timeout'), { code: TIMEOUT_CODE }), socket);
      }, ms);
    };
    expireAfter(maxMs);
    expiries.set(request, expireAfter);
    request.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  });
}

/** The code of Node's own error. */
const TIMEOUT_CODE = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Allows a request more time for its body, because that may be large. */
export function allowSlowBody(request: IncomingMessage): void {
  expiries.get(request)?.(SLOW_BODY_MAX_MS);
  // Once it has arrived, its response may take long, too.
  request.socket.setTimeout(SLOW_BODY_MAX_MS);
}
