import type { Logger } from 'pino';

const REPEAT_EVERY_MS = 60_000;

/** A log of an outage: one line at the first failure, one each minute while it lasts, and one when it is over. */
export class OutageLog {
  readonly #logger: Logger;
  readonly #what: string;
  #since = 0;
  #loggedAt = 0;

  constructor(logger: Logger, what: string) {
    this.#logger = logger;
    this.#what = what;
  }

  failed(error: unknown): void {
    const now = Date.now();
    if (this.#since === 0) this.#since = now;
    if (now - this.#loggedAt < REPEAT_EVERY_MS) return;
    this.#loggedAt = now;
    this.#logger.warn({ err: error, for_ms: now - this.#since }, `${this.#what} failed; trying again`);
  }

  worked(): void {
    if (this.#since === 0) return;
    this.#logger.info({ after_ms: Date.now() - this.#since }, `${this.#what} works again`);
    this.#since = 0;
    this.#loggedAt = 0;
  }
}
