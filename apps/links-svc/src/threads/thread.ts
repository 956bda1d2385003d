import { Worker } from 'node:worker_threads';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { Logger } from '@waymark/service-kit';
import type { ThreadRequest, ThreadResponse } from './thread-messages.ts';

export interface ThreadOptions {
  /** Names the thread in the log. */
  name: string;
  /** A script that calls `respondWith`. */
  script: URL;
  /** The `workerData` of the script. */
  settings?: unknown;
  logger: Logger;
}

/** The limit for JavaScript objects, far more than the work needs. Node ends a thread that exceeds it. */
const MAX_MB = 128;

/**
 * A thread for work that would delay redirects. It starts with the first request, and again with the next one after it
 * hung or failed.
 */
export class Thread<Request, Response> {
  readonly #options: ThreadOptions;
  #running: RunningThread<Request, Response> | null = null;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /**
   * Returns the thread's response to a request.
   * @throws {AppError} `unavailable` if the thread fails or does not respond in time. It is then ended, with the other
   *   requests that it has.
   */
  async ask(request: Request, timeoutMs: number): Promise<Response> {
    if (this.#running === null || this.#running.hasEnded) this.#running = new RunningThread(this.#options);
    return this.#running.ask(request, timeoutMs);
  }

  /** Ends the thread. Requests that have no response yet are rejected. */
  async close(): Promise<void> {
    await this.#running?.end(new Error('the thread was closed'));
  }
}

class RunningThread<Request, Response> {
  readonly #name: string;
  readonly #worker: Worker;
  readonly #logger: Logger;
  readonly #pending = new Map<number, PromiseWithResolvers<Response>>();
  #lastId = 0;
  hasEnded = false;

  constructor({ name, script, settings, logger }: ThreadOptions) {
    this.#name = name;
    this.#logger = logger;
    this.#worker = new Worker(script, { workerData: settings, resourceLimits: { maxOldGenerationSizeMb: MAX_MB } });
    this.#worker.unref();
    this.#worker.on('message', ({ id, response }: ThreadResponse<Response>) =>
      this.#pending.get(id)?.resolve(response),
    );
    this.#worker.on('error', (error) => this.#fail(error));
  }

  async ask(request: Request, timeoutMs: number): Promise<Response> {
    this.#lastId += 1;
    const id = this.#lastId;
    const pending = Promise.withResolvers<Response>();
    const late = setTimeout(() => this.#fail(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
    try {
      this.#pending.set(id, pending);
      this.#worker.postMessage({ id, request } satisfies ThreadRequest<Request>);
      return await pending.promise;
    } finally {
      clearTimeout(late);
      this.#pending.delete(id);
    }
  }

  async end(cause: unknown): Promise<void> {
    this.hasEnded = true;
    for (const { reject } of this.#pending.values())
      reject(new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause }));
    await this.#worker.terminate();
  }

  #fail(err: unknown): void {
    if (this.hasEnded) return;
    this.#logger.error({ err }, `the ${this.#name} thread failed; the next request starts a new one`);
    void this.end(err);
  }
}
