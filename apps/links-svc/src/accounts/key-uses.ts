import type { Logger } from '@waymark/service-kit';
import type { StoredKey } from '../database/documents/account.ts';
import type { AccountsStore } from './accounts.store.ts';

/** How old the recorded use of a key that is in use may become. */
const RECORD_EVERY_MS = 60_000;

export interface KeyUsesDeps {
  accounts: Pick<AccountsStore, 'setLastUsed'>;
  /** The clock, in milliseconds. */
  now: () => number;
  logger: Logger;
}

/**
 * Records when keys are used. A key in use is looked up every two seconds by each gateway; its use is written at most
 * once a minute. No lookup waits for the write. If it fails, the next lookup writes again.
 */
export class KeyUses {
  readonly #deps: KeyUsesDeps;
  /** The hashes of keys whose use is being written. */
  readonly #writing = new Set<string>();

  constructor(deps: KeyUsesDeps) {
    this.#deps = deps;
  }

  /** Records that the key is used now. */
  record(key: StoredKey): void {
    const now = this.#deps.now();
    if (now - (key.last_used_at?.getTime() ?? Number.NEGATIVE_INFINITY) < RECORD_EVERY_MS) return;
    if (this.#writing.has(key.hash)) return;
    this.#writing.add(key.hash);
    this.#deps.accounts
      .setLastUsed(key, new Date(now))
      .catch((err: unknown) => this.#deps.logger.warn({ err }, 'could not record the use of a key'))
      .finally(() => this.#writing.delete(key.hash));
  }
}
