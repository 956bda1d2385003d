import { runService } from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { createSisters } from './sisters.ts';

await runService('mcp-svc', readConfig, async ({ config, logger, metrics, onShutdown }) => {
  const sisters = createSisters(config);
  onShutdown('clients', () => sisters.close());
  const { app, health } = await buildApp(config, { logger, metrics, sisters });
  onShutdown('not-ready', () => health.setNotReady());
  onShutdown('servers', () => app.close());
  await app.listen({ host: config.HOST, port: config.HTTP_PORT });
  logger.info({ address: app.addresses()[0] }, 'listening');
});
