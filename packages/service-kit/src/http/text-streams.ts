import { Readable } from 'node:stream';
import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import { piecesWithoutDeadline, timeLeftMs } from '../concurrency/deadline.ts';
import { FairQueue } from '../concurrency/fair-queue.ts';
import { REQUEST_MAX_MS } from './respond-in-time.ts';

export interface TextStreamsOptions {
  /** What the streams are, for the message to a client that has too many. */
  name: string;
  /** How many pieces may be read concurrently. */
  concurrency: number;
  /** How many streams of an account may run, and of all accounts. */
  ofAccount: number;
  ofAll: number;
}

const RETRY_AFTER_SECONDS = 10;
/** How long a piece after the first one may wait for its turn. */
const PIECE_WAIT_MAX_MS = 60_000;

/** Long responses in this process. A client that reads slowly takes part of the concurrency only for the next piece. */
export class TextStreams {
  readonly #options: TextStreamsOptions;
  readonly #runningOf = new Map<string, number>();
  #running = 0;
  readonly #reads: FairQueue;

  constructor(options: TextStreamsOptions) {
    this.#options = options;
    this.#reads = new FairQueue({ concurrency: options.concurrency, maxWaiting: options.ofAll });
  }

  /**
   * Returns a header and the texts of the pieces. It holds one piece at a time, and reads the next one when the client has
   * read it. Only the first piece is read within the deadline of the request, so that an outage gets an error response.
   * @throws {AppError} `rate_limited` if the account has too many streams, `unavailable` if all have, or too much is read.
   */
  async start<Piece>(
    accountId: string,
    header: string,
    pieces: AsyncGenerator<Piece>,
    textOf: (piece: Piece) => string,
  ): Promise<Readable> {
    const end = this.#begin(accountId);
    try {
      const inTurn = this.#inTurn(accountId, pieces);
      const first = await inTurn.next();
      const start = first.done ? header : header + textOf(first.value);
      return Readable.from(textsOf(start, inTurn, textOf), { objectMode: false }).once('close', end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Yields the pieces of an account. Each is read when its turn has come. */
  async *#inTurn<Piece>(accountId: string, pieces: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
    let waitMaxMs = timeLeftMs(REQUEST_MAX_MS);
    try {
      for (;;) {
        const { value, done } = await this.#reads.run([accountId], () => pieces.next(), waitMaxMs);
        if (done) return;
        yield value;
        waitMaxMs = PIECE_WAIT_MAX_MS;
      }
    } finally {
      await pieces.return(undefined);
    }
  }

  /** Counts a stream. Returns the function that ends it. */
  #begin(accountId: string): () => void {
    const { name, ofAccount, ofAll } = this.#options;
    const running = this.#runningOf.get(accountId) ?? 0;
    if (running >= ofAccount)
      throw new AppError('rate_limited', `${ofAccount} ${name} of this account still run; wait until one has ended.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    if (this.#running >= ofAll) throw new AppError('unavailable', BUSY_MESSAGE);
    this.#running += 1;
    this.#runningOf.set(accountId, running + 1);
    return () => {
      this.#running -= 1;
      const left = this.#runningOf.get(accountId)! - 1;
      if (left === 0) this.#runningOf.delete(accountId);
      else this.#runningOf.set(accountId, left);
    };
  }
}

async function* textsOf<Piece>(
  start: string,
  others: AsyncIterable<Piece>,
  textOf: (piece: Piece) => string,
): AsyncGenerator<string> {
  yield start;
  for await (const piece of piecesWithoutDeadline(others)) yield textOf(piece);
}
