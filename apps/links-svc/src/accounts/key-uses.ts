import type { Logger } from '@waymark/service-kit';
import type { StoredKey } from '../database/documents/account.ts';
import { Uses } from '../uses.ts';
import type { AccountsStore } from './accounts.store.ts';

/** How old the recorded use of a key that is in use may become. */
const RECORD_EVERY_MS = 60_000;

export interface KeyUsesDeps {
  accounts: Pick<AccountsStore, 'setLastUsed'>;
  /** The clock, in milliseconds. */
  now: () => number;
  logger: Logger;
}

/** Records when keys are used, at most once a minute for each. */
export function createKeyUses({ accounts, now, logger }: KeyUsesDeps): Uses<StoredKey> {
  return new Uses({
    what: 'a key',
    idOf: ({ hash }) => hash,
    write(key) {
      const age = now() - (key.last_used_at?.getTime() ?? Number.NEGATIVE_INFINITY);
      return age < RECORD_EVERY_MS ? null : accounts.setLastUsed(key, new Date(now()));
    },
    logger,
  });
}
