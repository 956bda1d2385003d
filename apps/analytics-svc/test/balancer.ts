import { connect, createServer, type Socket } from 'node:net';

/**
 * Starts a balancer in front of replicas of ClickHouse. Each connection goes to the next replica. While it loses
 * answers, it closes this share of connections when the answer arrives.
 */
export async function startBalancer(targets: readonly URL[]) {
  let lostShare = 0;
  let lost = 0;
  let connections = 0;
  const sockets = new Set<Socket>();
  const balancer = createServer((client) => {
    const target = targets[connections++ % targets.length]!;
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.on('data', (data) => upstream.write(data));
    client.on('close', () => upstream.destroy());
    upstream.on('data', (data) => {
      if (Math.random() < lostShare) {
        lost++;
        client.destroy();
      } else if (client.writable) client.write(data);
    });
    upstream.on('close', () => client.destroy());
  });
  const port = await new Promise<number>((resolve) =>
    balancer.listen(0, '127.0.0.1', () => resolve((balancer.address() as { port: number }).port)),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    loseAnswers(share: number) {
      lostShare = share;
    },
    lostCount: () => lost,
    close() {
      balancer.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
