import { createLogger, createMetrics, runService, startMetricsServer, startTracing } from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { createSisters } from './sisters.ts';

await runService('mcp-svc', async (lifecycle) => {
  const config = readConfig();
  const logger = createLogger({ service: 'mcp-svc', level: config.LOG_LEVEL });
  lifecycle.configure({
    logger,
    shutdownDelayMs: config.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: config.SHUTDOWN_TIMEOUT_MS,
  });
  const tracing = await startTracing('mcp-svc', config.OTEL_EXPORTER_OTLP_ENDPOINT, logger);
  lifecycle.onShutdown('databases', () => tracing.close());
  const metrics = createMetrics('mcp-svc');
  const sisters = createSisters(config);
  lifecycle.onShutdown('clients', () => sisters.close());
  const { app, health } = await buildApp(config, { logger, metrics, sisters });
  lifecycle.onShutdown('not-ready', () => health.setNotReady());
  lifecycle.onShutdown('servers', () => app.close());
  if (config.METRICS_PORT !== 0) {
    const server = await startMetricsServer(metrics.registry, { host: config.HOST, port: config.METRICS_PORT });
    lifecycle.onShutdown('clients', () => server.close());
  }
  await app.listen({ host: config.HOST, port: config.HTTP_PORT });
});
