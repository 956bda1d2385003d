// Floor of storing clicks: ClickHouse's own client inserts prepared rows, one batch per request. Reads CLICKHOUSE_URL
// and its login; ROWS_FILE holds a batch as JSON, with its table and columns.
import { readFileSync } from 'node:fs';
import { createClient } from '@clickhouse/client';
import fastify from 'fastify';
import { reportListening } from './listening.ts';

const { CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD, CLICKHOUSE_DATABASE, ROWS_FILE } = process.env;
const client = createClient({
  url: CLICKHOUSE_URL!,
  username: CLICKHOUSE_USER || 'default',
  password: CLICKHOUSE_PASSWORD ?? '',
  database: CLICKHOUSE_DATABASE!,
});
const { table, columns, rows } = JSON.parse(readFileSync(ROWS_FILE!, 'utf8')) as {
  table: string;
  columns: [string, ...string[]];
  rows: unknown[][];
};

const app = fastify();
app.post('/batch', async () => {
  await client.insert({
    table,
    columns,
    values: rows,
    format: 'JSONCompactEachRow',
    clickhouse_settings: { async_insert: 0, insert_deduplicate: 0, max_insert_threads: '1' },
  });
  return {};
});
await app.listen({ host: '127.0.0.1', port: 0 });
reportListening(app.server.address());
