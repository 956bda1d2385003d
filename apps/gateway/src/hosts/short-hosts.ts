import type { ShortHost } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';

/** A host that is not served as the default one: a short host, or one that nobody owns and that is refused. */
export type OtherHost = ShortHost | 'refused';

/** Finds those `Host` headers that are not served as the default host. Rejects if links-svc is unavailable. */
export type ShortHostLookup = (hostHeaders: string[], requestId: string) => Promise<ReadonlyMap<string, OtherHost>>;

/** How long an answer is used. With what links-svc takes, a change is seen within a few seconds. */
const FRESH_MS = 1_000;
const HOSTS_MAX = 10_000;
const ASKED_AT_ONCE_MAX = 1_000;
/** A name with a dot and a letter, maybe with a port. An IP address is never a short host, so probes ask nobody. */
const MAY_BE_SHORT = /^(?=[^.]+\.)(?=[^a-z]*[a-z])[a-z0-9_.-]{1,254}(?::\d{0,5})?$/i;
/** The longest header that may name a host. */
const HEADER_MAX_LENGTH = 260;

/**
 * Tells which requests are for short hosts. Knows the hosts of the service itself, and asks links-svc for others. One
 * call runs at a time and has all names that wait, so that a flood of names costs few calls. Names that are no short
 * host have a cache of their own, so that they evict no short host.
 */
export class ShortHosts {
  readonly #lookup: ShortHostLookup;
  readonly #own: ReadonlySet<string>;
  readonly #hosts = new LRUCache<string, { host: ShortHost; askedAtMs: number }>({ max: HOSTS_MAX });
  readonly #others = new LRUCache<string, 'refused' | 'default'>({ max: HOSTS_MAX, ttl: FRESH_MS });
  readonly #waiting = new Map<string, PromiseWithResolvers<OtherHost | null>>();
  #isAsking = false;

  /** `ownUrls` are those of the service itself. */
  constructor(lookup: ShortHostLookup, ownUrls: readonly string[]) {
    this.#lookup = lookup;
    this.#own = new Set(ownUrls.map((url) => new URL(url).host));
  }

  /** Returns true if a `Host` header names the service itself. */
  isOwn(header = ''): boolean {
    return this.#own.has(header);
  }

  /**
   * Returns the short host that a `Host` header names, or null. While links-svc is unavailable, the last answer counts;
   * without one, the host is served as the default host.
   */
  async find(header: string | undefined, requestId: string): Promise<OtherHost | null> {
    return header !== undefined && MAY_BE_SHORT.test(header) ? this.findAny(header, requestId) : null;
  }

  /** Like {@link find}, but also tells whether a host that is never a short host is refused. */
  async findAny(header = '', requestId: string): Promise<OtherHost | null> {
    if (this.isOwn(header)) return null;
    const name = header.length > HEADER_MAX_LENGTH ? '' : header.toLowerCase();
    const other = this.#others.get(name);
    if (other !== undefined) return other === 'refused' ? other : null;
    const known = this.#hosts.get(name);
    if (known !== undefined && performance.now() - known.askedAtMs < FRESH_MS) return known.host;
    const waiting = this.#waiting.get(name) ?? Promise.withResolvers<OtherHost | null>();
    this.#waiting.set(name, waiting);
    if (!this.#isAsking) void this.#askForWaiting(requestId);
    return waiting.promise.catch(() => known?.host ?? null);
  }

  async #askForWaiting(requestId: string): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.size > 0) {
      const asked = [...this.#waiting].slice(0, ASKED_AT_ONCE_MAX);
      for (const [name] of asked) this.#waiting.delete(name);
      const askedAtMs = performance.now();
      try {
        const names = asked.map(([name]) => name);
        const found = await this.#lookup(names, requestId);
        for (const [name, { resolve }] of asked) resolve(this.#remember(name, found.get(name) ?? null, askedAtMs));
      } catch (error) {
        for (const [, { reject }] of asked) reject(error);
      }
    }
    this.#isAsking = false;
  }

  #remember(name: string, host: OtherHost | null, askedAtMs: number): OtherHost | null {
    if (host === null || host === 'refused') {
      this.#hosts.delete(name);
      this.#others.set(name, host ?? 'default', { start: askedAtMs });
    } else this.#hosts.set(name, { host, askedAtMs });
    return host;
  }
}
