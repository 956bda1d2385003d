import type { ShortHostLocations } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';

/** Finds the short host that a `Host` header names, or null. Rejects if links-svc is unavailable. */
export type ShortHostLookup = (hostHeader: string, requestId: string) => Promise<ShortHostLocations | null>;

interface Answer {
  host: ShortHostLocations | null;
  askedAtMs: number;
}

/** How long an answer is used. With what links-svc takes, a change is seen within a few seconds. */
const FRESH_MS = 1_000;
const ANSWERS_MAX = 10_000;
/** A name with a dot and a letter, maybe with a port. An IP address is never a short host, so probes ask nobody. */
const MAY_BE_SHORT = /^(?=[^.]+\.)(?=[^a-z]*[a-z])[a-z0-9_.-]{1,254}(?::\d{0,5})?$/i;

/** Tells which requests are for short hosts. Knows the hosts of the service itself, and asks links-svc for others. */
export class ShortHosts {
  readonly #lookup: ShortHostLookup;
  readonly #own: ReadonlySet<string>;
  readonly #answers = new LRUCache<string, Answer>({ max: ANSWERS_MAX });
  readonly #running = new Map<string, Promise<ShortHostLocations | null>>();

  /** `ownUrls` are those of the service itself. */
  constructor(lookup: ShortHostLookup, ownUrls: readonly string[]) {
    this.#lookup = lookup;
    this.#own = new Set(ownUrls.map((url) => new URL(url).host));
  }

  /**
   * Returns the short host that a `Host` header names, or null. While links-svc is unavailable, the last answer counts;
   * without one, the host is served as the default host.
   */
  async find(header: string | undefined, requestId: string): Promise<ShortHostLocations | null> {
    if (header === undefined || this.#own.has(header) || !MAY_BE_SHORT.test(header)) return null;
    const key = header.toLowerCase();
    const known = this.#answers.get(key);
    if (known !== undefined && performance.now() - known.askedAtMs < FRESH_MS) return known.host;
    const running = this.#running.get(key) ?? this.#ask(key, requestId);
    this.#running.set(key, running);
    return running.catch(() => known?.host ?? null);
  }

  async #ask(key: string, requestId: string): Promise<ShortHostLocations | null> {
    const askedAtMs = performance.now();
    try {
      const host = await this.#lookup(key, requestId);
      this.#answers.set(key, { host, askedAtMs });
      return host;
    } finally {
      this.#running.delete(key);
    }
  }
}
