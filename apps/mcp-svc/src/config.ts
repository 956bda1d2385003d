import {
  baseConfig,
  type Environment,
  grpcClientTlsConfig,
  grpcClientTlsRules,
  loadConfig,
} from '@waymark/service-kit';
import Type, { type Static } from 'typebox';

const target = (service: string) =>
  Type.String({ format: 'host-port', description: `The gRPC address of ${service}: HOST:PORT, or dns:///HOST:PORT.` });

/** The environment variables of mcp-svc. */
export const configSchema = Type.Object(
  {
    ...baseConfig,
    LINKS_GRPC: target('links-svc'),
    ANALYTICS_GRPC: target('analytics-svc'),
    ...grpcClientTlsConfig,
  },
  grpcClientTlsRules,
);

export type Config = Static<typeof configSchema>;

/**
 * Reads the configuration of mcp-svc from the environment.
 * @throws {ConfigError} names every variable that is missing or invalid.
 */
export function readConfig(env: Environment = process.env): Config {
  return loadConfig(configSchema, env);
}
