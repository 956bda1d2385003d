import { parseShortUrl } from './short-url.ts';

/** A slug, in the form in which slugs are compared, on the host with this id. Null is the default host. */
export interface SlugOnHost {
  hostId: string | null;
  slugKey: string;
}

export interface ShortUrlsDeps {
  /** The URLs of the service itself, without a slash at the end. Redirects work on each, as on the default host. */
  ownUrls: readonly string[];
  /** Returns the ids of the account's hosts with these names, by name. */
  hosts: { idsOf(accountId: string, names: readonly string[]): Promise<ReadonlyMap<string, string | null>> };
  /** Returns undefined unless the name is that of a verified host. */
  verifiedHosts: { find(name: string): object | undefined };
}

const NO_IDS: ReadonlyMap<string, string | null> = new Map();

/** Recognizes short URLs of this service. */
export class ShortUrls {
  readonly #deps: ShortUrlsDeps;

  constructor(deps: ShortUrlsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns which of the texts are short URLs on the default host or a host of the account, whatever the host's status,
   * and what they say.
   */
  async find(accountId: string, texts: readonly string[]): Promise<Map<string, SlugOnHost>> {
    const parsed = texts.map((text) => ({ text, url: parseShortUrl(text, this.#deps.ownUrls) }));
    const names = parsed.flatMap(({ url }) => url?.host ?? []);
    const ids = names.length === 0 ? NO_IDS : await this.#deps.hosts.idsOf(accountId, names);
    const found = new Map<string, SlugOnHost>();
    for (const { text, url } of parsed) {
      const hostId = url === null ? undefined : url.host === null ? null : ids.get(url.host);
      if (url !== null && hostId !== undefined) found.set(text, { hostId, slugKey: url.slugKey });
    }
    return found;
  }

  /** Returns true if a URL is a short URL on the default host, or on a verified host of any account. */
  isShortUrl(url: string): boolean {
    const parsed = parseShortUrl(url, this.#deps.ownUrls);
    return parsed !== null && (parsed.host === null || this.#deps.verifiedHosts.find(parsed.host) !== undefined);
  }
}
