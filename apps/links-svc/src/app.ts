import { callAuthenticator, createSigner, createVerifier, identityPlugin } from '@waymark/auth';
import { hostOfUrl } from '@waymark/contract';
import {
  accountsV1,
  type analyticsV1,
  clicksV1,
  createGrpcServer,
  eventsV1,
  type GrpcClient,
  healthV1,
  hostsV1,
  jobsV1,
  linksV1,
} from '@waymark/proto';
import {
  type App,
  checkQueryParameters,
  createHttpApp,
  createWindowCounters,
  FORWARDED_HEADERS_MAX_BYTES,
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
import { accountDeletionsRpc } from './account-deletions/account-deletions.rpc.ts';
import { AccountDeletions } from './account-deletions/account-deletions.service.ts';
import { accountRoutes } from './accounts/accounts.routes.ts';
import { accountsRpc } from './accounts/accounts.rpc.ts';
import { AccountsService } from './accounts/accounts.service.ts';
import { AccountsStore } from './accounts/accounts.store.ts';
import { createKeyUses } from './accounts/key-uses.ts';
import { eventRoutes } from './activity/events.routes.ts';
import { eventsRpc } from './activity/events.rpc.ts';
import { EventsService } from './activity/events.service.ts';
import { bulkRoutes } from './bulk/bulk.routes.ts';
import { BulkEdits } from './bulk/bulk-edits.service.ts';
import { ChangeQueue } from './changes/change-queue.ts';
import { KnownAccounts } from './changes/known-accounts.ts';
import { runChanges } from './changes/transaction.ts';
import { ClickLimitsStore } from './click-limits/click-limits.store.ts';
import { ClickLimits } from './click-limits/click-limits.ts';
import { SpentLimits } from './click-limits/spent-limits.ts';
import type { LinkTotals } from './clicks/analytics-client.ts';
import { startClickJobs } from './clicks/click-jobs.ts';
import type { Running } from './clicks/click-sender.ts';
import type { ClickSpool } from './clicks/click-spool.ts';
import { clicksRpc } from './clicks/clicks.rpc.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { DeletedLinkDocument } from './database/documents/deleted-link.ts';
import { DeletedLinksStore } from './deletions/deleted-links.store.ts';
import { purgeAllDue } from './deletions/link-purger.ts';
import { EventsStore } from './events/events.store.ts';
import { LinkExpiriesStore } from './expiries/link-expiries.store.ts';
import { LinkExpiries } from './expiries/link-expiries.ts';
import { AccountLogs } from './follower/account-logs.store.ts';
import { FollowerLog } from './follower/follower-log.ts';
import { LogFollower, POLL_EVERY_MS } from './follower/log-follower.ts';
import { logSnapshots } from './follower/log-snapshots.ts';
import { hashtagRoutes } from './hashtags/hashtags.routes.ts';
import { HashtagsService } from './hashtags/hashtags.service.ts';
import { HashtagsStore } from './hashtags/hashtags.store.ts';
import { DestinationChecks } from './health/destination-checks.ts';
import { createDestinationThread } from './health/destination-threads.ts';
import { DestinationsStore } from './health/destinations.store.ts';
import { LinkHealthStore } from './health/link-health.store.ts';
import { LinkHealth } from './health/link-health.ts';
import { AskedHosts } from './hosts/asked-hosts.ts';
import { HostLooks } from './hosts/host-looks.ts';
import { hostRoutes } from './hosts/hosts.routes.ts';
import { hostsRpc } from './hosts/hosts.rpc.ts';
import { HostsService } from './hosts/hosts.service.ts';
import { HostsStore } from './hosts/hosts.store.ts';
import { tlsAllowedRoute } from './hosts/tls-allowed.routes.ts';
import { TxtRecords } from './hosts/txt-records.ts';
import { VerifiedHosts } from './hosts/verified-hosts.ts';
import { IdempotencyStore } from './idempotency/idempotency.store.ts';
import { IdempotentRequests } from './idempotency/idempotent-requests.ts';
import { importRoutes } from './imports/imports.routes.ts';
import { ImportsService } from './imports/imports.service.ts';
import { JobRunner } from './jobs/job-runner.ts';
import { jobRoutes } from './jobs/jobs.routes.ts';
import { jobsRpc } from './jobs/jobs.rpc.ts';
import { JobsService } from './jobs/jobs.service.ts';
import { JobsStore } from './jobs/jobs.store.ts';
import { LeasedTasks } from './leases/leased-tasks.ts';
import { LeasesStore } from './leases/leases.store.ts';
import { LinkCreations } from './links/link-creations.service.ts';
import { LinkUpserts } from './links/link-upserts.service.ts';
import { linkRoutes } from './links/links.routes.ts';
import { LinksService } from './links/links.service.ts';
import { LinksStore } from './links/links.store.ts';
import { LinksForAnalytics } from './links/links-for-analytics.ts';
import { linksRpc } from './links.rpc.ts';
import { LinkLists } from './lists/link-lists.store.ts';
import { LinkScans } from './lists/link-scans.store.ts';
import { listRoutes } from './lists/lists.routes.ts';
import { ListsService } from './lists/lists.service.ts';
import type { Brands } from './pages/brands.ts';
import { logoRoute } from './pages/logo.routes.ts';
import { VisitorPages } from './pages/visitor-pages.ts';
import { Challenges } from './passkeys/challenges.ts';
import { Credentials } from './passkeys/credentials.ts';
import { passkeyRoutes } from './passkeys/passkeys.routes.ts';
import { passkeysRpc } from './passkeys/passkeys.rpc.ts';
import { PasskeysService } from './passkeys/passkeys.service.ts';
import { PasskeysStore } from './passkeys/passkeys.store.ts';
import { verifyVisitorPassword } from './passwords/passwords.ts';
import { previewRoutes } from './previews/previews.routes.ts';
import { Previews } from './previews/previews.ts';
import { QrCodes } from './qr-codes/qr-codes.ts';
import { LinkCache } from './redirects/link-cache.ts';
import { countLookups } from './redirects/lookup-metrics.ts';
import { PasswordTries } from './redirects/password-tries.ts';
import { redirectFastPath } from './redirects/redirect-fast-path.ts';
import { redirectRoutes } from './redirects/redirects.routes.ts';
import { findPublicTexts, findRedirects } from './redirects/redirects.store.ts';
import { answerIfShort, shortHostRoutes } from './redirects/short-hosts.routes.ts';
import { shortHostsRpc } from './redirects/short-hosts.rpc.ts';
import { savedFilterRoutes } from './saved-filters/saved-filters.routes.ts';
import { SavedFiltersService } from './saved-filters/saved-filters.service.ts';
import { SavedFiltersStore } from './saved-filters/saved-filters.store.ts';
import { SearchTexts } from './search/search-texts.store.ts';
import { createSessionUses } from './sessions/session-uses.ts';
import { sessionRoutes } from './sessions/sessions.routes.ts';
import { sessionsRpc } from './sessions/sessions.rpc.ts';
import { SessionsService } from './sessions/sessions.service.ts';
import { SessionsStore } from './sessions/sessions.store.ts';
import { ShortUrls } from './slugs/short-urls.ts';
import { importRpc } from './transfer/import.rpc.ts';
import type { CountryDatabase } from './visitors/country-database.ts';
import { VisitorKeysStore } from './visitors/visitor-keys.store.ts';
import { Visitors } from './visitors/visitors.ts';
import { ClickFeed } from './webhooks/click-feed.ts';
import { renewSecrets } from './webhooks/renew-secrets.ts';
import { WebhookAddresses } from './webhooks/webhook-addresses.ts';
import { WebhookDeliveries } from './webhooks/webhook-deliveries.ts';
import { WebhookSecrets } from './webhooks/webhook-secrets.ts';
import { WebhookSender } from './webhooks/webhook-sender.ts';
import { webhookRoutes } from './webhooks/webhooks.routes.ts';
import { WebhooksService } from './webhooks/webhooks.service.ts';
import { WebhooksStore } from './webhooks/webhooks.store.ts';

export type AppConfig = Pick<
  Config,
  | 'PUBLIC_URL'
  | 'API_URL'
  | 'UNKNOWN_HOSTS'
  | 'EVENTS_DAYS'
  | 'PASSWORD_TRIES_PER_MINUTE'
  | 'REDIS_URL'
  | 'AUTO_META_ALLOW'
  | 'WEBHOOK_ALLOW'
  | 'WEBHOOK_RETRIES'
  | 'HEALTH_CHECK_HOURS'
  | 'DNS_SERVERS'
  | 'TRUST_PROXY'
  | 'SIGNING_KEY'
  | 'SIGNING_KEY_PREVIOUS'
  | 'GRPC_TLS_CA'
  | 'GRPC_TLS_CERT'
  | 'GRPC_TLS_KEY'
  | 'GRPC_TLS_CLIENT_CERTIFICATES'
>;

export interface AppDeps {
  logger: Logger;
  metrics: Metrics;
  database: Database;
  /** Keeps clicks until analytics-svc has stored them. */
  spool: ClickSpool;
  /** Finds the countries of visitors. */
  countries: CountryDatabase;
  brands: Brands;
  analytics: GrpcClient<typeof analyticsV1.AnalyticsService>;
  /** The clock of this service, in milliseconds. Default: `Date.now`. */
  now?: () => number;
  /** A time that only grows, by which other replicas are believed dead, in milliseconds. Default: `performance.now`. */
  stopwatch?: () => number;
  /** How long the receiver of a webhook has to respond. Default: 15 seconds. */
  webhookTimeoutMs?: number;
  /** See {@link createWindowCounters}. */
  redisTimeoutMs?: number;
}

const USER_AGENT = 'Waymark/1.0 (link preview)';
/** The word tells bots from people, also in our own clicks. */
const CHECKER_USER_AGENT = 'Waymark/1.0 (link health bot)';
const PURGE_TIMEOUT_MS = 30_000;
/** Whoever deletes an account waits for it. */
const DELETE_ACCOUNTS_EVERY_MS = 1_000;
const PURGE_EVERY_MS = 10_000;
const EXPIRE_LINKS_EVERY_MS = 1_000;
/** Only what a kill left undone waits for it. */
const FIND_SPENT_LIMITS_EVERY_MS = 10_000;
/** Within the minute after which a rotation of the signing key may drop the former key. */
const RENEW_SECRETS_EVERY_MS = 10_000;
const LOOK_AT_HOSTS_EVERY_MS = 5_000;
const DAY_MS = 24 * 3_600_000;
const CHECK_HEALTH_EVERY_MS = 1_000;
const HOUR_MS = 3_600_000;
const REFRESH_VISITORS_EVERY_MS = 10_000;

/** Builds links-svc. Its background work starts when it listens. */
export function buildApp(config: AppConfig, deps: AppDeps): Required<App> {
  const { logger, metrics, database, spool, countries, brands } = deps;
  const publicUrl = config.PUBLIC_URL;
  const apiUrl = config.API_URL ?? publicUrl;
  const signingKeys = { current: config.SIGNING_KEY, previous: config.SIGNING_KEY_PREVIOUS };
  const verifier = createVerifier(signingKeys);
  const signer = createSigner(signingKeys);
  const now = deps.now ?? Date.now;
  const identity = () => signer.mint({ kind: 'service', service: 'links-svc' });

  const ownUrls = [publicUrl, apiUrl];
  const ownHosts = ownUrls.map((url) => hostOfUrl(new URL(url)));
  const hosts = new HostsStore(database, ownHosts);
  const verifiedHosts = new VerifiedHosts(hosts, now);
  const shortUrls = new ShortUrls({ ownUrls, hosts, verifiedHosts });
  const events = new EventsStore(database);
  const logs = new AccountLogs(database, events);
  const links = new LinksStore(database);
  const lists = new ListsService({
    lists: new LinkLists(database, new SearchTexts(database, logs), now),
    scans: new LinkScans(database, now),
    shortUrls,
    hosts,
    publicUrl,
  });
  const hashtags = new HashtagsService(new HashtagsStore(database));
  const deletedLinks = new DeletedLinksStore(database);
  const idempotency = new IdempotencyStore(database);
  const accounts = new AccountsStore(database);
  const forget = (redirectIds: readonly string[]) => {
    for (const id of redirectIds) cache.invalidate(id);
  };
  const follower = new LogFollower({
    inSnapshot: logSnapshots(database, accounts, events),
    consumers: [
      {
        apply: (_accountId, changed) => forget(changed.flatMap(({ redirect_ids }) => redirect_ids ?? [])),
        beginAgain: () => cache.forgetMissing(),
      },
      verifiedHosts,
      {
        apply: (accountId) => webhookDeliveries.apply(accountId),
        beginAgain: (accountId) => webhookDeliveries.beginAgain(accountId),
      },
    ],
  });
  const cache = new LinkCache({
    findRedirects: countLookups(findRedirects(database), metrics.registry),
    changes: follower,
  });
  const eventsLifetimeMs = config.EVENTS_DAYS * DAY_MS;
  const transactions = { database, knownAccounts: new KnownAccounts(), eventsLifetimeMs };
  const changes = new ChangeQueue({
    runChanges: (some, at) => runChanges(transactions, some, at),
    registry: metrics.registry,
    onCommitted: ({ redirectIds, positions }) => {
      forget(redirectIds);
      for (const one of positions) {
        follower.skip(one);
        webhookDeliveries.apply(one.accountId);
      }
    },
    now,
  });
  const previews = new Previews({ allow: config.AUTO_META_ALLOW, userAgent: USER_AGENT, logger });
  const qrCodes = new QrCodes({ logger, brands });
  const requests = new IdempotentRequests({ records: idempotency, changes, now });
  const linksService = new LinksService({ links, hosts, shortUrls, changes, publicUrl });
  const eventsService = new EventsService({ events, logs, links: linksService });
  const linksForAnalytics = new LinksForAnalytics({ links, deletedLinks, accounts, logs });
  const creations = new LinkCreations({
    links,
    hosts,
    shortUrls,
    changes,
    idempotency: requests,
    fetchPreview: (accountId, url) => previews.fetchPreview(accountId, url),
    publicUrl,
    now,
  });
  const upserts = new LinkUpserts({ creations, links, hosts, shortUrls, publicUrl });
  const bulkEdits = new BulkEdits({
    service: linksService,
    creations,
    upserts,
    links,
    changes,
    idempotency: requests,
    now,
  });
  const jobs = new JobsStore(database);
  const runner = new JobRunner({
    jobs,
    lists,
    links,
    hosts,
    shortUrls,
    changes,
    logger,
    registry: metrics.registry,
    stopwatch: deps.stopwatch,
  });
  const jobsService = new JobsService({
    jobs,
    lists,
    links,
    hosts,
    shortUrls,
    changes,
    idempotency: requests,
    runner,
    publicUrl,
    now,
  });
  const imports = new ImportsService({ jobs: jobsService, store: jobs, links, hosts, shortUrls, changes, now });
  const webhooks = new WebhooksStore(database);
  const webhookSecrets = new WebhookSecrets(
    signingKeys.previous === undefined ? [signingKeys.current] : [signingKeys.current, signingKeys.previous],
  );
  const webhookAddresses = new WebhookAddresses(config.WEBHOOK_ALLOW);
  const clickFeed = new ClickFeed({ client: deps.analytics, mint: (account) => signer.mint(account) });
  const webhooksService = new WebhooksService({
    webhooks,
    secrets: webhookSecrets,
    addresses: webhookAddresses,
    clicks: clickFeed,
    changes,
    wake: () => webhookDeliveries.wake(),
    now,
  });
  const webhookDeliveries: WebhookDeliveries = new WebhookDeliveries({
    webhooks,
    service: webhooksService,
    events: eventsService,
    clicks: clickFeed,
    secrets: webhookSecrets,
    sender: new WebhookSender({ addresses: webhookAddresses, timeoutMs: deps.webhookTimeoutMs }),
    pauses: config.WEBHOOK_RETRIES.map(Number),
    logger,
    registry: metrics.registry,
    now,
    stopwatch: deps.stopwatch,
  });
  const passkeys = new PasskeysStore(database);
  const savedFilters = new SavedFiltersStore(database);
  const accountsService = new AccountsService({
    accounts,
    changes,
    keyUses: createKeyUses({ accounts, now, logger }),
    eventsLifetimeMs,
    now,
  });
  const sessionsStore = new SessionsStore(database);
  const destinations = new DestinationsStore(database);
  const accountDeletions = new AccountDeletions({
    accounts,
    links: linksService,
    others: [idempotency, jobs, hosts, passkeys, webhooks, savedFilters, sessionsStore, events, destinations],
    eventsLifetimeMs,
    changes,
  });
  const sessions = new SessionsService({
    sessions: sessionsStore,
    accounts,
    createAccount: (username, plan, actor) => accountsService.create(username, plan, actor),
    changes,
    sessionUses: createSessionUses({ sessions: sessionsStore, now, logger }),
    apiUrl,
    now,
  });
  const secrets = [signingKeys.current, signingKeys.previous].filter((secret) => secret !== undefined);
  const credentials = new Credentials(new Challenges(secrets, now), apiUrl);
  const passkeysService = new PasskeysService({ passkeys, credentials, accounts, changes });

  const counters = createWindowCounters({
    redisUrl: config.REDIS_URL,
    secret: config.SIGNING_KEY,
    logger,
    registry: metrics.registry,
    redisTimeoutMs: deps.redisTimeoutMs,
  });
  const hostsService = new HostsService({
    hosts,
    verifiedHosts,
    txtRecords: new TxtRecords(config.DNS_SERVERS, logger),
    changes,
    verifications: counters.counter('verifications'),
    shortUrls,
    ownHosts,
  });
  const expiries = new LinkExpiries({ expiries: new LinkExpiriesStore(database), changes, now });
  const looks = new HostLooks({ hosts, service: hostsService, logger });

  const visitors = new Visitors(countries, new VisitorKeysStore(database));
  const askedHosts = new AskedHosts({ ownUrls, verifiedHosts, unknownHosts: config.UNKNOWN_HOSTS });
  const clickLimits = new ClickLimitsStore(database);
  const spentLimits = new SpentLimits({ limits: clickLimits, changes });
  const redirects = { hosts: askedHosts, links: cache, clicks: spool, visitors, now };
  const http = createHttpApp({
    logger,
    headersMaxBytes: FORWARDED_HEADERS_MAX_BYTES,
    trustProxy: config.TRUST_PROXY,
    registry: metrics.registry,
    intercept: redirectFastPath(redirects, () => http),
    answerUnroutable: (request, reply) => answerIfShort(request, reply, askedHosts),
  });
  shortHostRoutes(http, askedHosts);
  http.register(identityPlugin, { verifier });
  const health = healthRoutes(http, {
    mongodb: async () => {
      await database.check();
      await visitors.refreshKeys(Date.now());
      await verifiedHosts.whenLoaded();
    },
  });
  http.register(async (api) => {
    checkQueryParameters(api);
    respondInTime(api);
    accountRoutes(api, accountsService);
    sessionRoutes(api, sessions);
    passkeyRoutes(api, passkeysService);
    savedFilterRoutes(api, new SavedFiltersService({ savedFilters, changes }));
    linkRoutes(api, { service: linksService, creations, qrCodes });
    listRoutes(api, { lists, apiUrl });
    hashtagRoutes(api, hashtags);
    previewRoutes(api, { previews, shortUrls });
    bulkRoutes(api, bulkEdits);
    jobRoutes(api, jobsService);
    eventRoutes(api, eventsService);
    hostRoutes(api, hostsService);
    webhookRoutes(api, webhooksService);
    tlsAllowedRoute(api, { hosts: verifiedHosts, ownHosts });
  });
  http.register(async (uploads) => {
    checkQueryParameters(uploads);
    importRoutes(uploads, imports);
  });
  logoRoute(http, { hosts: askedHosts, brands });
  http.register(async (open) => {
    redirectRoutes(open, {
      ...redirects,
      pages: new VisitorPages(brands),
      verifyPassword: verifyVisitorPassword,
      findTexts: findPublicTexts(database),
      limits: new ClickLimits({ store: clickLimits, expire: (limit) => spentLimits.expire(limit) }),
      passwordTries: new PasswordTries(config.PASSWORD_TRIES_PER_MINUTE, counters.attempts('password-tries')),
    });
  });

  const rpc = createGrpcServer({ ...grpcServerTls(config), onLimit: logReachedLimits(logger) });
  const options = { authenticate: callAuthenticator(verifier), ...rpcHooks({ logger, metrics }) };
  rpc.addService(
    linksV1.LinksService,
    options,
    linksRpc({
      service: linksService,
      analytics: linksForAnalytics,
      lists,
      hashtags,
      creations,
      bulkEdits,
      qrCodes,
      accounts: accountsService,
      logger,
    }),
  );
  rpc.addService(jobsV1.JobsService, options, {
    ...jobsRpc(jobsService),
    ...importRpc({ imports, jobs: jobsService, accounts: accountsService }),
  });
  rpc.addService(accountsV1.AccountsService, options, {
    ...accountsRpc(accountsService),
    ...accountDeletionsRpc(accountDeletions),
    ...sessionsRpc(sessions),
    ...passkeysRpc(passkeysService),
    ...shortHostsRpc(askedHosts),
  });
  rpc.addService(eventsV1.EventsService, options, eventsRpc({ events: eventsService, accounts: accountsService }));
  rpc.addService(hostsV1.HostsService, options, hostsRpc({ service: hostsService, hosts, accounts }));
  const totals = {
    analytics: { client: deps.analytics, identity },
    applyTotals: async (found: LinkTotals[]) => {
      await links.applyTotals(found);
      await webhookDeliveries.clicked(found.map(({ linkId }) => linkId));
    },
    existingLinks: (linkIds: string[]) => links.existingClicksIds(linkIds),
  };
  rpc.addService(clicksV1.ClicksService, options, clicksRpc(totals));
  rpc.addService(healthV1.Health, { authenticate: () => null }, healthService(health));

  const purgeLinks = async (links: readonly DeletedLinkDocument[]) => {
    const { done } = await deps.analytics.purgeLinks(
      { links: links.map(({ _id, account_id }) => ({ linkId: _id, accountId: account_id })) },
      { timeoutMs: PURGE_TIMEOUT_MS, identity: await identity() },
    );
    return done;
  };
  const destinationThread = createDestinationThread({
    settings: { allow: config.AUTO_META_ALLOW, userAgent: CHECKER_USER_AGENT },
    logger,
  });
  const checks = new DestinationChecks({
    destinations,
    ask: destinationThread.ask,
    everyMs: config.HEALTH_CHECK_HOURS * HOUR_MS,
    now,
    logger,
  });
  const linkHealth = new LinkHealth({ accounts, links: new LinkHealthStore(database), destinations, changes, now });
  const healthTasks = [
    { name: 'link-health', everyMs: CHECK_HEALTH_EVERY_MS, run: (ending: AbortSignal) => linkHealth.run(ending) },
    { name: 'destination-checks', everyMs: CHECK_HEALTH_EVERY_MS, run: (ending: AbortSignal) => checks.run(ending) },
  ];
  const sharedTasks = new LeasedTasks({
    leases: new LeasesStore(database),
    tasks: [
      {
        name: 'account-deletions',
        everyMs: DELETE_ACCOUNTS_EVERY_MS,
        run: (ending) => accountDeletions.sweep(new Date(now()), ending),
      },
      {
        name: 'click-purges',
        everyMs: PURGE_EVERY_MS,
        run: (ending) => purgeAllDue({ deletedLinks, purge: purgeLinks }, ending),
      },
      { name: 'link-expiries', everyMs: EXPIRE_LINKS_EVERY_MS, run: (ending) => expiries.run(ending) },
      {
        name: 'webhook-secrets',
        everyMs: RENEW_SECRETS_EVERY_MS,
        run: (ending) => renewSecrets({ webhooks, secrets: webhookSecrets, now }, ending),
      },
      { name: 'spent-limits', everyMs: FIND_SPENT_LIMITS_EVERY_MS, run: (ending) => spentLimits.run(ending) },
      { name: 'host-looks', everyMs: LOOK_AT_HOSTS_EVERY_MS, run: (ending) => looks.run(ending) },
      ...(config.HEALTH_CHECK_HOURS === 0 ? [] : healthTasks),
    ],
    onError: (err, task) => logger.warn({ err, task }, 'a shared task failed; trying again'),
    stopwatch: deps.stopwatch,
  });

  const followerLog = new FollowerLog(logger, metrics.registry);
  const pollChanges = async () => {
    await follower.poll();
    await verifiedHosts.refresh();
    followerLog.worked();
  };
  let backgroundWork: Running[] = [];
  const startBackgroundWork = () => {
    const clicks = startClickJobs({ spool, ...totals, logger });
    // Without news of changes, the cache relies on the age of its entries.
    const poller = startPeriodicTask({
      everyMs: POLL_EVERY_MS,
      work: pollChanges,
      onError: (error) => followerLog.failed(error),
    });
    const keyRefresher = startPeriodicTask({
      everyMs: REFRESH_VISITORS_EVERY_MS,
      work: () => visitors.refreshKeys(Date.now()),
      onError: (err) => logger.warn({ err }, 'could not get the key of visitors; trying again'),
    });
    const countryRefresher = startPeriodicTask({
      everyMs: REFRESH_VISITORS_EVERY_MS,
      work: () => countries.refresh(),
      onError: (err) => logger.error({ err }, 'GEOIP_DATABASE cannot be read; keeping what was read before'),
    });
    backgroundWork = [clicks, poller, keyRefresher, countryRefresher];
    backgroundWork.push(runner.start(), webhookDeliveries.start(), sharedTasks.start());
  };
  http.addHook('onListen', async () => startBackgroundWork());

  return {
    http,
    rpc,
    health,
    async close(deadlineMs) {
      await Promise.all(backgroundWork.map((work) => work.close(deadlineMs)));
      await changes.close();
      counters.close();
      await previews.close();
      await destinationThread.close();
      await qrCodes.close();
    },
  };
}
