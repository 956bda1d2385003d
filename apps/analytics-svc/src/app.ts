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
  startPeriodicTask,
} from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import { analyticsRoutes } from './analytics/analytics.routes.ts';
import { createAnalyticsService } from './analytics/analytics.service.ts';
import { createAnalyticsStore } from './analytics/analytics.store.ts';
import { createHiddenLinks } from './analytics/hidden-links.ts';
import { createLinksWithHashtag } from './analytics/links-with-hashtag.ts';
import { createShownLinks } from './analytics/shown-links.ts';
import { analyticsServiceRpc } from './analytics-service.rpc.ts';
import { createClicksService } from './clicks/clicks.service.ts';
import { createClicksStore } from './clicks/clicks.store.ts';
import { createOriginOf } from './clicks/origin.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from './database/database.ts';
import { observeDatabase } from './database/database-metrics.ts';
import { type Preparation, prepareDatabase } from './database/prepare.ts';
import { checkRequirements } from './database/requirements.ts';
import { removeOldClicks } from './database/retention.ts';
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
  const preparation = prepareDatabase(database, config.CLICKHOUSE_CLUSTER, logger);
  const retention = startRetention(config.CLICK_RETENTION_DAYS, database, preparation, logger);
  const links = createGrpcClient(linksV1.LinksService, { address: config.LINKS_GRPC, ...grpcClientTls(config) });

  const analytics = createAnalyticsService({
    store: createAnalyticsStore(database),
    hiddenLinks: createHiddenLinks(links),
    linksWithHashtag: createLinksWithHashtag(links),
    shownLinks: createShownLinks(links),
  });
  const clicks = createClicksService({
    store: createClicksStore({ database, topology: preparation.topology }),
    originOf: createOriginOf(new URL(config.PUBLIC_URL).hostname),
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
      purge: createPurgeStore({ database, topology: preparation.topology }),
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
      await retention?.close();
      await preparation.close();
      await database.close();
    },
  };
}

const RETENTION_EVERY_MS = 600_000;

/** Removes old clicks again and again, or nothing if they are kept for ever. */
function startRetention(days: number | undefined, database: Database, preparation: Preparation, logger: Logger) {
  if (days === undefined) return null;
  return startPeriodicTask({
    everyMs: RETENTION_EVERY_MS,
    async work() {
      if (preparation.isReady()) await removeOldClicks(database, preparation.topology(), days);
    },
    onError: (err) => logger.warn({ err }, 'old clicks could not be removed; trying again in ten minutes'),
  });
}
