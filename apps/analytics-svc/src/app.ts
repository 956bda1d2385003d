import { callAuthenticator, createVerifier, identityPlugin } from '@waymark/auth';
import { hostOfUrl } from '@waymark/contract';
import { analyticsV1, createGrpcServer, type GrpcClient, healthV1, type linksV1 } from '@waymark/proto';
import {
  type App,
  checkQueryParameters,
  createHttpApp,
  grpcServerTls,
  healthRoutes,
  healthService,
  type Logger,
  logReachedLimits,
  type Metrics,
  respondInTime,
  rpcHooks,
  startPeriodicTask,
} from '@waymark/service-kit';
import { analyticsRoutes } from './analytics/analytics.routes.ts';
import { createAnalyticsService } from './analytics/analytics.service.ts';
import { createAnalyticsStore } from './analytics/analytics.store.ts';
import { createHashtagsOfLinks } from './analytics/hashtags-of-links.ts';
import { createHiddenLinks } from './analytics/hidden-links.ts';
import { createLinksWithHashtag } from './analytics/links-with-hashtag.ts';
import { createShownLinks } from './analytics/shown-links.ts';
import { analyticsServiceRpc } from './analytics-service.rpc.ts';
import { clickListRoutes } from './click-lists/click-lists.routes.ts';
import { createClickLists } from './click-lists/click-lists.service.ts';
import { createClickListsStore } from './click-lists/click-lists.store.ts';
import { createClicksService } from './clicks/clicks.service.ts';
import { createClicksStore } from './clicks/clicks.store.ts';
import { createOriginOf } from './clicks/origin.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { Preparation } from './database/prepare.ts';
import { checkRequirements, requireTables } from './database/requirements.ts';
import { removeOldClicks } from './database/retention.ts';
import { findStoredBlocks } from './database/stored-blocks.ts';
import { createPurgeStore } from './purge/purge.store.ts';
import { createTotalsStore } from './totals/totals.store.ts';

export interface AppDeps {
  logger: Logger;
  metrics: Metrics;
  database: Database;
  /** The tables, which are prepared in the background. */
  preparation: Preparation;
  links: GrpcClient<typeof linksV1.LinksService>;
}

/** Builds analytics-svc. Its background job starts when it listens. */
export function buildApp(config: Config, deps: AppDeps): Required<App> {
  const { logger, metrics, database, preparation, links } = deps;
  const verifier = createVerifier({ current: config.SIGNING_KEY, previous: config.SIGNING_KEY_PREVIOUS });

  const ownHosts = [config.PUBLIC_URL, config.API_URL ?? config.PUBLIC_URL].map((url) => hostOfUrl(new URL(url)));
  const shown = {
    hiddenLinks: createHiddenLinks(links),
    linksWithHashtag: createLinksWithHashtag(links),
    shownLinks: createShownLinks(links),
  };
  const analytics = createAnalyticsService({
    ...shown,
    store: createAnalyticsStore(database),
    hashtagsOfLinks: createHashtagsOfLinks(links),
    ownHosts,
  });
  const clickLists = createClickLists({
    ...shown,
    store: createClickListsStore(database),
    storedBlocks: (accountId, signal) => findStoredBlocks(database, preparation.topology(), accountId, signal),
  });
  const clicks = createClicksService({
    store: createClicksStore({ database, topology: preparation.topology }),
    originOf: createOriginOf(ownHosts),
    registry: metrics.registry,
  });

  const http = createHttpApp({ logger, registry: metrics.registry });
  http.register(identityPlugin, { verifier });
  http.register(async (api) => {
    checkQueryParameters(api);
    respondInTime(api);
    api.addHook('preHandler', async () => preparation.requireReady());
    analyticsRoutes(api, analytics);
    clickListRoutes(api, clickLists);
  });
  const health = healthRoutes(http, {
    clickhouse: async () => {
      await checkRequirements(database);
      preparation.requireReady();
      await requireTables(database);
    },
  });

  const rpc = createGrpcServer({ ...grpcServerTls(config), onLimit: logReachedLimits(logger) });
  rpc.addService(
    analyticsV1.AnalyticsService,
    { authenticate: callAuthenticator(verifier), ...rpcHooks({ logger, metrics }) },
    analyticsServiceRpc({
      analytics,
      clicks,
      clickLists,
      totals: createTotalsStore({ database, topology: preparation.topology }),
      purge: createPurgeStore({ database, topology: preparation.topology }),
      requireReady: preparation.requireReady,
    }),
  );
  rpc.addService(healthV1.Health, { authenticate: () => null }, healthService(health));

  let retention: ReturnType<typeof startRetention> = null;
  http.addHook('onListen', async () => {
    retention = startRetention(config.CLICK_RETENTION_DAYS, database, preparation, logger);
  });

  return {
    http,
    rpc,
    health,
    async close() {
      await retention?.close();
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
