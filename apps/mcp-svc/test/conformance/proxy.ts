import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { identityHeader } from '../stack.ts';

/** A proxy on loopback that does what the gateway does for a valid key: it adds a signed identity to every request. */
export async function startIdentityProxy(target: URL, port = 0) {
  const server = createServer(async (request, response) => {
    const upstream = sendRequest(
      new URL(request.url ?? '/', target),
      { method: request.method ?? 'GET', headers: { ...request.headers, ...(await identityHeader()) } },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
