import type { HostsStore } from './hosts.store.ts';

/** A host that redirects. */
export interface VerifiedHost {
  id: string;
  accountId: string;
  rootUrl: string | null;
  notFoundUrl: string | null;
}

/** How often to call {@link VerifiedHosts.refresh}. */
export const REFRESH_HOSTS_EVERY_MS = 1_000;

/** All verified hosts of the installation, in memory. */
export class VerifiedHosts {
  readonly #store: Pick<HostsStore, 'verifiedHosts'>;
  #hosts: ReadonlyMap<string, VerifiedHost> = new Map();
  #isLoaded = false;

  constructor(store: Pick<HostsStore, 'verifiedHosts'>) {
    this.#store = store;
  }

  /** Returns the verified host with this name (`hostOf`). */
  find(name: string): VerifiedHost | undefined {
    return this.#hosts.get(name);
  }

  /** Resolves once the hosts have been read at least once. Rejects in an outage. */
  async whenLoaded(): Promise<void> {
    if (!this.#isLoaded) await this.refresh();
  }

  /** Reads all verified hosts. Rejects in an outage, which changes nothing. */
  async refresh(): Promise<void> {
    const hosts = await this.#store.verifiedHosts();
    this.#isLoaded = true;
    this.#hosts = new Map(
      hosts.map(({ _id, account_id, host, root_url, not_found_url }) => [
        host,
        { id: _id, accountId: account_id, rootUrl: root_url, notFoundUrl: not_found_url },
      ]),
    );
  }
}
