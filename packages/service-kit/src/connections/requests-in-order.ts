import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** The most requests of one connection that may wait. Clients that use pipelining send few. */
const WAITING_MAX = 64;

/**
 * Returns a listener that serves the requests of a connection one after another. Each waits until the response before
 * it is sent. Node would serve all of them at once, and hold the responses that the client does not read. Calls `cut`
 * for a connection on which too many requests wait.
 */
export function inOrder(serve: RequestListener, cut: (socket: Socket) => void): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const count = (socket: Socket, change: number) => {
    const now = (waiting.get(socket) ?? 0) + change;
    waiting.set(socket, now);
    return now;
  };
  const wait: RequestListener = (request, response) => {
    const { socket } = request;
    if (count(socket, 1) > WAITING_MAX) return cut(socket);
    response.once('socket', () => {
      count(socket, -1);
      serve(request, response);
    });
  };
  return (request, response) => {
    // After a cut, Node still emits the requests in the bytes that it has already read.
    if (request.socket.destroyed) return;
    // Node assigns the socket to a response when the one before it is sent.
    if (response.socket !== null) serve(request, response);
    else wait(request, response);
  };
}
