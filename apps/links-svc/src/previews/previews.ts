import { extname } from 'node:path';
import type { Logger } from '@waymark/service-kit';
import { FairQueue } from '@waymark/service-kit';
import { Thread } from '../threads/thread.ts';
import type { PageMeta } from './head-parser.ts';
import type { PreviewRequest, PreviewThreadSettings } from './preview-messages.ts';

export interface PreviewsOptions extends PreviewThreadSettings {
  logger: Logger;
  /** The script of the thread. Default: `preview-thread.ts`. */
  thread?: URL;
}

const TIMEOUT_MS = 3_000;
/** A thread whose response is later than this is considered hung. */
const LATE_MS = 1_000;
/** How many pages are read concurrently, in all and for one account. */
const CONCURRENCY = 32;
const CONCURRENCY_OF_ACCOUNT = 8;
const MAX_WAITING = 200;
const THREAD = new URL(`./preview-thread${extname(import.meta.url)}`, import.meta.url);
const NOTHING: PageMeta = { title: null, description: null };

/**
 * A reader of titles and descriptions of destination pages for `auto_meta`. Pages are read in a separate thread, which
 * is started for the first page and replaced when it hangs or fails. The number of concurrent pages is limited, fairly
 * by account.
 */
export class Previews {
  readonly #thread: Thread<PreviewRequest, PageMeta>;
  readonly #queue = new FairQueue({
    concurrency: CONCURRENCY,
    concurrencyOfUser: CONCURRENCY_OF_ACCOUNT,
    maxWaiting: MAX_WAITING,
  });
  readonly #fetching = new Set<Promise<PageMeta>>();

  /** Starts without a thread. */
  constructor({ thread = THREAD, allow, userAgent, logger }: PreviewsOptions) {
    const settings: PreviewThreadSettings = { allow, userAgent };
    this.#thread = new Thread({ name: 'auto_meta', script: thread, settings, logger });
  }

  /**
   * Returns the title and description of a page. A value is null if it could not be read within 3 seconds, including
   * the wait. Never rejects.
   */
  async fetchPreview(accountId: string, url: string): Promise<PageMeta> {
    const preview = this.#fetch(accountId, url);
    this.#fetching.add(preview);
    try {
      return await preview;
    } finally {
      this.#fetching.delete(preview);
    }
  }

  /** Ends the thread once the requested pages are finished. */
  async close(): Promise<void> {
    await Promise.all(this.#fetching);
    await this.#thread.close();
  }

  async #fetch(accountId: string, url: string): Promise<PageMeta> {
    const endsAt = performance.now() + TIMEOUT_MS;
    try {
      return await this.#queue.run([accountId], () => this.#read(url, endsAt - performance.now()), TIMEOUT_MS);
    } catch {
      // The link is created without a preview.
      return NOTHING;
    }
  }

  #read(url: string, leftMs: number): Promise<PageMeta> {
    const timeoutMs = Math.max(1, Math.ceil(leftMs));
    return this.#thread.ask({ url, endsAtMs: Date.now() + timeoutMs }, timeoutMs + LATE_MS);
  }
}
