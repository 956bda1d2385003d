import { callAuthenticator, createSigner, createVerifier, identityPlugin, type SigningKeys } from '@waymark/auth';
import {
  accountsV1,
  type analyticsV1,
  createGrpcServer,
  type GrpcClient,
  type GrpcServer,
  healthV1,
  linksV1,
} from '@waymark/proto';
import {
  checkQueryParameters,
  createHttpApp,
  createWindowCounters,
  FORWARDED_HEADERS_MAX_BYTES,
  grpcServerTls,
  type Health,
  healthRoutes,
  healthService,
  type Logger,
  type Metrics,
  rpcHooks,
} from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import { accountRoutes } from './accounts/accounts.routes.ts';
import { accountsRpc } from './accounts/accounts.rpc.ts';
import { AccountsService } from './accounts/accounts.service.ts';
import { AccountsStore } from './accounts/accounts.store.ts';
import { startClickSender } from './clicks/click-sender.ts';
import type { ClickSpool } from './clicks/click-spool.ts';
import { startTotalsRefresher } from './clicks/totals-refresher.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import { DeletedLinksStore } from './links/deleted-links.store.ts';
import { IdempotencyStore } from './links/idempotency.store.ts';
import { startLinkPurger } from './links/link-purger.ts';
import { linkRoutes } from './links/links.routes.ts';
import { linksRpc } from './links/links.rpc.ts';
import { LinksService } from './links/links.service.ts';
import { LinksStore } from './links/links.store.ts';
import { verifyVisitorPassword } from './passwords/passwords.ts';
import { startPeriodicTask } from './periodic-task.ts';
import { Previews } from './previews/previews.ts';
import { ASK_EVERY_MS, ChangedLinks } from './redirects/changed-links.ts';
import { LinkCache } from './redirects/link-cache.ts';
import { countLookups } from './redirects/lookup-metrics.ts';
import { PasswordTries } from './redirects/password-tries.ts';
import { redirectFastPath } from './redirects/redirect-fast-path.ts';
import { redirectRoutes } from './redirects/redirects.routes.ts';
import { findForRedirects, linkChanges } from './redirects/redirects.store.ts';

export type AppConfig = Pick<
  Config,
  | 'PUBLIC_URL'
  | 'PASSWORD_TRIES_PER_MINUTE'
  | 'REDIS_URL'
  | 'AUTO_META_ALLOW'
  | 'TRUST_PROXY'
  | 'GRPC_TLS_CA'
  | 'GRPC_TLS_CERT'
  | 'GRPC_TLS_KEY'
  | 'GRPC_TLS_CLIENT_CERTIFICATES'
>;

export interface AppDeps {
  logger: Logger;
  metrics: Metrics;
  signingKeys: SigningKeys;
  database: Database;
  /** Keeps clicks until analytics-svc has stored them. */
  spool: ClickSpool;
  analytics: GrpcClient<typeof analyticsV1.AnalyticsService>;
}

/** The background jobs: sending clicks, refreshing click totals, purging deleted links, sweeping deleted accounts. */
export interface Jobs {
  /** Stops purging and sweeping, sends the remaining clicks and refreshes their totals, until the deadline. */
  close(deadlineMs: number): Promise<void>;
}

export interface App {
  app: FastifyInstance;
  grpc: GrpcServer;
  health: Health;
  startJobs(): Jobs;
}

const USER_AGENT = 'Waymark/1.0 (link preview)';
const FLUSH_MAX_MS = 3_000;
const PURGE_TIMEOUT_MS = 30_000;
const SWEEP_EVERY_MS = 10_000;

