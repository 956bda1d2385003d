import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import type { FastifyServerFactory } from 'fastify';
import type { Registry } from 'prom-client';
import { boundBodyTime } from './body-time.ts';
import { closeIdleConnectionsOnly } from './idle-connections.ts';
import { inOrder } from './requests-in-order.ts';
import { limitUnreadResponses } from './unread-responses.ts';

/** A listener that serves a request itself, or calls `next` to pass it to Fastify's routes. */
export type Interceptor = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

export interface HttpServerOptions {
  /** Receives each request before Fastify. */
  intercept?: Interceptor | undefined;
  /** The registry for the metrics of connections. */
  registry?: Registry | undefined;
  keepAliveTimeoutMs: number;
  requestTimeoutMs: number;
}

/**
 * Returns the factory of the server that Fastify listens with. The server limits unread responses, serves the
 * requests of a connection one after another, and closes without cutting responses.
 */
export function httpServerFactory(options: HttpServerOptions): FastifyServerFactory {
  const { intercept, registry, keepAliveTimeoutMs, requestTimeoutMs } = options;
  return (fastify, fastifyOptions) => {
    const server = createServer(fastifyOptions.http as ServerOptions);
    server.keepAliveTimeout = keepAliveTimeoutMs;
    boundBodyTime(server, requestTimeoutMs);
    const serve =
      intercept === undefined
        ? fastify
        : (request: IncomingMessage, response: ServerResponse) =>
            intercept(request, response, () => fastify(request, response));
    closeIdleConnectionsOnly(server, requestTimeoutMs);
    const { cut } = limitUnreadResponses(server, registry);
    server.on(
      'request',
      inOrder(serve, (socket) => cut(socket, 'pipelined')),
    );
    return server;
  };
}
