import { createVerifier, identityPlugin } from '@waymark/auth';
import { type App, createHttpApp, healthRoutes, type Logger, type Metrics } from '@waymark/service-kit';
import type { Config } from './config.ts';
import { mcpRoutes } from './protocol/mcp.routes.ts';
import type { ServiceClients } from './service-clients.ts';
import { createCallTool } from './tools/call-tool.ts';
import { createToolHandlers } from './tools/tool-handlers.ts';
import { createToolMetrics } from './tools/tool-metrics.ts';

export type AppConfig = Pick<Config, 'SIGNING_KEY' | 'SIGNING_KEY_PREVIOUS'>;

export interface AppDeps {
  logger: Logger;
  metrics: Metrics;
  services: ServiceClients;
}

/** How long a readiness check waits for a connection. The health routes limit the check as a whole. */
const CONNECT_TIMEOUT_MS = 900;

/** Builds mcp-svc. It is ready while links-svc and analytics-svc are connected. */
export function buildApp(config: AppConfig, { logger, metrics, services }: AppDeps): App {
  const http = createHttpApp({ logger, registry: metrics.registry });
  http.register(identityPlugin, {
    verifier: createVerifier({ current: config.SIGNING_KEY, previous: config.SIGNING_KEY_PREVIOUS }),
  });
  const health = healthRoutes(http, {
    'links-svc': () => services.links.ready(CONNECT_TIMEOUT_MS),
    'analytics-svc': () => services.analytics.ready(CONNECT_TIMEOUT_MS),
  });
  http.register(mcpRoutes, {
    callTool: createCallTool(createToolHandlers(services), createToolMetrics(metrics.registry)),
  });
  return { http, health, close: async () => {} };
}
