import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Counter, Gauge, type Registry } from 'prom-client';

/** How often connections are looked at. */
const SWEEP_EVERY_MS = 250;
/**
 * How long none of what waits for a client may leave. The system takes more bytes only when a third of its buffer, at
 * most a few MiB, is free again: a slow client shows no progress for many seconds.
 */
const STALLED_AFTER_MS = 30_000;
/** How long what is handed to a connection may take to leave. A stream hands over little at a time. */
const SLOW_AFTER_MS = 120_000;
/** What all connections of the server may hold together. */
const BUDGET_BYTES = 64 * 1024 * 1024;
/** How long a client that reads may seem not to, when either side is busy. */
const PAUSE_MAX_MS = 1_000;

/** Why a connection was cut. */
type CutReason = 'stalled' | 'slow' | 'budget' | 'pipelined';

/** A connection with bytes that have not left for the client. */
interface Backlog {
  socket: Socket;
  unsentBytes: number;
  sentBytes: number;
  /** When bytes left last. */
  progressAt: number;
  /** What had been handed over at `sinceAt`: none of it waits longer than from then on. */
  handedBytes: number;
  sinceAt: number;
}

/**
 * Bounds what a server holds for clients that do not read: Node bounds neither size nor time of unsent bytes, only the
 * time of requests and idle connections. Cuts a connection
 * - when none of its bytes left for 30 seconds,
 * - when bytes handed to it have not left after two minutes,
 * - when all connections together hold over 64 MiB: those that hold the most for the longest, among those from which
 *   nothing left for a second.
 * Connections that are idle or wait for a response hold nothing. `http_unsent_bytes` and `http_connections_cut_total`
 * count both.
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

  /** Cuts connections that hold so many bytes, of those from which nothing left for a while. */
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

/** The backlog of a connection now; null when it has none. */
function observe(socket: Socket, before: Backlog | undefined, now: number): Backlog | null {
  const unsentBytes = unsentBytesOf(socket);
  if (unsentBytes === 0) return null;
  const handedBytes = socket.bytesWritten;
  const sentBytes = handedBytes - unsentBytes;
  if (before === undefined) return { socket, unsentBytes, sentBytes, progressAt: now, handedBytes, sinceAt: now };
  const hasMoved = sentBytes > before.sentBytes;
  const hasLeft = sentBytes >= before.handedBytes;
  return {
    socket,
    unsentBytes,
    sentBytes,
    progressAt: hasMoved ? now : before.progressAt,
    handedBytes: hasLeft ? handedBytes : before.handedBytes,
    sinceAt: hasLeft ? now : before.sinceAt,
  };
}

/** What Node keeps of a socket's handle; what of a long write has left is known only there. */
interface WriteHandle {
  bytesWritten: number;
  writeQueueSize: number;
}

/** What was handed to a connection and is not in the system's own buffers yet. */
function unsentBytesOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: WriteHandle | null };
  if (handle === null || socket.writableLength === 0) return 0;
  return socket.bytesWritten - handle.bytesWritten + handle.writeQueueSize;
}

function createMetrics(registry: Registry, sockets: Set<Socket>): (reason: CutReason) => void {
  new Gauge({
    name: 'http_unsent_bytes',
    help: 'Bytes of responses that clients have not read and the system does not hold for them.',
    registers: [registry],
    collect() {
      this.set([...sockets].reduce((sum, socket) => sum + unsentBytesOf(socket), 0));
    },
  });
  const cuts = new Counter({
    name: 'http_connections_cut_total',
    help: 'Connections cut because of what they held, by reason (stalled, slow, budget, pipelined).',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of ['stalled', 'slow', 'budget', 'pipelined'] satisfies CutReason[]) cuts.labels(reason).inc(0);
  return (reason) => cuts.labels(reason).inc();
}
