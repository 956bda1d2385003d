import { credentialsIn } from '../credentials.ts';
import { runServer } from '../run-server.ts';
import { startMongoServer } from './server.ts';

const { DATA_DIR, HOST, PORT = '0' } = process.env;

await runServer(async () => {
  if (!DATA_DIR) throw new Error('DATA_DIR is required: the folder for the data.');
  if (!/^\d{1,5}$/.test(PORT)) throw new Error('PORT must be a port number.');
  const credentials = credentialsIn(process.env);
  const server = await startMongoServer({ dataDir: DATA_DIR, credentials, port: Number(PORT), host: HOST });
  // The output ends up in a log, so it must not contain the password.
  return { address: `mongodb://${server.address}`, close: () => server.close() };
});
