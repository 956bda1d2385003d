import { accountsV1, createGrpcClient } from '@waymark/proto';
import { type AppAddresses, defineService, type Environment, grpcClientTls, serveApp } from '@waymark/service-kit';
import { buildApp } from './app.ts';
import { type Config, readConfig } from './config.ts';

/** Reads the configuration and adds the addresses under the names that all services use. */
function readServiceConfig(env: Environment): Config & AppAddresses {
  const config = readConfig(env);
  const names = { HOST: 'GATEWAY_HOST', HTTP_PORT: 'GATEWAY_PORT' };
  return { ...config, HOST: config.GATEWAY_HOST, HTTP_PORT: config.GATEWAY_PORT, names };
}

export const gateway = defineService('gateway', readServiceConfig, async (service) => {
  const { config, logger, metrics, onShutdown } = service;
  const accounts = createGrpcClient(accountsV1.AccountsService, {
    address: config.LINKS_GRPC,
    ...grpcClientTls(config),
  });
  onShutdown('clients', () => accounts.close());
  await serveApp(buildApp(config, { logger, metrics, accounts }), service);
});
