import { createLogger, createMetrics, runService, startMetricsServer } from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

await runService('analytics-svc', async (lifecycle) => {
  const config = readConfig();
  const logger = createLogger({ service: 'analytics-svc', level: config.LOG_LEVEL });
  lifecycle.configure({
    logger,
    shutdownDelayMs: config.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: config.SHUTDOWN_TIMEOUT_MS,
  });
  const metrics = createMetrics('analytics-svc');
  const { http, rpc, health, close } = buildApp(config, { logger, metrics });
  lifecycle.onShutdown('not-ready', () => health.setNotReady());
  lifecycle.onShutdown('servers', () => http.close());
  lifecycle.onShutdown('servers', (deadlineMs) => rpc.close(deadlineMs));
  lifecycle.onShutdown('databases', close);
  if (config.METRICS_PORT > 0) {
    const server = await startMetricsServer(metrics.registry, { host: config.HOST, port: config.METRICS_PORT });
    lifecycle.onShutdown('clients', () => server.close());
  }
  const grpcPort = await rpc.listen(config.HOST, config.GRPC_PORT);
  await http.listen({ host: config.HOST, port: config.HTTP_PORT });
  logger.info({ http: http.addresses()[0], grpc_port: grpcPort }, 'listening');
});
