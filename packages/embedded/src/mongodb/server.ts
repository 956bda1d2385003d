import { once } from 'node:events';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { ServerState } from './commands/request.ts';
import { Connection } from './connection.ts';
import { Cursors } from './cursors.ts';
import { deleteExpired } from './expiry.ts';
import { forgetOldReplies } from './retries.ts';
import { Snapshots } from './snapshots.ts';
import { Store } from './storage/store.ts';
import { Transactions } from './transactions.ts';

export interface MongoServerOptions {
  /** The data folder; created if it does not exist. Only one server at a time may use it. */
  dataDir: string;
  /**
   * The path of the Unix socket, at most 103 bytes; by default `mongodb.sock` in the data folder. Its folder is created
   * if it does not exist. Only the user of this process may use the two folders.
   */
  socket?: string | undefined;
  /** A port of 127.0.0.1 to listen on instead, where every user of the machine can read and write everything. */
  openPort?: number | undefined;
}

export interface MongoServer {
  /** For `MongoClient`. */
  url: string;
  /** Finishes accepted writes, then closes the connections and the files. */
  close(): Promise<void>;
}

/** macOS allows 103 bytes, Linux 107. */
const SOCKET_PATH_MAX = 103;
const EXPIRY_INTERVAL_MS = 1000;
const HOUSEKEEPING_INTERVAL_MS = 60_000;

/**
 * Starts a server that speaks MongoDB's wire protocol, for machines without MongoDB: the only member of the replica set
 * `rs0`. It supports what Waymark uses and refuses everything else with MongoDB's own error. It listens on a Unix socket
 * that only the user of this process can reach, so it needs no password. An acknowledged write survives the death of
 * the process (see `Store`). Rejects if the path of the socket is too long, or another server listens there.
 */
export async function startMongoServer({ dataDir, socket, openPort }: MongoServerOptions): Promise<MongoServer> {
  makePrivate(resolve(dataDir));
  const path = openPort === undefined ? resolve(socket ?? join(dataDir, 'mongodb.sock')) : undefined;
  if (path !== undefined) await prepareSocket(path);
  const store = new Store(dataDir);
  const cursors = new Cursors();
  const state: ServerState = {
    store,
    cursors,
    transactions: new Transactions(store, cursors),
    snapshots: new Snapshots(store),
    address: path ?? '',
  };
  const connections = new Set<Socket>();
  let lastConnectionId = 0;
  const server = createServer({ noDelay: true }, (client) => {
    connections.add(client);
    client.once('close', () => connections.delete(client));
    lastConnectionId += 1;
    new Connection(client, lastConnectionId, state).start();
  });
  try {
    server.listen(path === undefined ? { port: openPort, host: '127.0.0.1' } : { path });
    await once(server, 'listening');
  } catch (error) {
    await store.close();
    throw error;
  }
  if (path === undefined) state.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stopTimers = startTimers(state);
  let closing: Promise<void> | undefined;
  return {
    // The driver would put the addresses of a replica set into lower case, and with them the path.
    url: `mongodb://${path === undefined ? state.address : encodeURIComponent(path)}/?directConnection=true`,
    close() {
      closing ??= shutDown();
      return closing;
    },
  };

  async function shutDown(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    for (const client of connections) client.destroy(); // aborts the open transaction, which the timers may wait for
    await closed;
    await stopTimers();
    state.snapshots.endAll();
    await store.close();
  }
}

/** Creates a folder that only the user of this process can enter. Throws if it exists and others can. */
function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(folder);
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0)
    throw new Error(`only the user of the embedded MongoDB may use ${folder}: change its owner, or its mode to 700`);
}

/** Makes way for the socket: removes the file that a killed server left. */
async function prepareSocket(path: string): Promise<void> {
  if (Buffer.byteLength(path) > SOCKET_PATH_MAX)
    throw new Error(`the path of the socket ${path} is longer than ${SOCKET_PATH_MAX} bytes: choose a shorter folder`);
  makePrivate(dirname(path));
  const other = connect({ path });
  const isTaken = await once(other, 'connect').then(
    () => true,
    () => false,
  );
  other.destroy();
  if (isTaken) throw new Error(`another server listens on ${path}`);
  rmSync(path, { force: true });
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
