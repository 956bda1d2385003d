import cors from '@fastify/cors';
import { createSigner, type SigningKeys } from '@waymark/auth';
import { AppError, MCP_BATCH_MAX_MESSAGES, MCP_BATCH_TOO_LONG, toAppError } from '@waymark/contract';
import type { accountsV1, GrpcClient } from '@waymark/proto';
import { createHttpApp, createWindowCounters, type Health, healthRoutes, type Logger } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { docsRoutes } from './docs/docs.routes.ts';
import { upstreamChecks } from './health.ts';
import { createAuthenticator } from './keys/authenticate.ts';
import { createKeyLookup } from './keys/key-lookup.ts';
import { createKeyResolver } from './keys/key-resolver.ts';
import { countKeyLookups } from './keys/lookup-metrics.ts';
import { batchSize } from './limits/batch-size.ts';
import { createRateLimits } from './limits/rate-limits.ts';
import { createMcpOrigins } from './origins/mcp-origins.ts';
import { answerBeforeBodyEnds } from './proxy/early-answers.ts';
import { type ProxyDeps, proxyRoutes } from './proxy/proxy-routes.ts';
import { createReplicas } from './proxy/replicas.ts';
import { createUpstreamClient } from './proxy/upstream-client.ts';
import { type Access, API_PREFIX, NO_OAUTH_MESSAGE, OAUTH_PATHS, PROXY_ROUTES } from './routes.ts';

export interface AppConfig {
  PUBLIC_URL: string;
  MCP_ALLOWED_ORIGINS: string[];
  LINKS_URL: string[];
  ANALYTICS_URL: string[];
  MCP_URL: string[];
  RATE_LIMIT_PER_MINUTE: number;
  AUTH_FAILURES_PER_MINUTE: number;
  REDIS_URL?: string;
  TRUST_PROXY: string[];
}

export interface AppDeps {
  logger: Logger;
  registry: Registry;
  signingKeys: SigningKeys;
  accounts: GrpcClient<typeof accountsV1.AccountsService>;
}

/** The challenge of a 401 on `/mcp`: the key is not valid. It names no OAuth metadata, since OAuth is not offered. */
const MCP_CHALLENGE = 'Bearer realm="waymark", error="invalid_token"';

/** Response headers that a script of another origin may read. */
const EXPOSED_HEADERS = ['Link', 'Location', 'X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After'];
const PREFLIGHT_MAX_AGE_SECONDS = 7200;

/**
 * Builds the gateway, the same for production and tests. Closing the app closes its HTTP connections to the services
 * and its connection to Redis. The caller closes `deps.accounts`.
 */
export function buildApp(config: AppConfig, deps: AppDeps): { app: FastifyInstance; health: Health } {
  const app = createHttpApp({ logger: deps.logger, registry: deps.registry, trustProxy: config.TRUST_PROXY });
  answerBeforeBodyEnds(app);
  const signer = createSigner(deps.signingKeys);
  const counters = createWindowCounters({
    redisUrl: config.REDIS_URL,
    secret: deps.signingKeys.current,
    logger: deps.logger,
    registry: deps.registry,
  });
  app.addHook('onClose', async () => counters.close());
  const { authenticate, countMore } = createAuthenticator(
    createKeyResolver(countKeyLookups(createKeyLookup(deps.accounts, signer), deps.registry)),
    createRateLimits(
      { requestsPerMinute: config.RATE_LIMIT_PER_MINUTE, failuresPerMinute: config.AUTH_FAILURES_PER_MINUTE },
      counters,
    ),
    signer,
  );
  const proxy: ProxyDeps = {
    upstreams: {
      links: createReplicas(config.LINKS_URL),
      analytics: createReplicas(config.ANALYTICS_URL),
      mcp: createReplicas(config.MCP_URL),
    },
    client: createUpstreamClient(),
  };
  app.addHook('onClose', () => proxy.client.close());
  app.decorateRequest('upstreamIdentity');

  const addRoutes = (scope: FastifyInstance, access: Access) => {
    for (const route of PROXY_ROUTES) if (route.access === access) proxyRoutes(scope, route, proxy);
  };
  app.register(
    async (api) => {
      await api.register(cors, {
        origin: '*',
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
        exposedHeaders: EXPOSED_HEADERS,
        maxAge: PREFLIGHT_MAX_AGE_SECONDS,
        strictPreflight: false,
      });
      api.addHook('onRequest', async (request, reply) => {
        request.upstreamIdentity = await authenticate(request, reply);
      });
      addRoutes(api, 'api');
      // Unknown paths need a key too, so that clients without a key cannot find out which paths exist.
      api.route({
        method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        url: '/*',
        handler: (_request, reply) => reply.callNotFound(),
      });
    },
    { prefix: API_PREFIX },
  );
  const origins = createMcpOrigins([config.PUBLIC_URL, ...config.MCP_ALLOWED_ORIGINS]);
  app.register(async (mcp) => {
    mcp.addHook('onRequest', async (request, reply) => {
      origins.openTo(request, reply);
      if (origins.isPreflight(request)) return origins.answerPreflight(request, reply);
      try {
        request.upstreamIdentity = await authenticate(request, reply);
      } catch (error) {
        if (toAppError(error).code === 'unauthenticated') reply.header('www-authenticate', MCP_CHALLENGE);
        throw error;
      }
      origins.check(request);
    });
    // Each message of a batch counts, so that batches cannot bypass the rate limit. A batch over the maximum is refused
    // here and counts as one request.
    mcp.addHook('preHandler', async (request, reply) => {
      const messages = batchSize(request.body as Buffer | undefined);
      if (messages > MCP_BATCH_MAX_MESSAGES) return reply.code(400).send(MCP_BATCH_TOO_LONG);
      if (messages > 1) await countMore(request, reply, messages - 1);
    });
    addRoutes(mcp, 'mcp');
  });
  addRoutes(app, 'open');
  for (const url of OAUTH_PATHS) {
    app.all(url, async () => {
      throw new AppError('not_found', NO_OAUTH_MESSAGE);
    });
  }
  // Without this route, `/api` would match `/:slug`.
  app.all(API_PREFIX, (_request, reply) => reply.callNotFound());
  app.get('/', (_request, reply) => reply.redirect('/docs'));
  docsRoutes(app, config.PUBLIC_URL);
  const health = healthRoutes(app, {
    ...upstreamChecks(proxy),
    keys: () => deps.accounts.ready(READY_TIMEOUT_MS),
  });
  return { app, health };
}

const READY_TIMEOUT_MS = 900;
