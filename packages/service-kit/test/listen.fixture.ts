import { createGrpcServer, healthV1 } from '@waymark/proto';
import Type from 'typebox';
import {
  baseConfig,
  createHttpApp,
  defineService,
  grpcConfig,
  healthRoutes,
  healthService,
  loadConfig,
  runService,
  serveApp,
} from '../src/index.ts';

/** A service with the three servers that a service may have. It prints a line once all of them listen. */
const schema = Type.Object({ ...baseConfig, ...grpcConfig });

const fixture = defineService(
  'fixture',
  (env) => loadConfig(schema, env),
  async (service) => {
    const http = createHttpApp({ logger: service.logger });
    const health = healthRoutes(http, {});
    const rpc = createGrpcServer();
    rpc.addService(healthV1.Health, { authenticate: () => null }, healthService(health));
    await serveApp({ http, rpc, health, close: async () => {} }, service);
    process.stdout.write('listening\n');
  },
);

await runService(fixture);
