import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Counter, Gauge, type Registry } from 'prom-client';

/** How often connections are checked. */
const SWEEP_EVERY_MS = 250;
/**
 * How long a connection may make no progress. The operating system accepts more bytes only when a third of its buffer
 * (at most a few MiB) is free again, so a slow client shows no progress for many seconds.
 */
const STALLED_AFTER_MS = 30_000;
/** How long bytes that are written to a connection may take to leave. A stream writes few bytes at a time. */
const SLOW_AFTER_MS = 120_000;
/** The most unsent bytes of all connections together. */
const BUDGET_BYTES = 64 * 1024 * 1024;
/** How long a client that reads may make no progress because one side is busy. */
const PAUSE_MAX_MS = 1_000;

/** The reason why a connection was cut. */
type CutReason = 'stalled' | 'slow' | 'budget' | 'pipelined';

/** A connection with bytes that Node has not sent yet. */
interface Backlog {
  socket: Socket;
  unsentBytes: number;
  sentBytes: number;
  /** When bytes last left. */
  progressAt: number;
  /** The total of bytes written at `sinceAt`. When all of them have left, both fields are set to the present. */
  writtenBytes: number;
  sinceAt: number;
}

/**
 * Limits what a server holds for clients that do not read. Node limits the time of requests and of idle connections,
 * but neither the size nor the age of unsent bytes. Cuts a connection
 * - if none of its unsent bytes left for 30 seconds,
 * - if bytes that were written to it have not left after two minutes (up to four, see {@link Backlog}),
 * - if all connections together hold over 64 MiB: first those that hold the most bytes for the longest time. Only
 *   connections that made no progress for a second are cut for this reason.
 * Connections that are idle or wait for a response hold nothing. The metrics are `http_unsent_bytes` and
 * `http_connections_cut_total`.
 */
export function boundUnsentBytes(
  server: Server,
  registry: Registry | undefined,
): { cut(socket: Socket, reason: CutReason): void } {
  const sockets = new Set<Socket>();
  const backlogs = new Map<Socket, Backlog>();
  const countCut = registry === undefined ? () => {} : createMetrics(registry, sockets);
  const cut = (socket: Socket, reason: CutReason) => {
    countCut(reason);
    backlogs.delete(socket);
    socket.destroy();
  };

  function sweep(): void {
    const now = performance.now();
    let totalBytes = 0;
    for (const socket of sockets) {
      const backlog = observe(socket, backlogs.get(socket), now);
      if (backlog === null) {
        backlogs.delete(socket);
        continue;
      }
      backlogs.set(socket, backlog);
      if (now - backlog.progressAt >= STALLED_AFTER_MS) cut(socket, 'stalled');
      else if (now - backlog.sinceAt >= SLOW_AFTER_MS) cut(socket, 'slow');
      else totalBytes += backlog.unsentBytes;
    }
    if (totalBytes > BUDGET_BYTES) cutWorst(totalBytes - BUDGET_BYTES, now);
  }

  /** Cuts the worst connections that make no progress, until `bytes` are free or no such connection is left. */
  function cutWorst(bytes: number, now: number): void {
    const weight = ({ unsentBytes, sinceAt }: Backlog) => unsentBytes * (now - sinceAt);
    const stuck = [...backlogs.values()].filter(({ progressAt }) => now - progressAt >= PAUSE_MAX_MS);
    let leftBytes = bytes;
    for (const { socket, unsentBytes } of stuck.sort((a, b) => weight(b) - weight(a))) {
      if (leftBytes <= 0) return;
      cut(socket, 'budget');
      leftBytes -= unsentBytes;
    }
  }

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      backlogs.delete(socket);
    });
  });
  server.on('listening', () => {
    const timer = setInterval(sweep, SWEEP_EVERY_MS).unref();
    server.once('close', () => clearInterval(timer));
  });
  return { cut };
}

/** Returns the current backlog of a connection, or null if it has none. */
function observe(socket: Socket, before: Backlog | undefined, now: number): Backlog | null {
  const unsentBytes = unsentBytesOf(socket);
  if (unsentBytes === 0) return null;
  const writtenBytes = socket.bytesWritten;
  const sentBytes = writtenBytes - unsentBytes;
  if (before === undefined) return { socket, unsentBytes, sentBytes, progressAt: now, writtenBytes, sinceAt: now };
  const hasMoved = sentBytes > before.sentBytes;
  const hasLeft = sentBytes >= before.writtenBytes;
  return {
    socket,
    unsentBytes,
    sentBytes,
    progressAt: hasMoved ? now : before.progressAt,
    writtenBytes: hasLeft ? writtenBytes : before.writtenBytes,
    sinceAt: hasLeft ? now : before.sinceAt,
  };
}

/** The internal handle of a Node socket. Only it knows how many bytes of a long write have left. */
interface WriteHandle {
  bytesWritten: number;
  writeQueueSize: number;
}

/** Returns how many bytes were written to a connection and are not in the operating system's buffers yet. */
function unsentBytesOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: WriteHandle | null };
  if (handle === null || socket.writableLength === 0) return 0;
  return socket.bytesWritten - handle.bytesWritten + handle.writeQueueSize;
}

function createMetrics(registry: Registry, sockets: Set<Socket>): (reason: CutReason) => void {
  new Gauge({
    name: 'http_unsent_bytes',
    help: 'Bytes of responses that wait in this process for clients to read them.',
    registers: [registry],
    collect() {
      this.set([...sockets].reduce((sum, socket) => sum + unsentBytesOf(socket), 0));
    },
  });
  const cuts = new Counter({
    name: 'http_connections_cut_total',
    help: 'Connections that the server cut, by reason (stalled, slow, budget, pipelined).',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of ['stalled', 'slow', 'budget', 'pipelined'] satisfies CutReason[]) cuts.labels(reason).inc(0);
  return (reason) => cuts.labels(reason).inc();
}
