import { randomInt } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';

/**
 * The range of ports to choose from. It is below the ports that systems use for outgoing connections, because one of
 * those could take the port of a process during a restart.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const TRIES_MAX = 200;

/** Returns `count` different ports of the address that are free at the moment. */
export async function findFreePorts(count: number, host: string): Promise<number[]> {
  // Holds every port until the last one is found, so that no two are the same.
  const held: { server: Server; port: number }[] = [];
  try {
    for (let tries = 0; held.length < count; tries++) {
      if (tries === TRIES_MAX + count) throw new Error(`Found no ${count} free ports on ${host}.`);
      const port = randomInt(FIRST_PORT, LAST_PORT);
      const server = await listen(port, host);
      if (server !== null) held.push({ server, port });
    }
    return held.map(({ port }) => port);
  } finally {
    await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  }
}

/** Returns true if a process could listen on the port of the address right now. */
export async function isPortFree(port: number, host: string): Promise<boolean> {
  const server = await listen(port, host);
  if (server === null) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/** Returns true if something accepts connections on the port of the address. */
export function isListening(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1000 });
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
