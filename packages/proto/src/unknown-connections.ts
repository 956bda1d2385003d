import type { EventEmitter } from 'node:events';
import { constants, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Health } from './gen/grpc/health/v1/health_pb.ts';

/** How many connections and further streams without an identity an address may open in each window. */
const SPENT_MAX = 500;
const WINDOW_MS = 10_000;
const ADDRESSES_MAX = 10_000;
const HEALTH_PATH = `/${Health.typeName}/`;
const HEALTH_BODY_MAX_BYTES = 4 * 1_024;
const REPORT_EVERY_MS = 60_000;

/** A limit that a client without an identity has reached. */
export interface ReachedLimit {
  /**
   * `address`: too many connections and streams in a short time. `server`: too many connections of all addresses.
   * `health`: the body of a health check is too large.
   */
  limit: 'address' | 'server' | 'health';
  address: string;
}

/** The two ends of a connection, as grpc-js names them. */
export interface ConnectionEnds {
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
  localAddress?: string | undefined;
}

interface Connection {
  readonly address: string;
  readonly socket: Socket;
  /** What it took from its address. */
  spent: number;
  streams: number;
}

/**
 * Limits what clients without an identity cost a gRPC server. HTTP/2's own limits count anew on each connection. A
 * connection is unknown until a call on it has shown an identity. From then on nothing is limited, because it belongs to
 * one of our services.
 * - An address may open 500 unknown connections, and streams on them after the first, in ten seconds. An identity refunds
 *   what its connection has cost. Beyond that, connections are refused or closed.
 * - For a new connection beyond `connectionsMax` unknown ones, the oldest of them is closed.
 * - A health check, which needs no identity, has a body of at most 4 KiB, not compressed.
 */
export class UnknownConnections {
  readonly #connectionsMax: number;
  readonly #onLimit: (reached: ReachedLimit) => void;
  readonly #spent = new LRUCache<string, number>({ max: ADDRESSES_MAX, ttl: WINDOW_MS, noUpdateTTL: true });
  /** By their ends, the oldest first. */
  readonly #unknown = new Map<string, Connection>();
  readonly #known = new Map<string, Connection>();
  readonly #reportedAtMs = new Map<ReachedLimit['limit'], number>();

  constructor(connectionsMax: number, onLimit: (reached: ReachedLimit) => void) {
    this.#connectionsMax = connectionsMax;
    this.#onLimit = onLimit;
  }

  /** Applies the limits to a server of grpc-js, which must have its listeners already. */
  applyTo(server: Http2Server): void {
    filterEvents(server, 'connection', (socket: Socket) => this.#acceptConnection(socket));
    filterEvents(server, 'stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) =>
      this.#acceptStream(stream, headers),
    );
  }

  /** Records that a call on this connection has shown an identity. */
  showIdentity(ends: ConnectionEnds): void {
    const key = keyOf(ends);
    const connection = this.#unknown.get(key);
    if (connection === undefined) return;
    this.#unknown.delete(key);
    this.#known.set(key, connection);
    const spent = this.#spent.get(connection.address) ?? 0;
    this.#spent.set(connection.address, Math.max(0, spent - connection.spent));
  }

  #acceptConnection(socket: Socket): boolean {
    const address = socket.remoteAddress;
    // The client may have closed it already.
    if (address === undefined || !this.#spend(address)) {
      socket.destroy();
      return false;
    }
    const key = keyOf(socket);
    const connection = { address, socket, spent: 1, streams: 0 };
    this.#unknown.set(key, connection);
    socket.once('close', () => {
      // A new connection may have the same ends already.
      for (const all of [this.#unknown, this.#known]) if (all.get(key) === connection) all.delete(key);
    });
    if (this.#unknown.size > this.#connectionsMax) {
      const [[oldest, { address, socket }]] = this.#unknown as unknown as [[string, Connection]];
      this.#unknown.delete(oldest);
      this.#report('server', address);
      socket.destroy();
    }
    return true;
  }

  #acceptStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean {
    const socket = stream.session?.socket;
    const key = socket === undefined ? '' : keyOf(socket);
    const connection = this.#unknown.get(key);
    // Clients that connected before the limits applied have to connect again.
    const mayOpen = connection === undefined ? this.#known.has(key) : this.#mayOpenStream(connection);
    if (!mayOpen) {
      stream.on('error', () => {});
      stream.session?.destroy();
      connection?.socket.destroy();
      return false;
    }
    closeWithResponse(stream);
    if (headers[':path']?.startsWith(HEALTH_PATH))
      limitHealthCheck(stream, headers, () => this.#report('health', socket?.remoteAddress ?? ''));
    return true;
  }

  /** Lets the first stream show the identity, which the connection has paid for. */
  #mayOpenStream(connection: Connection): boolean {
    connection.streams += 1;
    if (connection.streams === 1) return true;
    connection.spent += 1;
    return this.#spend(connection.address);
  }

  #spend(address: string): boolean {
    const spent = (this.#spent.get(address) ?? 0) + 1;
    if (spent > SPENT_MAX) this.#report('address', address);
    else this.#spent.set(address, spent);
    return spent <= SPENT_MAX;
  }

  /** Reports each limit at most once a minute. */
  #report(limit: ReachedLimit['limit'], address: string): void {
    const now = performance.now();
    if (now - (this.#reportedAtMs.get(limit) ?? -Infinity) < REPORT_EVERY_MS) return;
    this.#reportedAtMs.set(limit, now);
    this.#onLimit({ limit, address });
  }
}

function keyOf({ remoteAddress, remotePort, localAddress }: ConnectionEnds): string {
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
