import { randomInt } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';

/**
 * The range of ports to choose from. It is below the ports that systems use for outgoing connections, because one of
 * those could take the port of a process during a restart.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
/** Each process chooses from a row of its own. A stack of two replicas each needs 14 ports. */
const ROW_PORTS = 100;
const ROWS = (LAST_PORT - FIRST_PORT) / ROW_PORTS;
const LOOPBACK = '127.0.0.1';

let row: Promise<number> | undefined;
let turn = 0;

/**
 * Returns `count` different ports of the address that are free at the moment. No other process that uses this function
 * chooses them, although nothing listens on them yet: stacks may start at the same time.
 */
export async function findFreePorts(count: number, host: string): Promise<number[]> {
  row ??= reserveRow();
  const first = await row;
  const found: number[] = [];
  // In round-robin order, so that concurrent calls choose different ports.
  for (let tries = 1; found.length < count; tries++) {
    if (tries === ROW_PORTS) throw new Error(`Found no ${count} free ports on ${host}.`);
    const port = first + (turn++ % ROW_PORTS);
    if (port !== first && (await isPortFree(port, host))) found.push(port);
  }
  return found;
}

/** Reserves a row of ports by listening on its first port until this process ends. Returns that port. */
async function reserveRow(): Promise<number> {
  const start = randomInt(ROWS);
  for (let n = 0; n < ROWS; n++) {
    const first = FIRST_PORT + ((start + n) % ROWS) * ROW_PORTS;
    const server = await listen(first, LOOPBACK);
    if (server === null) continue;
    server.on('connection', (socket) => socket.destroy());
    server.unref();
    return first;
  }
  throw new Error(`Found no free row of ${ROW_PORTS} ports between ${FIRST_PORT} and ${LAST_PORT}.`);
}

/** Returns true if a process could listen on the port of the address right now. */
export async function isPortFree(port: number, host: string): Promise<boolean> {
  const server = await listen(port, host);
  if (server === null) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/** Returns true if something accepts connections on the port of an address, or on a Unix socket. */
export function isListening(at: { port: number; host: string } | { path: string }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...at, timeout: 1000 });
    const answer = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
  });
}

function listen(port: number, host: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}
