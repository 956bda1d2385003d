export { type ClickHouseServer, type ClickHouseServerOptions, startClickHouseServer } from './clickhouse/server.ts';
export { type Credentials, credentialsIn, randomCredentials } from './credentials.ts';
export { type MongoServer, type MongoServerOptions, startMongoServer } from './mongodb/server.ts';
