import { extname } from 'node:path';
import { AppError, type Link, type QrQuery } from '@waymark/contract';
import { contrast, FairQueue, type Logger, luminance, TEXT_CONTRAST, timeLeftMs } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import type { Brands } from '../pages/brands.ts';
import { Thread } from '../threads/thread.ts';
import type { QrImage, QrRequest, QrStyle, TooSmall } from './qr-code.ts';

export interface QrCodesOptions {
  logger: Logger;
  /** The logos. */
  brands: Brands;
  /** The script of the thread. Default: `qr-code-thread.ts`. */
  thread?: URL;
}

/** One code is drawn at a time. The next one waits in the thread, so that the thread never waits for the main one. */
const CONCURRENCY = 2;
/** As many as the gateway forwards of one account. They take the thread a second, or seven with the largest logo. */
const MAX_WAITING_OF_ACCOUNT = 128;
const MAX_WAITING = 500;
/** A thread that needs longer than this to start and draw a code is considered hung. */
const LATE_MS = 3_000;
/** A logo hides a part of the code. */
const LEVEL_WITH_LOGO = 'H';
const CACHE_MAX_BYTES = 16 * 1_024 * 1_024;
const THREAD = new URL(`./qr-code-thread${extname(import.meta.url)}`, import.meta.url);

/**
 * QR codes of short URLs. They are drawn in a separate thread, in an order that is fair to accounts. Those that were
 * used last are kept.
 */
export class QrCodes {
  readonly #thread: Thread<QrRequest, QrImage | TooSmall>;
  readonly #brands: Brands;
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
  constructor({ thread = THREAD, logger, brands }: QrCodesOptions) {
    this.#brands = brands;
    this.#thread = new Thread({ name: 'QR code', script: thread, logger });
  }

  /**
   * Returns the QR code of the short URL of a link of the account.
   * @throws {AppError} `invalid` if `size` has less than one pixel for each module of code and margin, if scanners could
   *   not read the colors, or if there is no logo that can be drawn. `unavailable` if too many codes wait, or this one
   *   waits too long.
   */
  async image(accountId: string, link: Pick<Link, 'short_url' | 'host'>, query: QrQuery): Promise<QrImage> {
    const { short_url: url, host } = link;
    const style = this.#styleOf(query, host);
    const { format, size, margin, level, color, background, logo } = style;
    // A host has the same logo as long as the process runs.
    const key = `${format} ${size} ${margin} ${level} ${color} ${background} ${logo === null} ${url}`;
    const image = this.#drawn.get(key) ?? this.#drawing.get(key);
    if (image !== undefined) return image;
    const drawing = this.#draw(accountId, { url, style });
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
    const { size, margin, level } = request.style;
    throw new AppError(
      'invalid',
      `"size" must be at least ${drawn.minimumSize} for this link with "margin" ${margin} and "level" ${level}; you sent ${size}.`,
    );
  }

  #styleOf(query: QrQuery, host: string | null): QrStyle {
    const { format, size, margin } = query;
    const [color, background] = [colorOf(query.color), colorOf(query.background)];
    const found = contrast(color, background);
    if (found < TEXT_CONTRAST || luminance(color) > luminance(background))
      throw new AppError(
        'invalid',
        `"color" must be darker than "background", with a contrast of at least ${TEXT_CONTRAST}:1, or scanners cannot read the code; it is ${found.toFixed(2)}:1 for ${color} on ${background}.`,
      );
    if (query.logo === 'false') return { format, size, margin, level: query.level, color, background, logo: null };
    const { logo } = this.#brands.of(host);
    if (logo === null)
      throw new AppError('invalid', '"logo" must be false for this link: the operator has set no logo for its host.');
    if (format === 'png' && logo.type !== 'image/png')
      throw new AppError(
        'invalid',
        '"format" must be svg with "logo": the logo is an SVG file, and only a PNG file can be drawn into a PNG.',
      );
    return { format, size, margin, level: LEVEL_WITH_LOGO, color, background, logo };
  }
}

function colorOf(text: string): string {
  return `#${text.replace('#', '').toLowerCase()}`;
}
