import { defineService, serveApp } from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { createServiceClients } from './service-clients.ts';

export const mcpSvc = defineService('mcp-svc', readConfig, async (service) => {
  const { config, logger, metrics, onShutdown } = service;
  const services = createServiceClients(config);
  onShutdown('clients', () => services.close());
  await serveApp(buildApp(config, { logger, metrics, services }), service);
});
