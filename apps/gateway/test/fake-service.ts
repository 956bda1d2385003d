import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { FrameReader, frameOf, type VisitAnswers, type VisitsMessage, type VisitsRequest } from '@waymark/proto';

/** What a service behind the gateway got. */
export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A connection for visits, as a test sees it. */
export interface FakeVisits {
  /** The request that began it. */
  request: IncomingMessage;
  socket: Socket;
  send(message: VisitsMessage): void;
}

/** Takes a batch of visits; what it gives is the answer, and no answer where it gives nothing. */
type TakeVisits = (batch: VisitsRequest, connection: FakeVisits) => VisitAnswers | undefined;

export interface FakeService {
  origin: string;
  received: Received[];
  /** Takes the next requests to this path in place of the echo. */
  on(path: string, answer: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Takes the next batches of visits. */
  onVisits(take: TakeVisits): void;
  /** Takes the next requests for a connection for visits, in place of opening it. */
  onUpgrade(take: (request: IncomingMessage, socket: Socket) => void): void;
  /** The connections for visits that were opened. */
  visits: FakeVisits[];
  close(): Promise<void>;
}

/** A real HTTP server that answers 200 and what it got as JSON, is ready, and knows no visitor's link at once. */
export async function startFakeService(): Promise<FakeService> {
  const received: Received[] = [];
  const answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!;
    if (path === '/readyz' && !answers.has(path)) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ready"}');
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      const got = { method: method!, url: url!, headers, body: Buffer.concat(chunks).toString() };
      const answer = answers.get(path);
      if (path !== '/readyz') received.push(got);
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
  const visits: FakeVisits[] = [];
  let takeVisits: TakeVisits = (batch) => batch.visits.map(() => null);
  let takeUpgrade = (request: IncomingMessage, socket: Socket) => {
    const connection: FakeVisits = { request, socket, send: (message) => void socket.write(frameOf(message)) };
    const reader = new FrameReader(1e6);
    visits.push(connection);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: waymark-visits\r\n\r\n');
    socket.on('error', () => {}).on('end', () => socket.end());
    socket.on('data', (chunk: Buffer) => {
      for (const batch of reader.read(chunk) as VisitsRequest[]) {
        const answers = takeVisits(batch, connection);
        if (answers !== undefined) connection.send({ id: batch.id, answers });
      }
    });
  };
  server.on('upgrade', (request, socket) => takeUpgrade(request, socket as Socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    on: (path, answer) => void answers.set(path, answer),
    onVisits(take) {
      takeVisits = take;
    },
    onUpgrade(take) {
      takeUpgrade = take;
    },
    visits,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const { socket } of visits) socket.destroy();
      }),
  };
}
