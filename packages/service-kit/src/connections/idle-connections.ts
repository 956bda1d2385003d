import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Each response of the connection calls the same listener when it closes. */
interface Connection {
  onClose(this: ServerResponse): void;
  /** The newest response, until it has left completely. Those before it leave first. */
  response: ServerResponse | null;
  /** The bytes that had arrived when the last response left, or null before the first one. */
  bytesRead: number | null;
}

/**
 * Replaces `server.closeIdleConnections`, which Fastify and Node call while the server closes. Node's own cuts responses
 * that have not left completely, and spares connections that never send a request. This one closes idle connections
 * only, after what has arrived on them is read. After `patienceMs` it also closes those that send no complete request or
 * do not read their response, but never one whose request is being served.
 */
export function closeIdleConnectionsOnly(server: Server, patienceMs: number): void {
  const connections = new Map<Socket, Connection>();
  let closingSince: number | undefined;
  server.on('connection', (socket: Socket) => {
    const connection: Connection = {
      response: null,
      bytesRead: null,
      onClose() {
        if (connection.response === this) connection.response = null;
        connection.bytesRead = socket.bytesRead;
      },
    };
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.response = response;
    response.on('close', connection.onClose);
  });
  const closeIdle = () => {
    const now = performance.now();
    closingSince ??= now;
    const isLate = now - closingSince >= patienceMs;
    for (const [socket, { response, bytesRead }] of connections) {
      const isServing = response !== null && !response.writableEnded;
      const isIdle = response === null && bytesRead === socket.bytesRead;
      if (isIdle || (isLate && !isServing)) socket.destroy();
    }
  };
  // Between two turns of the event loop, Node reads what has arrived.
  server.closeIdleConnections = () => setImmediate(() => setImmediate(closeIdle));
}
