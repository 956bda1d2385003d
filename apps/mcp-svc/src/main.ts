import { runService } from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { createServiceClients } from './service-clients.ts';

await runService('mcp-svc', readConfig, async ({ config, logger, metrics, onShutdown }) => {
  const services = createServiceClients(config);
  onShutdown('clients', () => services.close());
  const { app, health } = await buildApp(config, { logger, metrics, services });
  onShutdown('not-ready', () => health.setNotReady());
  onShutdown('servers', () => app.close());
  await app.listen({ host: config.HOST, port: config.HTTP_PORT });
  logger.info({ address: app.addresses()[0] }, 'listening');
});
