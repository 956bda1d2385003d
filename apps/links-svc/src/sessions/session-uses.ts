import type { Logger } from '@waymark/service-kit';
import type { SessionDocument } from '../database/documents/session.ts';
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS } from './session.ts';
import type { SessionsStore } from './sessions.store.ts';

/** How much the end of a session in use may lag. */
const EXTEND_EVERY_MS = 10_000;

export interface SessionUsesDeps {
  sessions: Pick<SessionsStore, 'setEnd'>;
  /** The clock, in milliseconds. */
  now: () => number;
  logger: Logger;
}

/**
 * Moves the end of a session when it is used. A session in use is looked up every two seconds by each gateway. No lookup
 * waits for the write. If it fails, the next lookup writes again.
 */
export class SessionUses {
  readonly #deps: SessionUsesDeps;
  /** The ids of sessions whose end is being written. */
  readonly #writing = new Set<string>();

  constructor(deps: SessionUsesDeps) {
    this.#deps = deps;
  }

  /** Records that the session is used now. */
  record({ _id, created_at, expires_at }: SessionDocument): void {
    const end = Math.min(this.#deps.now() + SESSION_IDLE_MS, created_at.getTime() + SESSION_LIFETIME_MS);
    if (end - expires_at.getTime() < EXTEND_EVERY_MS || this.#writing.has(_id)) return;
    this.#writing.add(_id);
    this.#deps.sessions
      .setEnd(_id, new Date(end))
      .catch((err: unknown) => this.#deps.logger.warn({ err }, 'could not record the use of a session'))
      .finally(() => this.#writing.delete(_id));
  }
}
