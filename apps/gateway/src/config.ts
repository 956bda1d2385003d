import { grpcClientTlsConfig, grpcClientTlsRules, limitsConfig, loadConfig, processConfig } from '@waymark/service-kit';
import Type, { type Static } from 'typebox';

const origins = (service: string) =>
  Type.Array(Type.String({ format: 'http-origin' }), {
    minItems: 1,
    description: `Where ${service} answers HTTP; with commas between them where its replicas have an address each.`,
  });
const perMinute = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: fallback, description });

/** The environment variables of the gateway. */
export const configSchema = Type.Object(
  {
    GATEWAY_HOST: Type.String({ format: 'host', default: '0.0.0.0', description: 'The address to listen on.' }),
    GATEWAY_PORT: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      default: 8080,
      description: 'The public port; 0 picks a free one.',
    }),
    PUBLIC_URL: Type.String({
      format: 'http-url',
      default: 'http://localhost:8080',
      description: 'Where clients reach the service: the server that the API’s documentation names.',
    }),
    MCP_ALLOWED_ORIGINS: Type.Array(Type.String({ format: 'http-origin' }), {
      default: [],
      description:
        'Further origins of web pages that may call /mcp; that of PUBLIC_URL always may. A request without Origin is let in.',
    }),
    LINKS_URL: origins('links-svc'),
    ANALYTICS_URL: origins('analytics-svc'),
    MCP_URL: origins('mcp-svc'),
    LINKS_GRPC: Type.String({ format: 'host-port', description: 'Where links-svc answers gRPC.' }),
    RATE_LIMIT_PER_MINUTE: perMinute(600, 'Requests a minute that one API key may make; 0 turns the limit off.'),
    AUTH_FAILURES_PER_MINUTE: perMinute(
      60,
      'Requests a minute without a valid API key that one address may make; 0 turns the limit off.',
    ),
    ...limitsConfig,
    TRUST_PROXY: Type.Array(Type.String({ format: 'network' }), {
      default: [],
      description: 'Addresses and networks of the proxies in front whose X-Forwarded-For is believed.',
    }),
    ...processConfig,
    ...grpcClientTlsConfig,
  },
  grpcClientTlsRules,
);

export type Config = Static<typeof configSchema>;

/**
 * Reads the gateway's configuration from the environment.
 * @throws {ConfigError} names every variable that is missing or invalid.
 */
export function readConfig(): Config {
  return loadConfig(configSchema);
}