/** Builds links-svc. Production and tests run the same app. The caller closes the dependencies that it passes. */
export function buildApp(config: AppConfig, deps: AppDeps): App {
  const { logger, metrics, database, spool } = deps;
  const publicUrl = config.PUBLIC_URL.replace(/\/+$/, '');
  const verifier = createVerifier(deps.signingKeys);
  const signer = createSigner(deps.signingKeys);
  const identity = () => signer.mint({ kind: 'service', service: 'links-svc' });

  const links = new LinksStore(database);
  const deletedLinks = new DeletedLinksStore(database);
  const idempotency = new IdempotencyStore(database);
  const accounts = new AccountsStore(database);
  const changes = new ChangedLinks(linkChanges(database));
  const cache = new LinkCache({
    findForRedirects: countLookups(findForRedirects(database), metrics.registry),
    changes,
  });
  const previews = new Previews({ allow: config.AUTO_META_ALLOW, userAgent: USER_AGENT, logger });
  const linksService = new LinksService({
    links,
    deletedLinks,
    idempotency,
    accounts,
    fetchPreview: (accountId, url) => previews.fetchPreview(accountId, url),
    onChange: (slugKey) => cache.invalidate(slugKey),
    publicUrl,
  });
  const accountsService = new AccountsService({ accounts, idempotency, links: linksService });

  const redirects = { links: cache, clicks: spool };
  const app = createHttpApp({
    logger,
    headersMaxBytes: FORWARDED_HEADERS_MAX_BYTES,
    trustProxy: config.TRUST_PROXY,
    registry: metrics.registry,
    intercept: redirectFastPath(redirects, () => app),
  });
  app.addHook('onClose', () => previews.close());
  app.register(identityPlugin, { verifier });
  const health = healthRoutes(app, { mongodb: () => database.check() });
  app.register(async (api) => {
    checkQueryParameters(api);
    accountRoutes(api);
    linkRoutes(api, linksService, publicUrl);
  });
  const counters = createWindowCounters({
    redisUrl: config.REDIS_URL,
    secret: deps.signingKeys.current,
    logger,
    registry: metrics.registry,
  });
  app.addHook('onClose', async () => counters.close());
  let asking: { close(): Promise<void> } | undefined;
  app.addHook('onListen', async () => {
    // The lookups report an outage. Without news of changes, the cache relies on the age of its entries.
    asking = startPeriodicTask({ everyMs: ASK_EVERY_MS, work: () => changes.ask(), onError: () => {} });
  });
  app.addHook('onClose', async () => asking?.close());
  app.register(async (visitors) => {
    redirectRoutes(visitors, {
      ...redirects,
      verifyPassword: verifyVisitorPassword,
      passwordTries: new PasswordTries(config.PASSWORD_TRIES_PER_MINUTE, counters.attempts('password-tries')),
    });
  });

  const grpc = createGrpcServer(grpcServerTls(config));
  const options = { authenticate: callAuthenticator(verifier), ...rpcHooks({ logger, metrics }) };
  grpc.addService(linksV1.LinksService, options, linksRpc(linksService));
  grpc.addService(accountsV1.AccountsService, options, accountsRpc(accountsService));
  grpc.addService(healthV1.Health, { authenticate: () => null }, healthService(health));

  return {
    app,
    grpc,
    health,
    startJobs() {
      const analytics = { client: deps.analytics, identity };
      const sender = startClickSender({ spool, analytics, logger });
      const refresher = startTotalsRefresher({
        spool,
        analytics,
        applyTotals: (totals) => links.applyTotals(totals),
        logger,
      });
      const purger = startLinkPurger({
        deletedLinks,
        purge: async (accountId, linkIds) => {
          await deps.analytics.purgeLinks(
            { accountId, linkIds },
            { timeoutMs: PURGE_TIMEOUT_MS, identity: await identity() },
          );
        },
        logger,
      });
      const sweeper = startPeriodicTask({
        everyMs: SWEEP_EVERY_MS,
        work: () => accountsService.sweepDeleted(new Date()),
        onError: (err) => logger.warn({ err }, 'what deleted accounts left could not be swept; trying again'),
      });
      return {
        async close(deadlineMs) {
          // Clicks that cannot be sent in this time stay in the spool.
          const flushMs = Math.min(deadlineMs, FLUSH_MAX_MS);
          const endsAt = performance.now() + flushMs;
          await Promise.all([purger.close(), sweeper.close(), sender.close(flushMs)]);
          // The refresher closes last, because the clicks that were just sent change totals too.
          await refresher.close(Math.max(0, endsAt - performance.now()));
        },
      };
    },
  };
}
