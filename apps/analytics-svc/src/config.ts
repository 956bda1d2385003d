import {
  addressConfig,
  baseConfig,
  type Environment,
  grpcConfig,
  grpcServerTlsRules,
  loadConfig,
} from '@waymark/service-kit';
import Type, { type Static } from 'typebox';

/** The environment variables of analytics-svc. */
export const configSchema = Type.Object(
  {
    ...baseConfig,
    ...grpcConfig,
    CLICKHOUSE_URL: Type.String({
      format: 'http-origin',
      description: 'The HTTP URL of ClickHouse, without user and path.',
    }),
    CLICKHOUSE_USER: Type.String({ minLength: 1, default: 'default', description: 'The user of ClickHouse.' }),
    CLICKHOUSE_PASSWORD: Type.String({ default: '', writeOnly: true, description: 'The password of that user.' }),
    CLICKHOUSE_DATABASE: Type.String({
      minLength: 1,
      default: 'waymark',
      description: 'The database; it is created if it does not exist.',
    }),
    CLICKHOUSE_CLUSTER: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z_][A-Za-z0-9_-]*$',
        description: 'The cluster whose shards share the clicks; its database must have the engine `Replicated`.',
      }),
    ),
    ...addressConfig,
    LINKS_GRPC: Type.String({ format: 'host-port', description: 'Where links-svc answers gRPC.' }),
    // A window has up to 365 days and may begin a day earlier in UTC. Its clicks must not be deleted yet.
    CLICK_RETENTION_DAYS: Type.Optional(
      Type.Integer({
        minimum: 400,
        maximum: 10_000,
        description:
          'How many days clicks are kept for analytics, and then until their month is over. If it is not set, clicks are kept forever. The counters of links stay.',
      }),
    ),
  },
  grpcServerTlsRules,
);

export type Config = Static<typeof configSchema>;

/**
 * Reads the configuration of analytics-svc from the environment.
 * @throws {ConfigError} names every variable that is missing or wrong.
 */
export function readConfig(env: Environment = process.env): Config {
  return loadConfig(configSchema, env);
}
