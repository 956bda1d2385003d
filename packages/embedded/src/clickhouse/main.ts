import { credentialsIn } from '../credentials.ts';
import { startClickHouseServer } from './server.ts';

const { PORT = '8123', HOST = '127.0.0.1', DATA_DIR = '.data/clickhouse' } = process.env;

try {
  const credentials = credentialsIn(process.env);
  const server = await startClickHouseServer({ dataDir: DATA_DIR, credentials, host: HOST, port: Number(PORT) });
  console.log(server.url);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      server.close().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
    });
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
