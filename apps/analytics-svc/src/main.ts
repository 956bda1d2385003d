import { runService } from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

/** After this time the process listens even if it is not ready, to report that it is alive and what is wrong. */
const PREPARED_WITHIN_MS = 5_000;

await runService('analytics-svc', readConfig, async ({ config, logger, metrics, onShutdown }) => {
  const { http, rpc, health, prepared, close } = buildApp(config, { logger, metrics });
  onShutdown('not-ready', () => health.setNotReady());
  onShutdown('servers', () => http.close());
  onShutdown('servers', (deadlineMs) => rpc.close(deadlineMs));
  onShutdown('databases', close);
  // Clients that balance over replicas use every replica that listens. So a new one listens only when it can respond.
  await prepared(PREPARED_WITHIN_MS);
  const grpcPort = await rpc.listen(config.HOST, config.GRPC_PORT);
  await http.listen({ host: config.HOST, port: config.HTTP_PORT });
  logger.info({ address: http.addresses()[0], grpc_port: grpcPort }, 'listening');
});
