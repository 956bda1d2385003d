import { analyticsV1, createGrpcClient } from '@waymark/proto';
import {
  createLogger,
  createMetrics,
  grpcClientTls,
  runService,
  startMetricsServer,
  startTracing,
} from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { openClickSpool } from './clicks/click-spool.ts';
import { readConfig } from './config.ts';
import { Database } from './database/database.ts';
import { createPoolMetrics } from './database/pool-metrics.ts';

await runService('links-svc', async (lifecycle) => {
  const config = readConfig();
  const logger = createLogger({ service: 'links-svc', level: config.LOG_LEVEL });
  lifecycle.configure({
    logger,
    shutdownDelayMs: config.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: config.SHUTDOWN_TIMEOUT_MS,
  });
  const tracing = await startTracing('links-svc', config.OTEL_EXPORTER_OTLP_ENDPOINT, logger);
  lifecycle.onShutdown('databases', () => tracing.close());
  const metrics = createMetrics('links-svc');
  const spool = openClickSpool(config.SPOOL_DIR, {
    maxBytes: config.SPOOL_MAX_BYTES,
    logger,
    registry: metrics.registry,
  });
  lifecycle.onShutdown('databases', () => spool.close());
  const database = new Database({
    url: config.MONGODB_URL,
    database: config.MONGODB_DATABASE,
    onClient: createPoolMetrics(metrics.registry),
    onPreparing: (err) => logger.warn({ err }, 'MongoDB is not ready; trying again'),
  });
  lifecycle.onShutdown('databases', () => database.close());
  const analytics = createGrpcClient(analyticsV1.AnalyticsService, {
    address: config.ANALYTICS_GRPC,
    ...grpcClientTls(config),
  });
  lifecycle.onShutdown('clients', () => analytics.close());

  const signingKeys = { current: config.SIGNING_KEY, previous: config.SIGNING_KEY_PREVIOUS };
  const { app, grpc, health, startJobs } = buildApp(config, {
    logger,
    metrics,
    signingKeys,
    database,
    spool,
    analytics,
  });
  lifecycle.onShutdown('not-ready', () => health.setNotReady());
  lifecycle.onShutdown('servers', () => app.close());
  lifecycle.onShutdown('servers', (deadlineMs) => grpc.close(deadlineMs));
  const jobs = startJobs();
  lifecycle.onShutdown('flush', (deadlineMs) => jobs.close(deadlineMs));
  if (config.METRICS_PORT > 0) {
    const server = await startMetricsServer(metrics.registry, { host: config.HOST, port: config.METRICS_PORT });
    lifecycle.onShutdown('clients', () => server.close());
  }
  const grpcPort = await grpc.listen(config.HOST, config.GRPC_PORT);
  await app.listen({ host: config.HOST, port: config.HTTP_PORT });
  logger.info({ address: app.addresses()[0], grpc_port: grpcPort }, 'listening');
});
