import type { Logger } from '@waymark/service-kit';
import { Counter, type Registry } from 'prom-client';

/** Logs the first failure of each outage of the follower, and counts all of them. */
export class FollowerLog {
  readonly #logger: Logger;
  readonly #failures: Counter;
  #isFailing = false;

  constructor(logger: Logger, registry: Registry) {
    this.#logger = logger;
    this.#failures = new Counter({
      name: 'log_follower_failures_total',
      help: 'Polls of the logs of accounts that failed. Meanwhile cached redirects are read again.',
      registers: [registry],
    });
  }

  failed(err: unknown): void {
    this.#failures.inc();
    if (!this.#isFailing) this.#logger.warn({ err }, 'could not follow the logs of accounts; trying again');
    this.#isFailing = true;
  }

  worked(): void {
    if (this.#isFailing) this.#logger.info('the logs of accounts are followed again');
    this.#isFailing = false;
  }
}
