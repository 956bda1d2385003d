import { grpcClientTlsConfig, grpcClientTlsRules, loadConfig } from '@waymark/service-kit';
import Type, { type Static } from 'typebox';

/** The environment variables of the command line. */
export const configSchema = Type.Object(
  {
    DATA_DIR: Type.String({
      minLength: 1,
      default: './.data',
      description: 'The data folder of the running stack to manage.',
    }),
    LINKS_GRPC: Type.Optional(
      Type.String({
        format: 'host-port',
        description:
          'The gRPC address of links-svc, instead of the one found in DATA_DIR: HOST:PORT, or dns:///HOST:PORT.',
      }),
    ),
    ANALYTICS_GRPC: Type.Optional(
      Type.String({
        format: 'host-port',
        description: 'The gRPC address of analytics-svc, for spool drain, if LINKS_GRPC is set.',
      }),
    ),
    SIGNING_KEY: Type.Optional(
      Type.String({
        minLength: 32,
        writeOnly: true,
        description: 'The secret that signs identities between the services, instead of the one in DATA_DIR.',
      }),
    ),
    ...grpcClientTlsConfig,
  },
  grpcClientTlsRules,
);

export type Config = Static<typeof configSchema>;

/**
 * Reads the command line's configuration from the environment.
 * @throws {ConfigError} names every variable that is missing or wrong.
 */
export function readConfig(): Config {
  return loadConfig(configSchema);
}
