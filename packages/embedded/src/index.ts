export { type ClickHouseServer, type ClickHouseServerOptions, startClickHouseServer } from './clickhouse/server.ts';
