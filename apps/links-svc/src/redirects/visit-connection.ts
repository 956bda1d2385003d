import type { Socket } from 'node:net';
import {
  FrameReader,
  frameOf,
  VISITS_FRAME_MAX_BYTES,
  VISITS_PROTOCOL,
  type VisitsMessage,
  type VisitsRequest,
} from '@waymark/proto';
import type { FastifyBaseLogger } from 'fastify';
import { type Leading, leadVisitor } from './lead-visitor.ts';
import type { ObserveVisits } from './visit-metrics.ts';

export interface VisitConnectionDeps {
  leading: Leading;
  observe: ObserveVisits;
  /** True once the service is about to stop. */
  isDraining(): boolean;
  log: FastifyBaseLogger;
}

const SWITCHING = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${VISITS_PROTOCOL}\r\n\r\n`;
/** A gateway ends its connections itself after a minute: one that is silent for longer is gone. */
const SILENT_MAX_MS = 120_000;

/**
 * A connection on which a gateway sends visits. Only what a known link answers at once is answered; nobody waits for another
 * visitor's link to be looked up. The log has each visit where it arrived, in the gateway's.
 */
export class VisitConnection {
  readonly #socket: Socket;
  readonly #deps: VisitConnectionDeps;
  readonly #reader = new FrameReader(VISITS_FRAME_MAX_BYTES);
  #unanswered = 0;
  #isAskedToEnd = false;
  #hasEnded = false;

  /** Takes the socket over from HTTP; whoever gives it listens to its errors. */
  constructor(socket: Socket, deps: VisitConnectionDeps) {
    this.#socket = socket;
    this.#deps = deps;
    socket.setTimeout(SILENT_MAX_MS, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#endIfAnswered();
    });
    socket.write(SWITCHING);
    socket.resume();
  }

  /** Asks the gateway to send no more here; what it has sent is answered. */
  askToEnd(): void {
    if (this.#isAskedToEnd || this.#hasEnded) return;
    this.#isAskedToEnd = true;
    this.#send({ stopping: true });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    try {
      for (const request of this.#reader.read(chunk)) void this.#answer(request as VisitsRequest);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #answer({ id, visits }: VisitsRequest): Promise<void> {
    const beganAt = performance.now();
    this.#unanswered += 1;
    try {
      const answers = await Promise.all(visits.map((visit) => leadVisitor(visit, this.#deps.leading)));
      this.#send({ id, answers });
    } catch (error) {
      return this.#fail(error);
    }
    this.#deps.observe(performance.now() - beganAt);
    this.#unanswered -= 1;
    if (this.#deps.isDraining()) this.askToEnd();
    this.#endIfAnswered();
  }

  #send(message: VisitsMessage): void {
    if (this.#socket.writable) this.#socket.write(frameOf(message));
  }

  #endIfAnswered(): void {
    if (this.#hasEnded && this.#unanswered === 0) this.#socket.end();
  }

  /** The gateway says 503 for what has no answer: its click may be recorded. */
  #fail(err: unknown): void {
    this.#deps.log.error({ err }, 'a connection for visits failed');
    this.#socket.destroy();
  }
}
