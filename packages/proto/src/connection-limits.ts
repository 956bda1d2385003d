import type { EventEmitter } from 'node:events';
import {
  constants,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { AddressBudget } from './address-budget.ts';
import { Health } from './gen/grpc/health/v1/health_pb.ts';

/** The most streams that a client may have open at once before it has shown an identity. */
export const UNKNOWN_STREAMS_MAX = 100;
/** HTTP/2 has no larger number. */
const KNOWN_STREAMS_MAX = 2 ** 32 - 1;
/** The most connections of one address that have not shown an identity. */
const UNKNOWN_CONNECTIONS_MAX = 100;
/** How long a connection has to show one before it counts: many replicas may connect at once. */
const UNKNOWN_AFTER_MS = 1_000;
/** What one address may spend on connections and streams that show no identity. */
const BUDGET = { burst: 1_000, perSecond: 20 };
const HEALTH_PATH = `/${Health.typeName}/`;
const HEALTH_BODY_MAX_BYTES = 4 * 1_024;
const REPORT_EVERY_MS = 60_000;

/** A limit that a client without an identity has reached. */
export interface ReachedLimit {
  /**
   * `budget`: too many connections and streams without an identity in a short time. `address`: too many open connections
   * without an identity. `server`: too many connections of all clients. `health`: the body of a health check is too large.
   */
  limit: 'budget' | 'address' | 'server' | 'health';
  /** The address that reached it last. */
  address: string;
  /** How often clients have reached it since the last report. */
  times: number;
}

/** The two ends of a connection, as grpc-js names them. */
export interface ConnectionEnds {
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
  localAddress?: string | undefined;
}

interface Connection {
  readonly ends: string;
  readonly address: string;
  readonly socket: Socket;
  session?: ServerHttp2Session;
  hasOpenedStream: boolean;
  /** Whether it has had its time to show an identity. */
  isDue: boolean;
  /** What it took from the budget of its address. */
  spent: number;
}

/**
 * Limits what clients without an identity cost a gRPC server. A connection is unknown until a call on it has shown an
 * identity. From then on nothing is limited, because it belongs to one of our services.
 * - Each unknown connection, and each of its streams after the first, takes one from the budget of its address: 1,000 at
 *   once, 20 a second. An identity refunds it. Without budget, a connection is refused or closed.
 * - An address has at most 100 unknown connections. The oldest is closed for a new one.
 * - All clients together have `connectionsMax` connections. The oldest unknown one is closed for a new one.
 * - A health check, which needs no identity, has a body of at most 4 KiB, not compressed.
 */
export class ConnectionLimits {
  readonly #connectionsMax: number;
  readonly #onLimit: (reached: ReachedLimit) => void;
  readonly #budget = new AddressBudget(BUDGET);
  readonly #connections = new Map<string, Connection>();
  /** The oldest is first. */
  readonly #unknown = new Set<Connection>();
  readonly #ofSession = new WeakMap<Http2Session, Connection>();
  readonly #reports = new Map<ReachedLimit['limit'], { times: number; nextAtMs: number }>();

  constructor(connectionsMax: number, onLimit: (reached: ReachedLimit) => void) {
    this.#connectionsMax = connectionsMax;
    this.#onLimit = onLimit;
  }

  /** Applies the limits to a server of grpc-js, which must have its listeners already. */
  apply(server: Http2Server): void {
    filterEvents(server, 'connection', (socket: Socket) => this.#acceptConnection(socket));
    filterEvents(server, 'stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) =>
      this.#acceptStream(stream, headers),
    );
    server.on('session', (session) => {
      const connection = this.#connections.get(endsOf(session.socket));
      if (connection === undefined) return;
      connection.session = session;
      this.#ofSession.set(session, connection);
    });
  }

  /** Records that a call on this connection has shown an identity. */
  showIdentity(ends: ConnectionEnds): void {
    const connection = this.#connections.get(endsOf(ends));
    if (connection === undefined || !this.#unknown.delete(connection)) return;
    this.#budget.refund(connection.address, connection.spent);
    if (connection.session?.destroyed === false)
      connection.session.settings({ maxConcurrentStreams: KNOWN_STREAMS_MAX });
  }

  #acceptConnection(socket: Socket): boolean {
    const refuse = (limit?: ReachedLimit['limit']) => {
      if (limit !== undefined) this.#report(limit, address);
      socket.destroy();
      return false;
    };
    const address = socket.remoteAddress ?? '';
    // The client has closed it already.
    if (address === '') return refuse();
    if (!this.#budget.acquire(address)) return refuse('budget');
    if (this.#connections.size >= this.#connectionsMax) {
      const [oldest] = this.#unknown;
      if (oldest === undefined) return refuse('server');
      this.#close(oldest, 'server');
    }
    const connection: Connection = {
      ends: endsOf(socket),
      address,
      socket,
      hasOpenedStream: false,
      isDue: false,
      spent: 1,
    };
    this.#connections.set(connection.ends, connection);
    this.#unknown.add(connection);
    const timer = setTimeout(() => {
      connection.isDue = true;
      this.#closeExcess(address);
    }, UNKNOWN_AFTER_MS).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      this.#forget(connection);
    });
    return true;
  }

  #acceptStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean {
    const { session } = stream;
    const connection = session && this.#ofSession.get(session);
    // Clients that connected before the limits applied have to connect again.
    if (connection === undefined) {
      stream.on('error', () => {});
      session?.destroy();
      return false;
    }
    if (this.#unknown.has(connection) && !this.#mayOpenStream(connection)) {
      stream.on('error', () => {});
      this.#close(connection, 'budget');
      return false;
    }
    closeWithResponse(stream);
    if (headers[':path']?.startsWith(HEALTH_PATH))
      limitHealthCheck(stream, headers, () => this.#report('health', connection.address));
    return true;
  }

  /** Lets the first stream show the identity, which the connection has paid for. */
  #mayOpenStream(connection: Connection): boolean {
    if (connection.hasOpenedStream) {
      if (!this.#budget.acquire(connection.address)) return false;
      connection.spent += 1;
    }
    connection.hasOpenedStream = true;
    return true;
  }

  #closeExcess(address: string): void {
    const unknown = [...this.#unknown].filter((connection) => connection.address === address);
    const excess = unknown.slice(0, Math.max(0, unknown.length - UNKNOWN_CONNECTIONS_MAX));
    for (const connection of excess) if (connection.isDue) this.#close(connection, 'address');
  }

  #close(connection: Connection, limit: ReachedLimit['limit']): void {
    this.#report(limit, connection.address);
    this.#forget(connection);
    const { session, socket } = connection;
    if (session?.destroyed === false) {
      session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      session.destroy();
    }
    // A session that was closing would wait for its client.
    socket.destroy();
  }

  #forget(connection: Connection): void {
    this.#unknown.delete(connection);
    // A new connection may have the same ends already.
    if (this.#connections.get(connection.ends) === connection) this.#connections.delete(connection.ends);
  }

  /** Reports a limit at once, and again at most once a minute. */
  #report(limit: ReachedLimit['limit'], address: string): void {
    const now = performance.now();
    const { times, nextAtMs } = this.#reports.get(limit) ?? { times: 0, nextAtMs: now };
    if (now < nextAtMs) {
      this.#reports.set(limit, { times: times + 1, nextAtMs });
      return;
    }
    this.#reports.set(limit, { times: 0, nextAtMs: now + REPORT_EVERY_MS });
    this.#onLimit({ limit, address, times: times + 1 });
  }
}

function endsOf({ remoteAddress, remotePort, localAddress }: ConnectionEnds): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** Lets the present listeners of an event have only what `accept` accepts. */
function filterEvents<Args extends unknown[]>(
  emitter: EventEmitter,
  event: string,
  accept: (...args: Args) => boolean,
): void {
  const listeners = emitter.listeners(event);
  emitter.removeAllListeners(event);
  emitter.on(event, (...args) => {
    if (!accept(...(args as Args))) return;
    for (const listener of listeners) listener.apply(emitter, args);
  });
}

/** Closes a stream when its response is sent, if the rest of its request has not arrived: nobody reads it any more. */
function closeWithResponse(stream: ServerHttp2Stream): void {
  stream.once('finish', () => {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  });
}

/** Closes a stream with a health check that is too large. The client gets `RESOURCE_EXHAUSTED`. */
function limitHealthCheck(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, onRefused: () => void): void {
  const refuse = () => {
    onRefused();
    stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  };
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > HEALTH_BODY_MAX_BYTES && !stream.closed) refuse();
  });
  // A small compressed body may be a large message.
  if ((headers['grpc-encoding'] ?? 'identity') !== 'identity') refuse();
}
