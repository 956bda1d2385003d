import { createVerifier, identityPlugin } from '@waymark/auth';
import { createHttpApp, type Health, healthRoutes, type Logger, type Metrics } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import { mcpRoutes } from './protocol/mcp.routes.ts';
import type { ServiceClients } from './service-clients.ts';
import { createCallTool } from './tools/call-tool.ts';
import { createToolHandlers } from './tools/tool-handlers.ts';
import { createToolMetrics } from './tools/tool-metrics.ts';

export interface Dependencies {
  logger: Logger;
  metrics: Metrics;
  services: ServiceClients;
}

/** How long a readiness check waits for a connection. The health routes limit the check as a whole. */
const CONNECT_TIMEOUT_MS = 900;

/** Builds the MCP server over HTTP, not yet listening. It is ready while links-svc and analytics-svc are connected. */
export async function buildApp(
  config: Pick<Config, 'SIGNING_KEY' | 'SIGNING_KEY_PREVIOUS'>,
  { logger, metrics, services }: Dependencies,
): Promise<{ app: FastifyInstance; health: Health }> {
  const app = createHttpApp({ logger, registry: metrics.registry });
  await app.register(identityPlugin, {
    verifier: createVerifier({ current: config.SIGNING_KEY, previous: config.SIGNING_KEY_PREVIOUS }),
  });
  const health = healthRoutes(app, {
    'links-svc': () => services.links.ready(CONNECT_TIMEOUT_MS),
    'analytics-svc': () => services.analytics.ready(CONNECT_TIMEOUT_MS),
  });
  await app.register(mcpRoutes, {
    callTool: createCallTool(createToolHandlers(services), createToolMetrics(metrics.registry)),
  });
  return { app, health };
}
