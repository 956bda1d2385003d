import { setTimeout as sleep } from 'node:timers/promises';
import { MongoServerError, type ServerSessionId } from 'mongodb';
import { isOutage } from './database-errors.ts';

export interface LostSessionsOptions {
  /** Ends what the session has open in the database. */
  kill(session: ServerSessionId): Promise<unknown>;
  /** Receives the error if the database refuses to do that. */
  onRefused(error: unknown): void;
  /** Ends all work. */
  signal: AbortSignal;
}

const KILL_AGAIN_AFTER_MS = 500;
/** How many are ended at a time. What begins later in an outage has not reached the database. */
const SESSIONS_MAX = 100;

/**
 * Ends sessions whose transaction or read got no response. They belong to no connection, so the database would keep the
 * locks of a transaction until its own time limit, a minute by default, and would finish a read that nobody waits for.
 */
export class LostSessions {
  readonly #options: LostSessionsOptions;
  #ending = 0;
  #isRefused = false;

  constructor(options: LostSessionsOptions) {
    this.#options = options;
  }

  /** Ends a session in the background, as soon as the database can be reached. */
  end(session: ServerSessionId): void {
    if (this.#isRefused || this.#ending === SESSIONS_MAX) return;
    this.#ending += 1;
    void this.#end(session).finally(() => {
      this.#ending -= 1;
    });
  }

  async #end(session: ServerSessionId): Promise<void> {
    const { kill, onRefused, signal } = this.#options;
    while (!signal.aborted && !this.#isRefused) {
      try {
        await kill(session);
        return;
      } catch (error) {
        if (error instanceof MongoServerError && !isOutage(error)) {
          if (!this.#isRefused) onRefused(error);
          this.#isRefused = true;
        } else await sleep(KILL_AGAIN_AFTER_MS, undefined, { signal }).catch(() => {});
      }
    }
  }
}
