import { credentialsIn } from '../credentials.ts';
import { startMongoServer } from './server.ts';

const { DATA_DIR, HOST, PORT = '0' } = process.env;

try {
  if (!DATA_DIR) throw new Error('DATA_DIR is needed: the folder of the data');
  if (!/^\d{1,5}$/.test(PORT)) throw new Error('PORT has to be a port number');
  const credentials = credentialsIn(process.env);
  const server = await startMongoServer({ dataDir: DATA_DIR, credentials, port: Number(PORT), host: HOST });
  // The output ends up in a log, so it must not contain the password.
  console.log(`mongodb://${server.address}`);
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
