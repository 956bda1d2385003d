import Type from 'typebox';
import { grpcServerTlsConfig } from '../grpc/grpc-tls.ts';

const port = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 65_535, default: fallback, description });

/** What a variable says that has the address to listen on, with the default `::`. */
export const HOST_DESCRIPTION =
  'The address to listen on; `::` is every address of both families, or of IPv4 if the machine has no IPv6.';

/** The variables of every process. */
export const processConfig = {
  LOG_LEVEL: Type.Unsafe<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'>({
    type: 'string',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    description: 'The lowest level of log lines, JSON on standard output. Redirects are at debug.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      format: 'http-url',
      description: 'The OpenTelemetry collector that receives traces over OTLP/HTTP; without it there are no traces.',
    }),
  ),
  METRICS_PORT: port(0, 'The port of /metrics for Prometheus, on HOST; 0 turns it off.'),
  SIGNING_KEY: Type.String({
    minLength: 32,
    writeOnly: true,
    description: 'The secret that signs identities between the services; the same for all of them.',
  }),
  SIGNING_KEY_PREVIOUS: Type.Optional(
    Type.String({
      minLength: 32,
      writeOnly: true,
      description: 'The previous signing key, which is accepted too while the key is rotated.',
    }),
  ),
  SHUTDOWN_DELAY_MS: Type.Integer({
    minimum: 0,
    maximum: 120_000,
    default: 0,
    description:
      'How long, in milliseconds, to keep serving after the stop signal, so that load balancers notice that the process is no longer ready.',
  }),
  SHUTDOWN_TIMEOUT_MS: Type.Integer({
    minimum: 100,
    maximum: 600_000,
    default: 20_000,
    description: 'How long, in milliseconds, the shutdown may take after that delay before the process exits anyway.',
  }),
};

/** The variables of where clients reach the system. Both are origins; API_URL is PUBLIC_URL if it is not set. */
export const addressConfig = {
  PUBLIC_URL: Type.String({
    format: 'http-origin',
    default: 'http://localhost:8080',
    description: 'Where visitors reach short links: the beginning of every short URL.',
  }),
  API_URL: Type.Optional(
    Type.String({
      format: 'http-origin',
      description: 'Where clients reach the API, MCP, the documentation and the dashboard. Default: PUBLIC_URL.',
    }),
  ),
};

/** The variables of a process that serves HTTP, for `Type.Object({ ...baseConfig, … })`. */
export const baseConfig = {
  HOST: Type.String({ format: 'host', default: '::', description: HOST_DESCRIPTION }),
  HTTP_PORT: port(3000, 'The HTTP port; 0 picks a free one.'),
  ...processConfig,
};

/** The variables of a process that also serves gRPC. */
export const grpcConfig = {
  GRPC_PORT: port(50_051, 'The gRPC port; 0 picks a free one.'),
  ...grpcServerTlsConfig,
};
