import { createLogger, createMetrics, runService, startMetricsServer, startTracing } from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

/** After this time the process listens all the same, to say that it is alive and what is wrong. */
const PREPARED_WITHIN_MS = 5_000;

await runService('analytics-svc', async (lifecycle) => {
  const config = readConfig();
  const logger = createLogger({ service: 'analytics-svc', level: config.LOG_LEVEL });
  lifecycle.configure({
    logger,
    shutdownDelayMs: config.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: config.SHUTDOWN_TIMEOUT_MS,
  });
  const tracing = await startTracing('analytics-svc', config.OTEL_EXPORTER_OTLP_ENDPOINT, logger);
  lifecycle.onShutdown('databases', () => tracing.close());
  const metrics = createMetrics('analytics-svc');
  const { http, rpc, health, prepared, close } = buildApp(config, { logger, metrics });
  lifecycle.onShutdown('not-ready', () => health.setNotReady());
  lifecycle.onShutdown('servers', () => http.close());
  lifecycle.onShutdown('servers', (deadlineMs) => rpc.close(deadlineMs));
  lifecycle.onShutdown('databases', close);
  if (config.METRICS_PORT > 0) {
    const server = await startMetricsServer(metrics.registry, { host: config.HOST, port: config.METRICS_PORT });
    lifecycle.onShutdown('clients', () => server.close());
  }
  // A replica that listens is asked by all that go round addresses: not before it can answer, while others can.
  await prepared(PREPARED_WITHIN_MS);
  const grpcPort = await rpc.listen(config.HOST, config.GRPC_PORT);
  await http.listen({ host: config.HOST, port: config.HTTP_PORT });
  logger.info({ http: http.addresses()[0], grpc_port: grpcPort }, 'listening');
});
