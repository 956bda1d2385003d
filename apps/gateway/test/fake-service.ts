import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a service behind the gateway received. */
export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface FakeService {
  origin: string;
  received: Received[];
  /** Replaces the echo for the following requests to this path. */
  on(path: string, answer: (request: IncomingMessage, response: ServerResponse) => void): void;
  close(): Promise<void>;
}

const HEALTH_PATHS = ['/livez', '/readyz', '/startupz'];

/** Starts a real HTTP server that is ready and echoes each request as JSON with status 200. */
export async function startFakeService(host = '127.0.0.1', port = 0): Promise<FakeService> {
  const received: Received[] = [];
  const answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!;
    if (HEALTH_PATHS.includes(path) && !answers.has(path)) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ready"}');
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      const got = { method: method!, url: url!, headers, body: Buffer.concat(chunks).toString() };
      const answer = answers.get(path);
      if (!HEALTH_PATHS.includes(path)) received.push(got);
      if (answer) return answer(request, response);
      response
        .writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'x-powered-by': 'fake',
          'x-waymark-secret': 'internal',
          'access-control-allow-origin': 'https://fake.example',
        })
        .end(JSON.stringify(got));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    received,
    on: (path, answer) => void answers.set(path, answer),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
