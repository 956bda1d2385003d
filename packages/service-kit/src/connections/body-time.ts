import type { IncomingMessage, Server } from 'node:http';
import { announcesBody } from './announces-body.ts';
import { Lag } from './least-speed.ts';

/** How long the client of a request may take for a large body: 64 MiB at 1.8 Mbit/s. */
const SLOW_BODY_MAX_MS = 300_000;

const CHECK_EVERY_MS = 250;

const slowBodies = new WeakMap<IncomingMessage, () => void>();

/**
 * Bounds the time that a request may take to arrive, from its headers to the end of its body. A request that takes longer
 * is treated as one that Node could not read. Node's own bound is the same for all paths.
 */
export function boundBodyTime(server: Server, maxMs: number): void {
  server.requestTimeout = 0;
  server.on('request', (request: IncomingMessage) => {
    const { headers, socket } = request;
    if (!announcesBody(headers)) return;
    const expire = () => {
      if (request.complete || socket.destroyed) return;
      server.emit('clientError', Object.assign(new Error('Request timeout'), { code: TIMEOUT_CODE }), socket);
    };
    let timer = setTimeout(expire, maxMs);
    let stopChecks = () => {};
    const stop = () => {
      clearTimeout(timer);
      stopChecks();
    };
    slowBodies.set(request, () => {
      stop();
      timer = setTimeout(expire, SLOW_BODY_MAX_MS);
      stopChecks = onTooSlow(request, expire);
    });
    request.once('end', stop).once('close', stop);
  });
}

/** Calls back if a body arrives below the least speed. Returns a function that stops the checks. */
function onTooSlow(request: IncomingMessage, callback: () => void): () => void {
  const { socket } = request;
  const lag = new Lag();
  let [checkedMs, bytesRead] = [performance.now(), socket.bytesRead];
  const timer = setInterval(() => {
    const now = performance.now();
    // What nobody has read yet stops the client.
    if (request.readableLength === 0) lag.add(now - checkedMs, socket.bytesRead - bytesRead);
    [checkedMs, bytesRead] = [now, socket.bytesRead];
    if (lag.isTooLongForSending()) callback();
  }, CHECK_EVERY_MS);
  return () => clearInterval(timer);
}

/** The code of Node's own error. */
const TIMEOUT_CODE = 'ERR_HTTP_REQUEST_TIMEOUT';

/**
 * Allows a request more time for its body, because that may be large: five minutes, if the client sends at least 4 KiB a
 * second after the first ten.
 */
export function allowSlowBody(request: IncomingMessage): void {
  slowBodies.get(request)?.();
  // Once it has arrived, its response may take long, too.
  request.socket.setTimeout(SLOW_BODY_MAX_MS);
}
