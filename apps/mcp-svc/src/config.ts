import { baseConfig, loadConfig } from '@waymark/service-kit';
import Type, { type Static } from 'typebox';

const target = (service: string) =>
  Type.String({ format: 'host-port', description: `Where ${service} answers gRPC: HOST:PORT, or dns:///HOST:PORT.` });

/** The environment variables of mcp-svc. */
export const configSchema = Type.Object({
  ...baseConfig,
  PUBLIC_URL: Type.String({
    format: 'http-url',
    default: 'http://localhost:8080',
    description: 'Where clients reach the service: its origin may call the tools from a browser.',
  }),
  LINKS_GRPC: target('links-svc'),
  ANALYTICS_GRPC: target('analytics-svc'),
  MCP_ALLOWED_ORIGINS: Type.Array(Type.String({ format: 'http-origin' }), {
    default: [],
    description: 'Further origins of web pages that may call the tools. A request without Origin is always let in.',
  }),
});

export type Config = Static<typeof configSchema>;

/**
 * The configuration of mcp-svc from the environment.
 * @throws {ConfigError} names every variable that is missing or wrong.
 */
export function readConfig(): Config {
  return loadConfig(configSchema);
}
