import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import {
  FrameReader,
  frameOf,
  IDENTITY_HEADER,
  VISITS_FRAME_MAX_BYTES,
  VISITS_PATH,
  VISITS_PROTOCOL,
  type Visit,
  type VisitAnswers,
  type VisitsMessage,
} from '@waymark/proto';

interface Asked {
  resolve: (answers: VisitAnswers) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** Short: visits wait for it, and have a way without it. */
const OPEN_WITHIN_MS = 300;
const ANSWER_WITHIN_MS = 4_500;
/** So that load spreads over replicas that came later behind the same name, and the identity is checked again. */
const OPEN_MAX_MS = 60_000;

/** A connection on which visits go to a replica of links-svc (`visits.ts` of the package proto). */
export class VisitConnection {
  readonly #socket: Socket;
  readonly #reader = new FrameReader(VISITS_FRAME_MAX_BYTES);
  readonly #asked = new Map<number, Asked>();
  readonly #onStopping: () => void;
  readonly #ageTimer: NodeJS.Timeout;
  #lastId = 0;
  #isOpen = true;

  private constructor(socket: Socket, head: Buffer, onStopping: () => void) {
    this.#socket = socket;
    this.#onStopping = onStopping;
    this.#ageTimer = setTimeout(() => this.end(), OPEN_MAX_MS).unref();
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => {});
    socket.on('close', () => this.#fail(new Error('The connection for visits broke.')));
    if (head.length > 0) this.#read(head);
  }

  /**
   * Opens one; `onStopping` is called where the replica says that it is about to stop. Rejects where it does not come about,
   * soon: no visit was sent then.
   */
  static open(origin: string, identity: string, onStopping: () => void): Promise<VisitConnection> {
    return new Promise((resolve, reject) => {
      const request = origin.startsWith('https:') ? httpsRequest : httpRequest;
      const opening = request(new URL(VISITS_PATH, origin), {
        agent: false,
        headers: { connection: 'Upgrade', upgrade: VISITS_PROTOCOL, [IDENTITY_HEADER]: identity },
        signal: AbortSignal.timeout(OPEN_WITHIN_MS),
      });
      opening.on('upgrade', (_response, socket: Socket, head) =>
        resolve(new VisitConnection(socket, head, onStopping)),
      );
      opening.on('response', (response) => {
        response.destroy();
        reject(new Error(`links-svc takes no connection for visits: ${response.statusCode}`));
      });
      opening.on('error', reject);
      opening.end();
    });
  }

  /** False once nothing can be asked here any more. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The answers in order. Rejects where they do not come in time: the clicks may be recorded. */
  ask(visits: Visit[]): Promise<VisitAnswers> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.#fail(new Error(`No answer to visits within ${ANSWER_WITHIN_MS} ms.`)),
        ANSWER_WITHIN_MS,
      );
      this.#asked.set(id, { resolve, reject, timer });
      this.#socket.write(frameOf({ id, visits }));
    });
  }

  /** Asks nothing more here; what was asked is still answered. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#ageTimer);
    this.#socket.end();
  }

  #read(chunk: Buffer): void {
    try {
      for (const message of this.#reader.read(chunk)) this.#take(message as VisitsMessage);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #take(message: VisitsMessage): void {
    if ('stopping' in message) {
      this.end();
      this.#onStopping();
      return;
    }
    const asked = this.#asked.get(message.id);
    if (asked === undefined) return;
    this.#asked.delete(message.id);
    clearTimeout(asked.timer);
    asked.resolve(message.answers);
  }

  #fail(error: Error): void {
    this.#isOpen = false;
    clearTimeout(this.#ageTimer);
    this.#socket.destroy();
    for (const { reject, timer } of this.#asked.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#asked.clear();
  }
}
