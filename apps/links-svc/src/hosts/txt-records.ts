import { Resolver } from 'node:dns/promises';
import type { Logger } from '@waymark/service-kit';

/** The bounds of one look. A request waits for it, and responds within 5 seconds. */
const TRY_MAX_MS = 800;
const TRIES = 2;
const LOOK_MAX_MS = 3_000;
/** The name, or TXT records of the name, do not exist. All other errors are no answer. */
const CLEAR = ['ENOTFOUND', 'ENODATA'];

/** Reads TXT records from these name servers (`address[:port]`), or from those of the system if there are none. */
export class TxtRecords {
  readonly #servers: readonly string[];
  readonly #logger: Logger;

  constructor(servers: readonly string[], logger: Logger) {
    this.#servers = servers;
    this.#logger = logger;
  }

  /**
   * Returns the values of the TXT records of a name; none if DNS says that there are none. Returns null if DNS gives no
   * clear answer within 3 seconds.
   */
  async find(name: string): Promise<string[] | null> {
    const resolver = new Resolver({ timeout: TRY_MAX_MS, tries: TRIES });
    if (this.#servers.length > 0) resolver.setServers(this.#servers);
    const timer = setTimeout(() => resolver.cancel(), LOOK_MAX_MS);
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (err) {
      if (CLEAR.includes((err as NodeJS.ErrnoException).code ?? '')) return [];
      this.#logger.info({ err, name }, 'DNS did not say whether a TXT record exists');
      return null;
    } finally {
      clearTimeout(timer);
    }
  }
}
