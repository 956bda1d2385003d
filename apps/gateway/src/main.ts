import { accountsV1, createGrpcClient } from '@waymark/proto';
import { grpcClientTls, runService } from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { type Config, readConfig } from './config.ts';

/** Reads the configuration and adds `HOST`, which the gateway's environment calls `GATEWAY_HOST`. */
function readServiceConfig(): Config & { HOST: string } {
  const config = readConfig();
  return { ...config, HOST: config.GATEWAY_HOST };
}

await runService('gateway', readServiceConfig, async ({ config, logger, metrics, onShutdown }) => {
  const accounts = createGrpcClient(accountsV1.AccountsService, {
    address: config.LINKS_GRPC,
    ...grpcClientTls(config),
  });
  onShutdown('clients', () => accounts.close());
  const signingKeys = { current: config.SIGNING_KEY, previous: config.SIGNING_KEY_PREVIOUS };
  const { app, health } = buildApp(config, { logger, registry: metrics.registry, signingKeys, accounts });
  onShutdown('not-ready', () => health.setNotReady());
  onShutdown('servers', () => app.close());
  await app.listen({ host: config.HOST, port: config.GATEWAY_PORT });
  logger.info({ address: app.addresses()[0] }, 'listening');
});
