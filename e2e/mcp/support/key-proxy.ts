import { createServer, type Server, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A local server that forwards requests. */
export interface KeyProxy {
  /** The origin that clients use, with `localhost`. */
  origin: string;
  /** The origin of the gateway. Must be set before the first request. */
  target: string;
  close(): Promise<void>;
}

/** Starts a proxy that adds `Authorization: Bearer <key>` to every request, for clients that cannot send the header. */
export async function startKeyProxy(key: string): Promise<KeyProxy> {
  const server: Server = createServer((incoming, response) => {
    const outgoing = sendRequest(
      new URL(incoming.url!, proxy.target),
      { method: incoming.method!, headers: { ...incoming.headers, authorization: `Bearer ${key}` } },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: KeyProxy = {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    target: '',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
