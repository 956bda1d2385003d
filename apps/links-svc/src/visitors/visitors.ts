import { hash } from 'node:crypto';
import type { CountryDatabase } from './country-database.ts';
import { dayOf, daysNeededAt } from './visitor-key.ts';
import type { VisitorKeysStore } from './visitor-keys.store.ts';

/** A visitor of a link, with the address of `request.ip`, which is not kept. */
export interface Visitor {
  accountId: string;
  address: string;
  userAgent: string;
}

/** What a click keeps of its visitor. */
export interface VisitorFacts {
  /** ISO 3166-1 alpha-2 in upper case, or an empty text if unknown. */
  country: string;
  /** 16 hexadecimal digits that tell the visitors of an account and a UTC day apart, or an empty text if unknown. */
  visitor: string;
}

const VISITOR_DIGITS = 16;

/**
 * Turns visitors into what their clicks keep. A visitor's number is a keyed hash of account, address and
 * User-Agent: BLAKE2s of the key and the text, cut to 64 bits. BLAKE2 needs no HMAC around it (RFC 7693).
 * The key is random and new each UTC day, and no copy of it is kept for more than two.
 */
export class Visitors {
  readonly #countries: Pick<CountryDatabase, 'countryOf'>;
  readonly #store: Pick<VisitorKeysStore, 'findOrCreate'>;
  /** The keys in base64, by day. */
  readonly #keys = new Map<number, string>();

  constructor(countries: Pick<CountryDatabase, 'countryOf'>, store: Pick<VisitorKeysStore, 'findOrCreate'>) {
    this.#countries = countries;
    this.#store = store;
  }

  /** Returns what a click at a time in milliseconds keeps of its visitor. Takes a few microseconds. Never throws. */
  factsOf({ accountId, address, userAgent }: Visitor, atMs: number): VisitorFacts {
    const key = this.#keys.get(dayOf(atMs));
    return {
      country: this.#countries.countryOf(address),
      // No header and no address has a line break.
      visitor:
        key === undefined || address === ''
          ? ''
          : hash('blake2s256', `${key}\n${accountId}\n${address}\n${userAgent}`).slice(0, VISITOR_DIGITS),
    };
  }

  /**
   * Gets the keys that are needed at a time and forgets all others. While the database has an outage that lasts from
   * before noon until after midnight, the visitors of the new day are unknown; their clicks count all the same.
   * @throws {AppError} `unavailable` in an outage.
   */
  async refreshKeys(nowMs: number): Promise<void> {
    const needed = daysNeededAt(nowMs);
    for (const day of this.#keys.keys()) if (!needed.includes(day)) this.#keys.delete(day);
    for (const day of needed) {
      if (!this.#keys.has(day)) this.#keys.set(day, await this.#store.findOrCreate(day));
    }
  }
}
