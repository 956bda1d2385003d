import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Credentials } from '../credentials.ts';
import type { ServerState } from './commands/request.ts';
import { Connection } from './connection.ts';
import { Cursors } from './cursors.ts';
import { deleteExpired } from './expiry.ts';
import { forgetOldReplies } from './retries.ts';
import { scramUser } from './scram.ts';
import { Snapshots } from './snapshots.ts';
import { Store } from './storage/store.ts';
import { Transactions } from './transactions.ts';

export interface MongoServerOptions {
  /** The data folder; created if it does not exist. Only one server at a time may use it. */
  dataDir: string;
  /** The only user that may connect. */
  credentials: Credentials;
  /** 0 or undefined for any free port. */
  port?: number | undefined;
  /** A loopback address; 127.0.0.1 by default. */
  host?: string | undefined;
}

export interface MongoServer {
  /** For `MongoClient`, with user and password. */
  url: string;
  /** `host:port` */
  address: string;
  port: number;
  /** Finishes accepted writes, then closes the connections and the files. */
  close(): Promise<void>;
}

const EXPIRY_INTERVAL_MS = 1000;
const HOUSEKEEPING_INTERVAL_MS = 60_000;

/**
 * Starts a server that speaks MongoDB's wire protocol, for machines without MongoDB: the only member of the replica set
 * `rs0`, on a loopback address only. It supports what Waymark uses and refuses everything else with MongoDB's own
 * error. Clients log in by SCRAM-SHA-256 as the only user. An acknowledged write survives the death of the process (see
 * `Store`). Rejects if the address is not loopback or the port is taken.
 */
export async function startMongoServer({
  dataDir,
  credentials,
  port = 0,
  host = '127.0.0.1',
}: MongoServerOptions): Promise<MongoServer> {
  if (!['127.0.0.1', '::1', 'localhost'].includes(host))
    throw new Error(`the embedded MongoDB server listens on a loopback address only, not on ${host}`);
  const store = new Store(dataDir);
  const cursors = new Cursors();
  const state: ServerState = {
    store,
    cursors,
    transactions: new Transactions(store, cursors),
    snapshots: new Snapshots(store),
    address: '',
    user: scramUser(credentials),
  };
  const connections = new Set<Socket>();
  let lastConnectionId = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    lastConnectionId += 1;
    new Connection(socket, lastConnectionId, state).start();
  });
  try {
    await listen(server, port, host);
  } catch (error) {
    await store.close();
    throw error;
  }
  const address = server.address() as AddressInfo;
  state.address = `${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  const stopTimers = startTimers(state);
  let closing: Promise<void> | undefined;
  return {
    url: `mongodb://${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@${state.address}`,
    address: state.address,
    port: address.port,
    close() {
      closing ??= shutDown();
      return closing;
    },
  };

  async function shutDown(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    for (const socket of connections) socket.destroy(); // aborts the open transaction, which the timers may wait for
    await closed;
    await stopTimers();
    state.snapshots.endAll();
    await store.close();
  }
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

/** Deletes expired documents, idle cursors and old replies periodically; returns a function that stops this. */
function startTimers({ store, cursors, snapshots }: ServerState): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let isRunning = false;
  const expiry = setInterval(() => {
    snapshots.expire();
    if (isRunning) return;
    isRunning = true;
    running = deleteExpired(store)
      .catch((error: unknown) => console.error('embedded mongodb: deleting expired documents failed', error))
      .finally(() => {
        isRunning = false;
      });
  }, EXPIRY_INTERVAL_MS);
  const housekeeping = setInterval(() => {
    cursors.expire();
    store
      .write(() => forgetOldReplies(store.working))
      .catch((error: unknown) => console.error('embedded mongodb: housekeeping failed', error));
  }, HOUSEKEEPING_INTERVAL_MS);
  return async () => {
    clearInterval(expiry);
    clearInterval(housekeeping);
    await running;
  };
}
