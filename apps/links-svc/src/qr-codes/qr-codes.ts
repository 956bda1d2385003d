import { extname } from 'node:path';
import { AppError, type QrQuery } from '@waymark/contract';
import { FairQueue, type Logger, timeLeftMs } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import { Thread } from '../threads/thread.ts';
import type { QrImage, QrRequest, TooSmall } from './qr-code.ts';

export interface QrCodesOptions {
  logger: Logger;
  /** The script of the thread. Default: `qr-code-thread.ts`. */
  thread?: URL;
}

/** One code is drawn at a time. The next one waits in the thread, so that the thread never waits for the main one. */
const CONCURRENCY = 2;
/** As many as the gateway forwards of one account. They take the thread less than a second. */
const MAX_WAITING_OF_ACCOUNT = 128;
const MAX_WAITING = 500;
/** A thread that needs longer than this to start and draw a code is considered hung. */
const LATE_MS = 3_000;
const CACHE_MAX_BYTES = 16 * 1_024 * 1_024;
const THREAD = new URL(`./qr-code-thread${extname(import.meta.url)}`, import.meta.url);

/**
 * QR codes of short URLs. They are drawn in a separate thread, in an order that is fair to accounts. Those that were
 * used last are kept.
 */
export class QrCodes {
  readonly #thread: Thread<QrRequest, QrImage | TooSmall>;
  readonly #queue = new FairQueue({
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    maxWaitingOfUser: MAX_WAITING_OF_ACCOUNT,
  });
  readonly #drawn = new LRUCache<string, QrImage>({
    maxSize: CACHE_MAX_BYTES,
    sizeCalculation: ({ body }, key) => key.length + body.length,
  });
  readonly #drawing = new Map<string, Promise<QrImage>>();

  /** Starts without a thread. */
  constructor({ thread = THREAD, logger }: QrCodesOptions) {
    this.#thread = new Thread({ name: 'QR code', script: thread, logger });
  }

  /**
   * Returns the QR code of a short URL of the account.
   * @throws {AppError} `invalid` if `size` has less than one pixel for each module of code and margin. `unavailable` if
   *   too many codes wait, or this one waits too long.
   */
  async image(accountId: string, url: string, query: QrQuery): Promise<QrImage> {
    const { format, size, margin, level } = query;
    const key = `${format} ${size} ${margin} ${level} ${url}`;
    const image = this.#drawn.get(key) ?? this.#drawing.get(key);
    if (image !== undefined) return image;
    const drawing = this.#draw(accountId, { url, query });
    this.#drawing.set(key, drawing);
    try {
      const drawn = await drawing;
      this.#drawn.set(key, drawn);
      return drawn;
    } finally {
      this.#drawing.delete(key);
    }
  }

  /** Ends the thread once the requested codes are drawn. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#drawing.values());
    await this.#thread.close();
  }

  async #draw(accountId: string, request: QrRequest): Promise<QrImage> {
    const drawn = await this.#queue.run([accountId], () => this.#thread.ask(request, LATE_MS), timeLeftMs(LATE_MS));
    if (!('minimumSize' in drawn)) return drawn;
    const { size, margin, level } = request.query;
    throw new AppError(
      'invalid',
      `"size" must be at least ${drawn.minimumSize} for this link with "margin" ${margin} and "level" ${level}; you sent ${size}.`,
    );
  }
}
