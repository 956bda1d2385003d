import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
/** Pairs of link and address remembered at a time; the ones that tried longest ago are forgotten first. */
const MAX_PAIRS = 100_000;

interface Tries {
  count: number;
  startedAt: number;
}

/**
 * Counts wrong passwords for each link and address: at most `perMinute` within a minute that begins with the first
 * (0 turns the limit off). A try is counted before it is checked and given back when it was right, so that many at
 * once get no further than many in a row.
 */
export class PasswordTries {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #tries = new LRUCache<string, Tries>({ max: MAX_PAIRS });

  constructor(perMinute: number, now: () => number = Date.now) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Takes one try: 0, or, when none is left, the seconds until there is one again. */
  take(linkId: string, address: string): number {
    if (this.#perMinute === 0) return 0;
    const key = pairOf(linkId, address);
    const now = this.#now();
    const tries = this.#tries.get(key);
    if (tries === undefined || now - tries.startedAt >= WINDOW_MS) {
      this.#tries.set(key, { count: 1, startedAt: now });
      return 0;
    }
    if (tries.count >= this.#perMinute) return Math.ceil((tries.startedAt + WINDOW_MS - now) / 1_000);
    tries.count += 1;
    return 0;
  }

  /** Gives back a try that was no wrong one. */
  giveBack(linkId: string, address: string): void {
    const tries = this.#tries.get(pairOf(linkId, address));
    if (tries !== undefined && tries.count > 0) tries.count -= 1;
  }
}

/** One visitor has a whole IPv6 network of 64 bits, so that is what counts as an address. */
function pairOf(linkId: string, address: string): string {
  if (!isIPv6(address)) return `${linkId} ${address}`;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return `${linkId} ${parsed.toIPv4Address().toString()}`;
  return `${linkId} ${parsed.parts.slice(0, 4).join(':')}`;
}
