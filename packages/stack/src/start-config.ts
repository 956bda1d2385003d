import { grpcClientTlsConfig, grpcServerTlsRules } from '@waymark/service-kit';
import Type, { type Static } from 'typebox';

const properties = {
  DATA_DIR: Type.String({ format: 'folder', default: './.data', description: 'Where everything is kept.' }),
  GATEWAY_HOST: Type.String({ format: 'host', default: '127.0.0.1', description: 'The address of the gateway.' }),
  GATEWAY_PORT: Type.Integer({ minimum: 1, maximum: 65_535, default: 8080, description: 'The port of the gateway.' }),
  PUBLIC_URL: Type.Optional(Type.String({ format: 'http-origin', description: 'Where visitors reach short links.' })),
  API_URL: Type.Optional(
    Type.String({ format: 'http-origin', description: 'Where clients reach the API. Default: PUBLIC_URL.' }),
  ),
  MONGODB_URL: Type.Optional(
    Type.String({
      format: 'mongodb-url',
      writeOnly: true,
      description: 'A MongoDB to use instead of the embedded one.',
    }),
  ),
  CLICKHOUSE_URL: Type.Optional(
    Type.String({
      format: 'http-origin',
      writeOnly: true,
      description: 'A ClickHouse to use instead of the embedded one.',
    }),
  ),
  // The services read these too. They share one certificate, which must name 127.0.0.1.
  ...grpcClientTlsConfig,
};
/** The environment variables that `start` reads. The services get all of the environment. */
export const startSchema = Type.Object(properties, grpcServerTlsRules);
export type StartConfig = Static<typeof startSchema>;
