import cors from '@fastify/cors';
import { createSigner } from '@waymark/auth';
import { AppError, MCP_BATCH_MAX_MESSAGES, MCP_BATCH_TOO_LONG, toAppError } from '@waymark/contract';
import type { accountsV1, GrpcClient } from '@waymark/proto';
import {
  type App,
  brandOf,
  createHttpApp,
  createWindowCounters,
  healthRoutes,
  type Logger,
  type Metrics,
  NOT_FOUND_MESSAGE,
  pageTemplate,
  respondInTime,
} from '@waymark/service-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressesOf } from './addresses.ts';
import type { Config } from './config.ts';
import { dashboardRoutes } from './dashboard/dashboard.routes.ts';
import { docsRoutes } from './docs/docs.routes.ts';
import { READY_TIMEOUT_MS, upstreamChecks } from './health.ts';
import { answerIfShort, onlyLinksOnShortHosts } from './hosts/only-links-on-short-hosts.ts';
import { ShortHosts } from './hosts/short-hosts.ts';
import { createAccountsClient } from './keys/accounts-client.ts';
import { type AcceptedSessions, createAuthenticator } from './keys/authenticate.ts';
import { AuthenticationAttempts } from './keys/authentication-attempts.ts';
import { KeyResolver } from './keys/key-resolver.ts';
import { createSignInAttempt } from './keys/sign-in-attempt.ts';
import { RateLimits } from './limits/rate-limits.ts';
import { countBulk, countMcp } from './limits/request-count.ts';
import { parseAccessRule } from './oidc/access.ts';
import { BegunSignIns } from './oidc/begun-sign-ins.ts';
import { oidcRoutes } from './oidc/oidc.routes.ts';
import { OidcProvider } from './oidc/provider.ts';
import { McpOrigins } from './origins/mcp-origins.ts';
import { createUpstreamAgent } from './proxy/exchange.ts';
import { InFlight } from './proxy/in-flight.ts';
import { countRefusedCalls } from './proxy/mcp-failures.ts';
import { type ProxyDeps, proxyRoutes } from './proxy/proxy-routes.ts';
import { Replicas } from './proxy/replicas.ts';
import { watchReplicas } from './proxy/watch-replicas.ts';
import { type Access, API_PREFIX, NO_OAUTH_MESSAGE, OAUTH_PATHS, PROXY_ROUTES } from './routes.ts';
import { sessionRoutes } from './sessions/sessions.routes.ts';

export interface AppDeps {
  logger: Logger;
  metrics: Metrics;
  accounts: GrpcClient<typeof accountsV1.AccountsService>;
  /** See {@link createWindowCounters}. */
  redisTimeoutMs?: number | undefined;
}

/** The challenge of a 401 on `/mcp`: the key is not valid. It names no OAuth metadata, since OAuth is not offered. */
const MCP_CHALLENGE = 'Bearer realm="waymark", error="invalid_token"';

/** Response headers that a script of another origin may read. */
const EXPOSED_HEADERS = 'Link, Location, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After';
const PREFLIGHT_MAX_AGE_SECONDS = 7200;

/** Refuses every request with 404, before its body is read: what is sent to an unknown path does not matter. */
function unknownPath(message: string) {
  const refuse = async () => {
    throw new AppError('not_found', message);
  };
  return { onRequest: refuse, handler: refuse };
}

