import { baseConfig, grpcConfig, grpcServerTlsRules, limitsConfig, loadConfig } from '@waymark/service-kit';
import Type, { type Static } from 'typebox';

/** The environment variables of links-svc. */
export const configSchema = Type.Object(
  {
    ...baseConfig,
    ...grpcConfig,
    MONGODB_URL: Type.String({
      format: 'mongodb-url',
      writeOnly: true,
      description: 'The MongoDB that holds accounts and links, with user and password where it needs them.',
    }),
    MONGODB_DATABASE: Type.String({
      format: 'mongodb-database',
      default: 'waymark',
      description: 'The name of the database in it.',
    }),
    PUBLIC_URL: Type.String({
      format: 'http-url',
      default: 'http://localhost:8080',
      description: 'Where clients reach the service: the beginning of every short URL.',
    }),
    ANALYTICS_GRPC: Type.String({
      format: 'host-port',
      description: 'The gRPC address of analytics-svc.',
    }),
    SPOOL_DIR: Type.String({
      minLength: 1,
      default: './spool',
      description: 'The folder, of this process alone, that keeps clicks until analytics-svc has them.',
    }),
    SPOOL_MAX_BYTES: Type.Integer({
      minimum: 1_048_576,
      default: 10_737_418_240,
      description: 'How many bytes of clicks the spool keeps; beyond it clicks are dropped and counted.',
    }),
    PASSWORD_TRIES_PER_MINUTE: Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      default: 10,
      description: 'Wrong passwords for each link and address in a minute; 0 turns the limit off.',
    }),
    ...limitsConfig,
    AUTO_META_ALLOW: Type.Array(Type.String({ format: 'network' }), {
      default: [],
      description: 'Networks that auto_meta may fetch from although they are not public.',
    }),
    TRUST_PROXY: Type.Array(Type.String({ format: 'network' }), {
      default: [],
      description: 'Addresses and networks of proxies whose X-Forwarded-For is believed.',
    }),
  },
  grpcServerTlsRules,
);
export type Config = Static<typeof configSchema>;

/**
 * Returns the configuration of this process. No other code reads the environment.
 * @throws {ConfigError}
 */
export function readConfig(): Config {
  return loadConfig(configSchema);
}
