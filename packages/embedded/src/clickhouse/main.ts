import { credentialsIn } from '../credentials.ts';
import { runServer } from '../run-server.ts';
import { startClickHouseServer } from './server.ts';

const { PORT = '8123', HOST = '127.0.0.1', DATA_DIR = '.data/clickhouse' } = process.env;

await runServer(async () => {
  const credentials = credentialsIn(process.env);
  const server = await startClickHouseServer({ dataDir: DATA_DIR, credentials, host: HOST, port: Number(PORT) });
  return { address: server.url, close: () => server.close() };
});
