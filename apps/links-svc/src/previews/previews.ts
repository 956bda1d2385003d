import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from '@waymark/service-kit';
import { FairQueue } from '@waymark/service-kit';
import type { PageMeta } from './head-parser.ts';
import type { PreviewRequest, PreviewResponse, PreviewThreadSettings } from './preview-messages.ts';
import { createAddressFilter } from './public-address.ts';

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
/** The limit for JavaScript objects, far more than pages need. Node ends a thread that exceeds it. */
const THREAD_MAX_MB = 128;
const THREAD = new URL(`./preview-thread${extname(import.meta.url)}`, import.meta.url);
const NOTHING: PageMeta = { title: null, description: null };

/**
 * A reader of titles and descriptions of destination pages for `auto_meta`. Pages are read in a separate thread, which
 * is started for the first page and replaced when it hangs or fails. The number of concurrent pages is limited, fairly
 * by account.
 */
export class Previews {
  readonly #settings: PreviewThreadSettings;
  readonly #script: URL;
  readonly #logger: Logger;
  readonly #queue = new FairQueue({
    concurrency: CONCURRENCY,
    concurrencyOfUser: CONCURRENCY_OF_ACCOUNT,
    maxWaiting: MAX_WAITING,
  });
  readonly #fetching = new Set<Promise<PageMeta>>();
  #thread: PreviewThread | null = null;

  /** Starts without a thread. Throws if a network in `allow` is malformed. */
  constructor({ thread = THREAD, allow, userAgent, logger }: PreviewsOptions) {
    // Checked here too, and not only in the thread: a wrong setting must stop the start of the service.
    createAddressFilter(allow);
    this.#logger = logger;
    this.#settings = { allow, userAgent };
    this.#script = thread;
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
    await this.#thread?.end();
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

  async #read(url: string, timeoutMs: number): Promise<PageMeta> {
    if (this.#thread === null || this.#thread.hasEnded)
      this.#thread = new PreviewThread(this.#script, this.#settings, this.#logger);
    return this.#thread.read(url, Math.max(1, Math.ceil(timeoutMs)));
  }
}

class PreviewThread {
  readonly #worker: Worker;
  readonly #logger: Logger;
  readonly #pending = new Map<number, (meta: PageMeta) => void>();
  #lastId = 0;
  hasEnded = false;

  constructor(script: URL, settings: PreviewThreadSettings, logger: Logger) {
    this.#logger = logger;
    this.#worker = new Worker(script, {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MAX_MB },
    });
    this.#worker.unref();
    this.#worker.on('message', ({ id, meta }: PreviewResponse) => this.#pending.get(id)?.(meta));
    this.#worker.on('error', (error) => this.#fail(error));
  }

  async read(url: string, timeoutMs: number): Promise<PageMeta> {
    this.#lastId += 1;
    const id = this.#lastId;
    const late = setTimeout(
      () => this.#fail(new Error(`no response within ${timeoutMs + LATE_MS} ms`)),
      timeoutMs + LATE_MS,
    );
    try {
      return await new Promise<PageMeta>((resolve) => {
        this.#pending.set(id, resolve);
        this.#worker.postMessage({ id, url, endsAtMs: Date.now() + timeoutMs } satisfies PreviewRequest);
      });
    } finally {
      clearTimeout(late);
      this.#pending.delete(id);
    }
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    for (const resolve of this.#pending.values()) resolve(NOTHING);
    await this.#worker.terminate();
  }

  #fail(err: unknown): void {
    if (this.hasEnded) return;
    this.#logger.error({ err }, 'the auto_meta thread failed; the next preview starts a new one');
    void this.end();
  }
}
