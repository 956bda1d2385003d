import {
  addressConfig,
  baseConfig,
  brandConfig,
  brandRules,
  type Environment,
  grpcConfig,
  grpcServerTlsRules,
  limitsConfig,
  loadConfig,
} from '@waymark/service-kit';
import Type, { type Static } from 'typebox';
import { mongodbUrl } from './database/mongo-client.ts';
import { countryDatabase } from './visitors/country-database.ts';

/** The environment variables of links-svc. */
export const configSchema = Type.Object(
  {
    ...baseConfig,
    ...grpcConfig,
    MONGODB_URL: Type.String({
      format: 'mongodb-url',
      accepts: mongodbUrl,
      writeOnly: true,
      description:
        'The URL of the MongoDB for accounts and links, with user and password (percent-encoded) if it needs them.',
    }),
    MONGODB_DATABASE: Type.String({
      format: 'mongodb-database',
      default: 'waymark',
      description: 'The name of the database in MongoDB.',
    }),
    ...addressConfig,
    UNKNOWN_HOSTS: Type.Unsafe<'serve' | 'refuse'>({
      type: 'string',
      enum: ['serve', 'refuse'],
      default: 'serve',
      description:
        'Whether redirects on a host that is neither that of PUBLIC_URL nor a verified short host are served as on the former (serve), or refused with 421 (refuse).',
    }),
    ANALYTICS_GRPC: Type.String({
      format: 'host-port',
      description: 'The gRPC address of analytics-svc.',
    }),
    EVENTS_DAYS: Type.Integer({
      minimum: 1,
      maximum: 3_650,
      default: 30,
      description: 'For how many days the events of an account are kept.',
    }),
    SPOOL_DIR: Type.String({
      minLength: 1,
      default: './spool',
      description: 'The folder that keeps clicks until analytics-svc has stored them; each process needs its own.',
    }),
    SPOOL_MAX_BYTES: Type.Integer({
      minimum: 1_048_576,
      default: 10_737_418_240,
      description: 'How many bytes of clicks the spool may hold; further clicks are dropped and counted.',
    }),
    PASSWORD_TRIES_PER_MINUTE: Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      default: 10,
      description: 'How many wrong passwords per minute are allowed for each link and address; 0 turns the limit off.',
    }),
    ...limitsConfig,
    AUTO_META_ALLOW: Type.Array(Type.String({ format: 'network' }), {
      default: [],
      description: 'Private networks that auto_meta and the checks of destinations may fetch from.',
    }),
    HEALTH_CHECK_HOURS: Type.Integer({
      minimum: 0,
      maximum: 168,
      default: 24,
      description: 'How many hours pass between two checks of the destination of links with clicks; 0 turns them off.',
    }),
    WEBHOOK_ALLOW: Type.Array(Type.String({ format: 'network' }), {
      default: [],
      description: 'Private networks that webhooks may send to, by https and http.',
    }),
    WEBHOOK_RETRIES: Type.Array(Type.String({ format: 'seconds' }), {
      default: ['5', '300', '1800', '7200', '18000', '36000', '50400', '72000', '86400'],
      description: 'The seconds before each retry of a webhook’s delivery.',
    }),
    DNS_SERVERS: Type.Array(Type.String({ format: 'name-server' }), {
      default: [],
      description:
        'The name servers that prove short hosts, as ADDRESS or ADDRESS:PORT; without them, those of the system.',
    }),
    GEOIP_DATABASE: Type.Optional(
      Type.String({
        format: 'file',
        accepts: countryDatabase,
        description:
          'A database of networks and their countries in MMDB format, read again when it changes; without it, the embedded one.',
      }),
    ),
    ...brandConfig,
    BRAND_DIR: Type.Optional(
      Type.String({
        format: 'readable-folder',
        description: 'A folder with the brands of short hosts: go.example.com.json, go.example.com.svg, ….',
      }),
    ),
    TRUST_PROXY: Type.Array(Type.String({ format: 'proxy' }), {
      default: [],
      description: 'Addresses and networks of the proxies whose X-Forwarded-For is trusted.',
    }),
  },
  { ...grpcServerTlsRules, dependentRequired: { ...grpcServerTlsRules.dependentRequired, ...brandRules } },
);
export type Config = Static<typeof configSchema>;

/**
 * Returns the configuration of this process. No other code reads the environment.
 * @throws {ConfigError}
 */
export function readConfig(env: Environment = process.env): Config {
  return loadConfig(configSchema, env);
}
