import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Counter, Gauge, type Registry } from 'prom-client';
import { Lag } from './least-speed.ts';

/** How long a connection with a request may neither send nor receive a byte. Node looks at a long write so often. */
const STALLED_AFTER_MS = 30_000;
/** How long a write may take to leave, however long it is and even if it makes progress. */
const SLOW_AFTER_MS = 120_000;
/** The most unsent bytes of all connections together. */
const BUDGET_BYTES = 64 * 1024 * 1024;
/** How long a client that reads may make no progress because one side is busy. */
const PAUSE_MAX_MS = 1_000;
const SWEEP_EVERY_MS = 250;

/** The reason why a connection was cut. */
type CutReason = 'stalled' | 'slow' | 'budget' | 'pipelined';

/** A connection with bytes that Node has not sent yet. */
interface Backlog {
  socket: Socket;
  sentBytes: number;
  /** When a write last left completely. */
  sinceMs: number;
  lag: Lag;
}

/**
 * Limits what a server holds for clients that do not read. Cuts a connection
 * - if none of its bytes leaves for 30 to 60 seconds (Node's own timeout),
 * - if its client reads less than 4 KiB a second, with a patience of 10 seconds and the time of one write,
 * - if a write has not left completely after two minutes,
 * - if all connections together hold over 64 MiB: first those that hold the most bytes for the longest time. Only
 *   connections of which no write left for a second are cut for this reason.
 * Connections that are idle or wait for a response hold nothing. The metrics are `http_unsent_bytes` and
 * `http_connections_cut_total`.
 */
export function limitUnreadResponses(
  server: Server,
  registry: Registry | undefined,
): { cut(socket: Socket, reason: CutReason): void } {
  const sockets = new Set<Socket>();
  let backlogs: Backlog[] = [];
  const countCut = registry === undefined ? () => {} : createMetrics(registry, sockets);
  const cut = (socket: Socket, reason: CutReason) => {
    countCut(reason);
    socket.destroy();
  };

  let sweptMs = performance.now();

  function sweep(): void {
    const now = performance.now();
    const elapsedMs = now - sweptMs;
    sweptMs = now;
    const before = new Map(backlogs.map((backlog) => [backlog.socket, backlog]));
    backlogs = [];
    for (const socket of sockets) {
      if (socket.writableLength === 0) continue;
      const sentBytes = socket.bytesWritten - socket.writableLength;
      const known = before.get(socket);
      const backlog = known ?? { socket, sentBytes, sinceMs: now, lag: new Lag() };
      if (known !== undefined) backlog.lag.add(elapsedMs, sentBytes - known.sentBytes);
      if (sentBytes !== backlog.sentBytes) Object.assign(backlog, { sentBytes, sinceMs: now });
      const isSlow = backlog.lag.isTooLongForReading(socket.writableLength) || now - backlog.sinceMs >= SLOW_AFTER_MS;
      if (isSlow) cut(socket, 'slow');
      else backlogs.push(backlog);
    }
    let excessBytes = unsentBytes(sockets) - BUDGET_BYTES;
    if (excessBytes <= 0) return;
    const weight = ({ socket, sinceMs }: Backlog) => socket.writableLength * (now - sinceMs);
    const stuck = backlogs.filter(({ sinceMs }) => now - sinceMs >= PAUSE_MAX_MS);
    for (const { socket } of stuck.sort((a, b) => weight(b) - weight(a))) {
      if (excessBytes <= 0) return;
      excessBytes -= socket.writableLength;
      cut(socket, 'budget');
    }
  }

  server.timeout = STALLED_AFTER_MS;
  // Idle connections time out, too.
  server.on('timeout', (socket) => (socket.writableLength > 0 ? cut(socket, 'stalled') : socket.destroy()));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('listening', () => {
    const timer = setInterval(sweep, SWEEP_EVERY_MS).unref();
    server.once('close', () => clearInterval(timer));
  });
  return { cut };
}

function unsentBytes(sockets: Iterable<Socket>): number {
  let sum = 0;
  for (const { writableLength, destroyed } of sockets) if (!destroyed) sum += writableLength;
  return sum;
}

function createMetrics(registry: Registry, sockets: Set<Socket>): (reason: CutReason) => void {
  new Gauge({
    name: 'http_unsent_bytes',
    help: 'Bytes of responses that wait in this process for clients to read them.',
    registers: [registry],
    collect() {
      this.set(unsentBytes(sockets));
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
