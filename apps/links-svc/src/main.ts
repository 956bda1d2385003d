import { analyticsV1, createGrpcClient } from '@waymark/proto';
import { grpcClientTls, notReadyLog, requireFolder, runService } from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { openClickSpool } from './clicks/click-spool.ts';
import { readConfig } from './config.ts';
import { Database } from './database/database.ts';
import { createPoolMetrics } from './database/pool-metrics.ts';

await runService('links-svc', readConfig, async ({ config, logger, metrics, onShutdown }) => {
  requireFolder('SPOOL_DIR', config.SPOOL_DIR);
  const spool = openClickSpool(config.SPOOL_DIR, {
    maxBytes: config.SPOOL_MAX_BYTES,
    logger,
    registry: metrics.registry,
  });
  onShutdown('databases', () => spool.close());
  const database = new Database({
    url: config.MONGODB_URL,
    database: config.MONGODB_DATABASE,
    onClient: createPoolMetrics(metrics.registry),
    onPreparing: notReadyLog(logger, 'MongoDB'),
  });
  onShutdown('databases', () => database.close());
  const analytics = createGrpcClient(analyticsV1.AnalyticsService, {
    address: config.ANALYTICS_GRPC,
    ...grpcClientTls(config),
  });
  onShutdown('clients', () => analytics.close());

  const signingKeys = { current: config.SIGNING_KEY, previous: config.SIGNING_KEY_PREVIOUS };
  const { app, grpc, health, startJobs } = buildApp(config, {
    logger,
    metrics,
    signingKeys,
    database,
    spool,
    analytics,
  });
  onShutdown('not-ready', () => health.setNotReady());
  onShutdown('servers', () => app.close());
  onShutdown('servers', (deadlineMs) => grpc.close(deadlineMs));
  const jobs = startJobs();
  onShutdown('flush', (deadlineMs) => jobs.close(deadlineMs));
  const grpcPort = await grpc.listen(config.HOST, config.GRPC_PORT);
  await app.listen({ host: config.HOST, port: config.HTTP_PORT });
  logger.info({ address: app.addresses()[0], grpc_port: grpcPort }, 'listening');
});
