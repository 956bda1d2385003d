import { accountsV1, createGrpcClient } from '@waymark/proto';
import {
  createLogger,
  createMetrics,
  grpcClientTls,
  runService,
  startMetricsServer,
  startTracing,
} from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

await runService('gateway', async (lifecycle) => {
  const config = readConfig();
  const logger = createLogger({ service: 'gateway', level: config.LOG_LEVEL });
  lifecycle.configure({
    logger,
    shutdownDelayMs: config.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: config.SHUTDOWN_TIMEOUT_MS,
  });
  const tracing = await startTracing('gateway', config.OTEL_EXPORTER_OTLP_ENDPOINT, logger);
  lifecycle.onShutdown('databases', () => tracing.close());
  const { registry } = createMetrics('gateway');
  const accounts = createGrpcClient(accountsV1.AccountsService, {
    address: config.LINKS_GRPC,
    ...grpcClientTls(config),
  });
  lifecycle.onShutdown('clients', () => accounts.close());
  const signingKeys = { current: config.SIGNING_KEY, previous: config.SIGNING_KEY_PREVIOUS };
  const { app, health } = buildApp(config, { logger, registry, signingKeys, accounts });
  lifecycle.onShutdown('not-ready', () => health.setNotReady());
  lifecycle.onShutdown('servers', () => app.close());
  if (config.METRICS_PORT > 0) {
    const metrics = await startMetricsServer(registry, { host: config.GATEWAY_HOST, port: config.METRICS_PORT });
    lifecycle.onShutdown('clients', () => metrics.close());
  }
  await app.listen({ host: config.GATEWAY_HOST, port: config.GATEWAY_PORT });
  logger.info({ address: app.addresses()[0] }, 'listening');
});
