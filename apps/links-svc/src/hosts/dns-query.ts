import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { type DecodedPacket, decode, encode, type Packet, RECURSION_DESIRED } from 'dns-packet';

/** A name server. */
export interface NameServer {
  address: string;
  port: number;
}

const DNS_PORT = 53;
/** RFC 1035, section 4.2.2: a message over TCP has its length before it. */
const LENGTH_BYTES = 2;

/** Returns the name server of `ADDRESS`, `ADDRESS:PORT` or `[ADDRESS]:PORT`. */
export function nameServer(text: string): NameServer {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  return { address: bracketed ?? plain ?? text, port: port === undefined ? DNS_PORT : Number(port) };
}

/**
 * Asks a name server for the TXT records of a name, over UDP, and over TCP if the response is truncated. What does not
 * belong to the query is ignored. Rejects if the server cannot be reached, or once the signal aborts.
 */
export async function queryTxt(server: NameServer, name: string, signal: AbortSignal): Promise<DecodedPacket> {
  const query: Packet = {
    type: 'query',
    id: randomInt(65_536),
    flags: RECURSION_DESIRED,
    questions: [{ type: 'TXT', class: 'IN', name }],
  };
  const response = await overUdp(server, query, signal);
  return response.flag_tc ? overTcp(server, query, signal) : response;
}

function overUdp({ address, port }: NameServer, query: Packet, signal: AbortSignal): Promise<DecodedPacket> {
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', signal });
  return settle<DecodedPacket>(signal, (resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (message) => {
      const response = responseTo(query, message);
      if (response !== null) resolve(response);
    });
    // A connected socket receives from this address only.
    socket.connect(port, address, () => socket.send(encode(query)));
  }).finally(() => {
    // An aborted signal has closed it.
    if (!signal.aborted) socket.close();
  });
}

function overTcp({ address, port }: NameServer, query: Packet, signal: AbortSignal): Promise<DecodedPacket> {
  const socket = connect({ host: address, port, signal });
  return settle<DecodedPacket>(signal, (resolve, reject) => {
    let received = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('end', () => reject(new Error('the name server ended the connection')));
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      if (received.length < LENGTH_BYTES) return;
      const end = LENGTH_BYTES + received.readUInt16BE(0);
      if (received.length < end) return;
      const response = responseTo(query, received.subarray(LENGTH_BYTES, end));
      if (response === null) reject(new Error('the response does not belong to the query'));
      else resolve(response);
    });
    const message = encode(query);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16BE(message.length);
    socket.write(Buffer.concat([length, message]));
  }).finally(() => socket.destroy());
}

/** Returns a promise that rejects once the signal aborts. */
function settle<Result>(
  signal: AbortSignal,
  start: (resolve: (result: Result) => void, reject: (error: unknown) => void) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    start(resolve, reject);
  });
}

/** Returns the message if it is a response to the query, or null. */
function responseTo(query: Packet, message: Buffer): DecodedPacket | null {
  let response: DecodedPacket;
  try {
    response = decode(message);
  } catch {
    return null;
  }
  const [asked] = query.questions!;
  const [answered, ...others] = response.questions ?? [];
  const isOurs =
    response.type === 'response' &&
    response.id === query.id &&
    others.length === 0 &&
    answered?.type === asked!.type &&
    answered.name.toLowerCase() === asked!.name.toLowerCase();
  return isOurs ? response : null;
}
