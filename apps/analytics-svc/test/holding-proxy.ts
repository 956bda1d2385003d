import { connect, createServer, type Socket } from 'node:net';

/**
 * Starts a proxy in front of ClickHouse. While it holds, it keeps what clients send, even after they disconnect, as the
 * buffer of a socket does. Listens on any free port unless one is given.
 */
export async function startHoldingProxy(target: URL, onPort = 0) {
  let holding = false;
  const held: (() => void)[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.on('data', (data) => {
      if (holding) held.push(() => upstream.write(data));
      else upstream.write(data);
    });
    upstream.on('data', (data) => client.writable && client.write(data));
    upstream.on('close', () => client.destroy());
  });
  const port = await new Promise<number>((resolve) =>
    proxy.listen(onPort, '127.0.0.1', () => resolve((proxy.address() as { port: number }).port)),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    hold() {
      holding = true;
    },
    /** Lets new data through. Data that is held stays held. */
    passNew() {
      holding = false;
    },
    heldCount: () => held.length,
    releaseHeld() {
      for (const write of held.splice(0)) write();
    },
    close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
