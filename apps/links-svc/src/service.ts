import { analyticsV1, createGrpcClient } from '@waymark/proto';
import { defineService, grpcClientTls, notReadyLog, requireFolder, serveApp } from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { openClickSpool } from './clicks/click-spool.ts';
import { readConfig } from './config.ts';
import { Database } from './database/database.ts';
import { createPoolMetrics } from './database/pool-metrics.ts';
import { readBrands } from './pages/brands.ts';
import { CountryDatabase } from './visitors/country-database.ts';

export const linksSvc = defineService('links-svc', readConfig, async (service) => {
  const { config, logger, metrics, onShutdown } = service;
  requireFolder('SPOOL_DIR', config.SPOOL_DIR);
  const countries = new CountryDatabase(config.GEOIP_DATABASE, logger);
  const brands = readBrands(config);
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
    onKillRefused: (err) =>
      logger.warn({ err }, 'MongoDB refused "killSessions": it ends what got no response by its own limits'),
  });
  onShutdown('databases', () => database.close());
  const analytics = createGrpcClient(analyticsV1.AnalyticsService, {
    address: config.ANALYTICS_GRPC,
    ...grpcClientTls(config),
  });
  onShutdown('clients', () => analytics.close());
  const app = buildApp(config, { logger, metrics, database, spool, countries, brands, analytics });
  await serveApp(app, service, database.whenPrepared());
});
