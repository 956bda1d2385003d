import { callAuthenticator, createVerifier, identityPlugin } from '@waymark/auth';
import { analyticsV1, createGrpcClient, createGrpcServer, type GrpcServer, healthV1, linksV1 } from '@waymark/proto';
import {
  checkQueryParameters,
  createHttpApp,
  grpcClientTls,
  grpcServerTls,
  type Health,
  healthRoutes,
  healthService,
  type Logger,
  type Metrics,
  rpcHooks,
} from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import { analyticsRoutes } from './analytics/analytics.routes.ts';
import { createAnalyticsService } from './analytics/analytics.service.ts';
import { createAnalyticsStore } from './analytics/analytics.store.ts';
import { createHiddenLinks } from './analytics/hidden-links.ts';
import { createShownLinks } from './analytics/shown-links.ts';
import { analyticsServiceRpc } from './analytics-service.rpc.ts';
import { createClicksService } from './clicks/clicks.service.ts';
import { createClicksStore } from './clicks/clicks.store.ts';
import { createSourceOf } from './clicks/source.ts';
import type { Config } from './config.ts';
import { openDatabase } from './database/database.ts';
import { observeDatabase } from './database/database-metrics.ts';
import { prepareDatabase } from './database/prepare.ts';
import { checkRequirements } from './database/requirements.ts';
import { createHiddenSetsStore } from './hidden-sets/hidden-sets.store.ts';
import { createHiddenSets } from './hidden-sets/hidden-sets.ts';
import { createPurgeStore } from './purge/purge.store.ts';
import { createTotalsStore } from './totals/totals.store.ts';

export interface App {
  http: FastifyInstance;
  rpc: GrpcServer;
  health: Health;
  /** Resolves when the database is prepared, or after `timeoutMs`. */
  prepared(timeoutMs: number): Promise<void>;
  /** Closes the connections to links-svc and ClickHouse. Call it after both servers are closed. */
  close(): Promise<void>;
}

/** Builds the service, which does not listen yet. Production and tests use this same function. */
export function buildApp(config: Config, { logger, metrics }: { logger: Logger; metrics: Metrics }): App {
  const verifier = createVerifier({ current: config.SIGNING_KEY, previous: config.SIGNING_KEY_PREVIOUS });
  const database = observeDatabase(openDatabase(config), metrics.registry);
  const preparation = prepareDatabase(database, config.CLICK_RETENTION_DAYS, logger);
  const links = createGrpcClient(linksV1.LinksService, { address: config.LINKS_GRPC, ...grpcClientTls(config) });

  const hiddenSets = createHiddenSets(createHiddenSetsStore(database), logger);
  const analytics = createAnalyticsService({
    store: createAnalyticsStore({ database, hiddenSets }),
    hiddenLinks: createHiddenLinks(links),
    shownLinks: createShownLinks(links),
  });
  const clicks = createClicksService({
    store: createClicksStore(database),
    sourceOf: createSourceOf(new URL(config.PUBLIC_URL).hostname),
    registry: metrics.registry,
  });

  const http = createHttpApp({ logger, registry: metrics.registry });
  http.register(identityPlugin, { verifier });
  http.register(async (api) => {
    checkQueryParameters(api);
    api.addHook('preHandler', async () => preparation.requireReady());
    analyticsRoutes(api, analytics);
  });
  const health = healthRoutes(http, {
    clickhouse: async () => {
      await checkRequirements(database);
      preparation.requireReady();
    },
  });

  const rpc = createGrpcServer(grpcServerTls(config));
  rpc.addService(
    analyticsV1.AnalyticsService,
    { authenticate: callAuthenticator(verifier), ...rpcHooks({ logger, metrics }) },
    analyticsServiceRpc({
      analytics,
      clicks,
      totals: createTotalsStore(database),
      purge: createPurgeStore(database),
      requireReady: preparation.requireReady,
    }),
  );
  rpc.addService(healthV1.Health, { authenticate: () => null }, healthService(health));

  return {
    http,
    rpc,
    health,
    prepared: preparation.settled,
    async close() {
      links.close();
      await hiddenSets.close();
      await preparation.close();
      await database.close();
    },
  };
}
