import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait; clients that send the next one before its turn send few. */
const WAITING_MAX = 64;

/**
 * Returns a listener that serves the requests of a connection one after another: each when the response ahead of it has
 * left. Node would serve all that a client has sent at once, and hold the responses that the client does not read. A
 * connection on which too many wait is given to `cut`.
 */
export function inOrder(serve: RequestListener, cut: (socket: Socket) => void): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const count = (socket: Socket, change: number) => {
    const now = (waiting.get(socket) ?? 0) + change;
    waiting.set(socket, now);
    return now;
  };
  return (request, response) => {
    const { socket } = request;
    // What came together with the requests that it was cut for.
    if (socket.destroyed) return;
    // Node gives a response its socket when the one ahead has left.
    if (response.socket !== null) return serve(request, response);
    if (count(socket, 1) > WAITING_MAX) return cut(socket);
    response.once('socket', () => {
      count(socket, -1);
      serve(request, response);
    });
  };
}
