import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Answer, decode, encode, type Packet } from 'dns-packet';

/** What the server does with a question besides answering it. */
export type Fault =
  | 'silent'
  | 'slow'
  | 'servfail'
  | 'refused'
  | 'reserved code'
  | 'referral'
  | 'echo'
  | 'other name'
  | 'garbage'
  | 'other id'
  | 'other question'
  | 'truncated'
  | 'truncated, no TCP';

/** RFC 1035, section 4.1.1. */
const RESPONSE = 1 << 15;
const AUTHORITATIVE = 1 << 10;
const TRUNCATED = 1 << 9;
const SERVFAIL = 2;
const NXDOMAIN = 3;
const REFUSED = 5;
const RESERVED = 15;

const SLOW_MS = 4_000;
/** The longest string in a TXT record. */
const STRING_MAX = 255;

/** A name server on loopback, over UDP and TCP. */
export class DnsServer {
  /** The values of TXT records, by name. A name that is missing does not exist; one with no values has other records. */
  readonly records = new Map<string, string[]>();
  /** Names that are aliases of others. */
  readonly aliases = new Map<string, string>();
  readonly faults = new Map<string, Fault>();
  /** The questions in their order. */
  readonly asked: { name: string; over: 'udp' | 'tcp' }[] = [];
  readonly #udp = createSocket('udp4');
  readonly #tcp = createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<Socket>();

  private constructor() {}

  /** Starts a server on a port, or on any free one. */
  static async start(port = 0): Promise<DnsServer> {
    const server = new DnsServer();
    server.#tcp.listen(port, '127.0.0.1');
    await once(server.#tcp, 'listening');
    server.#udp.bind((server.#tcp.address() as AddressInfo).port, '127.0.0.1');
    await once(server.#udp, 'listening');
    server.#udp.on('message', (message, { port, address }) =>
      server.#answer(message, 'udp', (answer) => server.#udp.send(answer, port, address, () => {})),
    );
    return server;
  }

  /** `address:port`, as DNS_SERVERS has it. */
  get address(): string {
    return `127.0.0.1:${this.#udp.address().port}`;
  }

  async close(): Promise<void> {
    this.#udp.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#tcp.close();
    await once(this.#tcp, 'close');
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
    let received = Buffer.alloc(0);
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const length = received.readUInt16BE(0);
        this.#answer(received.subarray(2, 2 + length), 'tcp', (answer) => {
          const prefix = Buffer.alloc(2);
          prefix.writeUInt16BE(answer.length);
          socket.write(Buffer.concat([prefix, answer]));
        });
        received = received.subarray(2 + length);
      }
    });
  }

  #answer(message: Buffer, over: 'udp' | 'tcp', send: (answer: Buffer) => void): void {
    const [question] = decode(message).questions ?? [];
    if (question === undefined) return;
    const name = question.name.toLowerCase();
    this.asked.push({ name, over });
    const answer = this.#answerTo(message, name, over);
    if (answer === null) return;
    if (this.faults.get(name) === 'slow') setTimeout(() => send(answer), SLOW_MS).unref();
    else send(answer);
  }

  /** Returns the answer, or null for none. */
  #answerTo(message: Buffer, name: string, over: 'udp' | 'tcp'): Buffer | null {
    const { id = 0, questions = [] } = decode(message);
    const alias = this.aliases.get(name);
    const owner = alias ?? name;
    const values = this.records.get(owner);
    const txt = (values ?? []).map((value): Answer => ({ type: 'TXT', name: owner, ttl: 1, data: stringsOf(value) }));
    const answers: Answer[] = alias === undefined ? txt : [{ type: 'CNAME', name, ttl: 1, data: alias }, ...txt];
    const nothing: Packet = { type: 'response', id, questions, flags: AUTHORITATIVE | NXDOMAIN };
    const right = values === undefined ? nothing : { ...nothing, answers, flags: AUTHORITATIVE };
    const respond = (packet: Packet) => encode({ ...packet, flags: RESPONSE | (packet.flags ?? 0) });
    switch (this.faults.get(name)) {
      case 'silent':
        return null;
      case 'servfail':
        return respond({ ...nothing, flags: SERVFAIL });
      case 'refused':
        return respond({ ...nothing, flags: REFUSED });
      case 'reserved code':
        return respond({ ...nothing, flags: RESERVED });
      case 'referral':
        return respond({
          ...nothing,
          flags: 0,
          authorities: [{ type: 'NS', name: 'com', ttl: 1, data: 'ns.example' }],
        });
      case 'echo':
        return message;
      case 'other name':
        return respond({ ...right, answers: [{ type: 'TXT', name: `x${name}`, ttl: 1, data: ['x'] }], flags: 0 });
      case 'garbage':
        return Buffer.concat([message.subarray(0, 2), Buffer.from('8180000100ff', 'hex'), Buffer.alloc(9, 0xc0)]);
      case 'other id':
        return respond({ ...nothing, id: id ^ 1 });
      case 'other question':
        return respond({ ...nothing, questions: questions.map((one) => ({ ...one, name: `x${name}` })) });
      case 'truncated':
        return respond(over === 'tcp' ? right : { ...nothing, flags: TRUNCATED });
      case 'truncated, no TCP':
        return over === 'tcp' ? null : respond({ ...nothing, flags: TRUNCATED });
      default:
        return respond(right);
    }
  }
}

function stringsOf(value: string): string[] {
  return value.match(new RegExp(`.{1,${STRING_MAX}}`, 'gs')) ?? [''];
}
