import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** The responses that have not left completely. */
  responses: Set<ServerResponse>;
  /** The bytes that had arrived when the last response left, or null before the first one. */
  bytesRead: number | null;
}

/**
 * Replaces `server.closeIdleConnections`, which Fastify and Node call while the server closes. Node's own cuts responses
 * that have not left completely, and spares connections that never send a request. This one closes idle connections
 * only. After `patienceMs` it also closes those that send no complete request or do not read their response, but
 * never one whose request is being served.
 */
export function closeIdleConnectionsOnly(server: Server, patienceMs: number): void {
  const connections = new Map<Socket, Connection>();
  let closingSince: number | undefined;
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { responses: new Set(), bytesRead: null });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket);
    connection?.responses.add(response);
    response.once('close', () => {
      connection?.responses.delete(response);
      if (connection !== undefined) connection.bytesRead = socket.bytesRead;
    });
  });
  server.closeIdleConnections = () => {
    const now = performance.now();
    closingSince ??= now;
    const isLate = now - closingSince >= patienceMs;
    for (const [socket, { responses, bytesRead }] of connections) {
      const isServing = [...responses].some((response) => !response.writableEnded);
      const isIdle = responses.size === 0 && bytesRead === socket.bytesRead;
      if (isIdle || (isLate && !isServing)) socket.destroy();
    }
  };
}
