import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requireService } from '@waymark/auth';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { VISITS_PATH, VISITS_PROTOCOL } from '@waymark/proto';
import type { FastifyInstance } from 'fastify';
import type { Leading } from './lead-visitor.ts';
import { VisitConnection } from './visit-connection.ts';
import type { ObserveVisits } from './visit-metrics.ts';

/** How long a gateway may take to end a connection that it was asked to end. */
const END_WITHIN_MS = 2_000;

/** True for a request that is to become a connection for visits (`visits.ts` of the package proto). */
export function wantsVisits({ url, headers }: IncomingMessage): boolean {
  return url === VISITS_PATH && headers.upgrade === VISITS_PROTOCOL;
}

/**
 * The gateway's door for visitors: many visits at once, on a connection of their own. The request that begins one passes all
 * hooks, so that it is refused as any other. An app that stops lets the gateways end their connections.
 */
export function visitsRoutes(app: FastifyInstance, leading: Leading, observe: ObserveVisits): void {
  const connections = new Set<VisitConnection>();
  /** The requests whose sockets HTTP has let go of. */
  const upgrades = new WeakSet<IncomingMessage>();
  app.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // From here on the server no longer looks after the socket.
    socket.on('error', () => socket.destroy());
    if (head.length > 0) socket.unshift(head);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    // After a refusal; a connection is no response.
    response.on('finish', () => socket.destroySoon());
    upgrades.add(request);
    app.routing(request, response);
  });
  app.get(VISITS_PATH, { config: { quiet: true } }, (request, reply) => {
    requireService(request.identity, 'gateway');
    if (!upgrades.has(request.raw)) return reply.callNotFound();
    if (app.isDraining()) throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
    const { socket } = request.raw;
    reply.hijack();
    reply.raw.detachSocket(socket);
    if (socket.destroyed) return reply;
    const isDraining = () => app.isDraining();
    const connection = new VisitConnection(socket, { leading, observe, isDraining, log: app.log });
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
    return reply;
  });
  app.addHook('preClose', async () => {
    for (const connection of connections) connection.askToEnd();
    const ending = setTimeout(() => {
      for (const connection of connections) connection.destroy();
    }, END_WITHIN_MS);
    app.server.once('close', () => clearTimeout(ending));
  });
}