/** Builds the gateway. */
export function buildApp(config: Config, deps: AppDeps): App {
  const { registry } = deps.metrics;
  const { OIDC_ISSUER } = config;
  const brand = brandOf(config);
  const http = createHttpApp({
    logger: deps.logger,
    registry,
    trustProxy: config.TRUST_PROXY,
    answerUnroutable: (request, reply) => answerIfShort(request, reply, shortHosts),
  });
  const signer = createSigner({ current: config.SIGNING_KEY, previous: config.SIGNING_KEY_PREVIOUS });
  const counters = createWindowCounters({
    redisUrl: config.REDIS_URL,
    secret: config.SIGNING_KEY,
    logger: deps.logger,
    registry,
    redisTimeoutMs: deps.redisTimeoutMs,
  });
  const limits = new RateLimits(config, counters);
  const accounts = createAccountsClient(deps.accounts, signer, registry);
  const attempts = new AuthenticationAttempts(limits);
  const attempt = createSignInAttempt(attempts, limits);
  const authenticate = createAuthenticator(new KeyResolver(accounts.findOwner), limits, attempts, signer);
  const countMore = (request: FastifyRequest, reply: FastifyReply, requests: number) =>
    limits.countMoreRequests(reply, request.caller!.keyHash, requests);
  const proxy: ProxyDeps = {
    upstreams: {
      links: new Replicas(config.LINKS_URL),
      analytics: new Replicas(config.ANALYTICS_URL),
      mcp: new Replicas(config.MCP_URL),
    },
    agent: createUpstreamAgent(),
    inFlight: new InFlight(),
    refusedCalls: countRefusedCalls(registry),
  };
  const watch = watchReplicas(Object.values(proxy.upstreams), proxy.agent);
  const addresses = addressesOf(config);
  const shortHosts = new ShortHosts(accounts.findShortHosts, Object.values(addresses));
  onlyLinksOnShortHosts(http, shortHosts);
  http.decorateRequest('caller');
  http.decorateRequest('hasValidKey', false);

  const addRoutes = (scope: FastifyInstance, access: Access) => {
    for (const route of PROXY_ROUTES) if (route.access === access) proxyRoutes(scope, route, proxy);
  };
  /** Makes every request to routes that are added to the scope afterwards need a key, or a session if accepted. */
  const requireKey = (scope: FastifyInstance, sessions: AcceptedSessions) =>
    scope.addHook('onRequest', async (request, reply) => {
      request.caller = await authenticate(request, reply, sessions);
    });
  http.register(
    async (prefixed) => {
      await prefixed.register(cors, {
        origin: '*',
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
        exposedHeaders: EXPOSED_HEADERS,
        maxAge: PREFLIGHT_MAX_AGE_SECONDS,
        strictPreflight: false,
      });
      prefixed.register(async (signIn) => {
        respondInTime(signIn);
        sessionRoutes(signIn, { accounts, attempt });
      });
      prefixed.register(async (account) => {
        requireKey(account, 'all');
        addRoutes(account, 'account');
      });
      prefixed.register(async (api) => {
        requireKey(api, 'with-api');
        addRoutes(api, 'api');
        api.register(async (bulk) => {
          bulk.addHook('preHandler', async (request, reply) => {
            const requests = countBulk(request.body as Buffer | undefined);
            if (requests > 1) await countMore(request, reply, requests - 1);
          });
          addRoutes(bulk, 'bulk');
        });
        // Unknown paths need a key too, so that clients without a key cannot find out which paths exist.
        api.route({
          method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
          url: '/*',
          ...unknownPath(NOT_FOUND_MESSAGE),
        });
      });
    },
    { prefix: API_PREFIX },
  );
  const origins = new McpOrigins([addresses.apiUrl, ...config.MCP_ALLOWED_ORIGINS]);
  http.register(async (mcp) => {
    mcp.addHook('onRequest', async (request, reply) => {
      origins.openTo(request, reply);
      if (origins.isPreflight(request)) return origins.answerPreflight(request, reply);
      try {
        request.caller = await authenticate(request, reply, 'none');
      } catch (error) {
        if (toAppError(error).code === 'unauthenticated') reply.header('www-authenticate', MCP_CHALLENGE);
        throw error;
      }
      origins.check(request);
    });
    // Each call of a batch and each operation of a bulk edit counts, so that they cannot bypass the rate limit. Other
    // messages have a limit of their own. A batch over the maximum is refused here and counts as one message.
    mcp.addHook('preHandler', async (request, reply) => {
      const { keyHash } = request.caller!;
      const { messages, others, requests } = countMcp(request.body as Buffer | undefined);
      const isTooLong = messages > MCP_BATCH_MAX_MESSAGES;
      if (others > 0 || isTooLong) await limits.countMessages(keyHash, isTooLong ? 1 : others);
      if (isTooLong) return reply.code(400).send(MCP_BATCH_TOO_LONG);
      if (requests === 0) return;
      await limits.countRequest(reply, keyHash);
      if (requests > 1) await countMore(request, reply, requests - 1);
    });
    addRoutes(mcp, 'mcp');
  });
  addRoutes(http, 'open');
  for (const url of OAUTH_PATHS) http.all(url, unknownPath(NO_OAUTH_MESSAGE));
  // Without this route, `/api` would match `/:slug`.
  http.all(API_PREFIX, unknownPath(NOT_FOUND_MESSAGE));
  http.get('/', (request, reply) => {
    const isBrowser = request.headers.accept?.includes('text/html');
    return reply.header('vary', 'Accept').redirect(isBrowser ? '/app/' : '/docs');
  });
  if (OIDC_ISSUER !== undefined)
    http.register(async (oidc) => {
      respondInTime(oidc);
      oidcRoutes(oidc, {
        provider: new OidcProvider({
          issuer: OIDC_ISSUER,
          clientId: config.OIDC_CLIENT_ID!,
          clientSecret: config.OIDC_CLIENT_SECRET!,
          groupsClaim: config.OIDC_GROUPS_CLAIM,
          apiUrl: addresses.apiUrl,
        }),
        begunSignIns: new BegunSignIns(
          [config.SIGNING_KEY, config.SIGNING_KEY_PREVIOUS].filter((key) => key !== undefined),
        ),
        access: config.OIDC_ACCESS.map((text) => parseAccessRule(text)!),
        plan: config.OIDC_PLAN,
        accounts,
        attempt,
        apiUrl: addresses.apiUrl,
        pages: pageTemplate(brand),
      });
    });
  docsRoutes(http, addresses);
  dashboardRoutes(http, brand, {
    'public-url': addresses.publicUrl,
    'api-url': addresses.apiUrl,
    'sign-in-command': config.SIGN_IN_COMMAND ?? '',
    'sign-in-provider': OIDC_ISSUER === undefined ? '' : new URL(OIDC_ISSUER).host,
  });
  const health = healthRoutes(http, {
    ...upstreamChecks(proxy),
    keys: () => deps.accounts.ready(READY_TIMEOUT_MS),
  });
  return {
    http,
    health,
    async close() {
      counters.close();
      await Promise.all([watch.close(), proxy.agent.destroy()]);
    },
  };
}
