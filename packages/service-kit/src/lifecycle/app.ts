import type { GrpcServer } from '@waymark/proto';
import type { FastifyInstance } from 'fastify';
import type { Health } from '../health/health.ts';
import type { Addresses } from './listen.ts';
import type { ServiceContext } from './run-service.ts';

/** A service as its `buildApp` returns it: production and tests run the same one. It does not listen yet. */
export interface App {
  http: FastifyInstance;
  /** The gRPC server, if the service has one. */
  rpc?: GrpcServer;
  health: Health;
  /**
   * Ends the background jobs, flushes within `deadlineMs`, and closes what `buildApp` opened. Call it after both servers
   * are closed. The caller of `buildApp` closes the dependencies that it passed.
   */
  close(deadlineMs: number): Promise<void>;
}

/** Where an app listens. An app with a gRPC server needs its port, too. */
export type AppAddresses = Addresses & { HTTP_PORT: number };

/**
 * How many connections wait for a busy process. Node's 511 are fewer than come in one instant, and those beyond are tried
 * again by their clients' systems only after seconds. The system may have a lower limit (`net.core.somaxconn`).
 */
const BACKLOG = 4_096;

/**
 * Registers the steps of the app's shutdown, then makes the app listen. Rejects if it cannot listen.
 *
 * @param rpcReady resolves when gRPC calls can be answered. The gRPC server listens only then, because clients that
 *   balance over replicas use every one that listens. HTTP does not wait for it.
 */
export async function serveApp(
  { http, rpc, health, close }: App,
  { config, logger, onShutdown }: Pick<ServiceContext<AppAddresses>, 'config' | 'logger' | 'onShutdown'>,
  rpcReady?: Promise<void>,
): Promise<void> {
  onShutdown('not-ready', () => health.setNotReady());
  onShutdown('servers', () => http.close());
  if (rpc !== undefined) onShutdown('servers', (deadlineMs) => rpc.close(deadlineMs));
  onShutdown('flush', close);
  await http.listen({ host: config.HOST, port: config.HTTP_PORT, backlog: BACKLOG });
  logger.info({ address: http.addresses()[0] }, 'listening');
  if (rpc === undefined) return;

  async function listenForCalls(server: GrpcServer): Promise<void> {
    await rpcReady;
    if (health.isStopping) return;
    const port = await server.listen(config.HOST, config.GRPC_PORT ?? 0);
    logger.info({ grpc_port: port }, 'listening for gRPC calls');
  }
  const listening = listenForCalls(rpc);
  if (rpcReady === undefined) await listening;
}
