import { hostOfUrl } from '@waymark/contract';
import { hostOf } from './host-name.ts';
import type { VerifiedHost, VerifiedHosts } from './verified-hosts.ts';

/** The host that a request asks for: a short host, null for the default host, or one that is refused. */
export type AskedHost = VerifiedHost | null | 'refused';

export interface AskedHostsOptions {
  /** The URLs of the service itself. The first one is where short URLs are. */
  ownUrls: readonly string[];
  verifiedHosts: Pick<VerifiedHosts, 'find' | 'isClaimed' | 'isHolder'>;
  /** Whether the redirects of a host that nobody owns are refused. Otherwise it is served as the default host. */
  unknownHosts: 'serve' | 'refuse';
}

/** Tells which host a request asks for, by its `Host` header alone. */
export class AskedHosts {
  readonly #options: AskedHostsOptions;
  /** The `Host` header of most requests. */
  readonly #usual: string;
  readonly #own: ReadonlySet<string>;

  constructor(options: AskedHostsOptions) {
    const urls = options.ownUrls.map((url) => new URL(url));
    this.#options = options;
    this.#usual = urls[0]!.host;
    this.#own = new Set(urls.map(hostOfUrl));
  }

  /** Returns the host that a `Host` header names, in any case, with or without a port. */
  of(header: string | undefined): AskedHost {
    if (header === this.#usual) return null;
    const name = hostOf(header);
    if (name !== null && this.#own.has(name)) return null;
    const { verifiedHosts, unknownHosts } = this.#options;
    const found = name === null ? undefined : verifiedHosts.find(name);
    if (found !== undefined) return found;
    if (name !== null && verifiedHosts.isClaimed(name)) return hostWithoutLinks(name);
    return unknownHosts === 'refuse' ? 'refused' : null;
  }

  /** Returns true if a text is a URL on a verified host of the account. */
  isOfAccount(accountId: string, url: string): boolean {
    const { verifiedHosts } = this.#options;
    // Most accounts have no host, and parsing a URL is expensive for a redirect.
    if (url === '' || !verifiedHosts.isHolder(accountId)) return false;
    const parsed = URL.parse(url);
    const isPage = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
    return isPage && verifiedHosts.find(hostOfUrl(parsed))?.accountId === accountId;
  }
}

/** Returns false for a host on which nothing is found. */
export function isVerified({ accountId }: VerifiedHost): boolean {
  return accountId !== '';
}

/**
 * Returns a host of no account, on which nothing is found, for a name that an account waits for, has lost or has deleted.
 * Served as the default host, its printed short URLs would lead to the links that others have there.
 */
function hostWithoutLinks(name: string): VerifiedHost {
  return { id: '-', name, accountId: '', rootUrl: null, notFoundUrl: null };
}
