import { request } from 'node:http';
import type { Socket } from 'node:net';
import type { Identity } from '@waymark/auth';
import {
  FrameReader,
  frameOf,
  IDENTITY_HEADER,
  VISITS_PATH,
  VISITS_PROTOCOL,
  type Visit,
  type VisitAnswers,
  type VisitsMessage,
} from '@waymark/proto';
import { type Service, signer } from './service.ts';

/** A connection on which a test sends visits, as the gateway does. */
export interface TestVisits {
  socket: Socket;
  ask(visits: Visit[]): Promise<VisitAnswers>;
  /** Resolves when the service asks for the end of the connection. */
  stopping: Promise<void>;
  closed: Promise<void>;
  /** Ends this side; resolves when the service has ended its own. */
  end(): Promise<void>;
}

/** Opens a connection for visits. Rejects where the service does not. */
export async function openVisits(service: Service, identity: Identity): Promise<TestVisits> {
  const answer = await requestVisits(service, identity);
  if (answer.socket === undefined) throw new Error(`no connection: ${answer.status} ${answer.body}`);
  const { socket } = answer;
  const reader = new FrameReader(1e7);
  const asked = new Map<number, (answers: VisitAnswers) => void>();
  const stopping = Promise.withResolvers<void>();
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    for (const message of reader.read(chunk) as VisitsMessage[]) {
      if ('stopping' in message) stopping.resolve();
      else asked.get(message.id)!(message.answers);
    }
  });
  return {
    socket,
    ask: (visits) =>
      new Promise((resolve) => {
        const id = asked.size + 1;
        asked.set(id, resolve);
        socket.write(frameOf({ id, visits }));
      }),
    stopping: stopping.promise,
    closed,
    end() {
      socket.end();
      return closed;
    },
  };
}

/** Asks for a connection: the socket where it was opened, else the answer. */
export async function requestVisits(
  { origin }: Service,
  identity: Identity | null,
  path = VISITS_PATH,
  upgrade = VISITS_PROTOCOL,
): Promise<{ status: number; body: string; socket?: Socket }> {
  const headers = { connection: 'Upgrade', upgrade, 'user-agent': 'Mozilla/5.0' };
  const token = identity === null ? {} : { [IDENTITY_HEADER]: await signer.mint(identity) };
  return new Promise((resolve, reject) => {
    const sent = request(origin + path, { agent: false, headers: { ...headers, ...token } });
    sent.on('upgrade', ({ statusCode = 0 }, socket: Socket) => resolve({ status: statusCode, body: '', socket }));
    sent.on('response', async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode ?? 0, body });
    });
    sent.on('error', reject).end();
  });
}
