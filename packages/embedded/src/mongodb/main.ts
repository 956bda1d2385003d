import { runServer } from '../run-server.ts';
import { startMongoServer } from './server.ts';

// The open port is for containers, which cannot reach the socket. `start` names a socket, which is used then.
const { DATA_DIR, MONGODB_SOCKET: socket, MONGODB_OPEN_PORT: port } = process.env;

await runServer(async () => {
  if (!DATA_DIR) throw new Error('DATA_DIR is required: the folder for the data.');
  if (port !== undefined && !/^\d{1,5}$/.test(port)) throw new Error('MONGODB_OPEN_PORT must be a port number.');
  const openPort = port === undefined || socket !== undefined ? undefined : Number(port);
  const server = await startMongoServer({ dataDir: DATA_DIR, socket, openPort });
  return { address: server.url, close: () => server.close() };
});
