import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AttackedStack } from './attacked-stack.ts';

/** Starts an HTTP server on loopback that ends with the stack. Returns its port. */
export async function serve(listener: RequestListener, onClose: AttackedStack['onClose']): Promise<number> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onClose(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
