import { createGrpcClient, linksV1 } from '@waymark/proto';
import { defineService, grpcClientTls, serveApp } from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { openDatabase } from './database/database.ts';
import { observeDatabase } from './database/database-metrics.ts';
import { prepareDatabase } from './database/prepare.ts';

/** After this time the process answers HTTP even if it is not ready, to report that it is alive and what is wrong. */
const PREPARED_WITHIN_MS = 5_000;

export const analyticsSvc = defineService('analytics-svc', readConfig, async (service) => {
  const { config, logger, metrics, onShutdown } = service;
  const links = createGrpcClient(linksV1.LinksService, { address: config.LINKS_GRPC, ...grpcClientTls(config) });
  onShutdown('clients', () => links.close());
  const database = observeDatabase(openDatabase(config), metrics.registry);
  const preparation = prepareDatabase(database, config.CLICKHOUSE_CLUSTER, logger);
  onShutdown('databases', async () => {
    await preparation.close();
    await database.close();
  });
  const app = buildApp(config, { logger, metrics, database, preparation, links });
  await preparation.settled(PREPARED_WITHIN_MS);
  await serveApp(app, service, preparation.ready);
});
