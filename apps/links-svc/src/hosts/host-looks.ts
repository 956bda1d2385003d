import { AppError } from '@waymark/contract';
import type { Logger } from '@waymark/service-kit';
import type { HostDocument } from '../database/documents/host.ts';
import { SYSTEM } from '../events/actor.ts';
import type { HostsService } from './hosts.service.ts';
import type { HostsStore } from './hosts.store.ts';

export interface HostLooksDeps {
  hosts: HostsStore;
  service: Pick<HostsService, 'look'>;
  logger: Logger;
}

/** When a look is due again that ended without a clear answer, or with this process. */
const AGAIN_AFTER_MS = 3_600_000;
const READ_AT_A_TIME = 100;
/** So that name servers that do not respond delay no others. */
const CONCURRENCY = 16;
/** What becomes of a look if the host is gone, or if another account has it. */
const EXPECTED = ['not_found', 'unauthenticated', 'conflict'];

/**
 * The daily look at the TXT record of each host, the one that is due for longest first (ADR 57). Its time moves before the
 * look, so that a look that fails, or kills the process, is not the next one again.
 */
export class HostLooks {
  readonly #deps: HostLooksDeps;

  constructor(deps: HostLooksDeps) {
    this.#deps = deps;
  }

  /** Looks at all hosts that are due, until `ending` aborts. Rejects in an outage. */
  async run(ending: AbortSignal): Promise<void> {
    const { hosts } = this.#deps;
    while (!ending.aborted) {
      const now = await hosts.now();
      const due = await hosts.due(now, READ_AT_A_TIME);
      if (due.length === 0) return;
      const next = new Date(now.getTime() + AGAIN_AFTER_MS);
      const lookAtNext = async () => {
        for (let host = due.shift(); host !== undefined && !ending.aborted; host = due.shift())
          if (await hosts.claimLook(host, next)) await this.#look(host);
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, lookAtNext));
    }
  }

  async #look(host: HostDocument): Promise<void> {
    try {
      await this.#deps.service.look(host, () => SYSTEM);
    } catch (err) {
      if (err instanceof AppError && EXPECTED.includes(err.code)) return;
      this.#deps.logger.warn({ err, host: host.host }, 'a look at the TXT record of a host failed; trying again');
    }
  }
}
