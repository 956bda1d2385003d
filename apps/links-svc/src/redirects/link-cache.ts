import { AppError, UNAVAILABLE_MESSAGE, type Visibility } from '@waymark/contract';
import { withTimeout } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import { BatchedLookup, type FindMany, isUnavailable } from './batched-lookup.ts';
import type { ChangedLinks } from './changed-links.ts';
import { locationOf } from './location.ts';

/** The stored fields of a link that a redirect needs. */
export interface StoredRedirect {
  id: string;
  accountId: string;
  destinationUrl: string;
  visibility: Visibility;
  passwordHash: string | null;
  expiresAt: Date | null;
  expiredUrl: string | null;
}

/** A link that a visitor may follow. */
export interface RedirectLink {
  id: string;
  accountId: string;
  /** The destination as a valid `Location` header. */
  location: string;
  unlisted: boolean;
  /** Set if the visitor must enter a password first. */
  passwordHash: string | null;
  /** From this time on, in milliseconds, the link has expired. */
  expiresAt: number;
  /** Where visitors go once the link has expired, as a valid `Location` header. */
  expiredLocation: string | null;
}

export interface LinkCacheOptions {
  /** Reads links of any visibility by slug key. Rejects with `unavailable` if the database is unavailable. */
  findForRedirects: FindMany<StoredRedirect>;
  /** Knows the recent changes of links, on any replica. */
  changes: Pick<ChangedLinks, 'unchangedUntil'>;
  /** How long the visitor of a cached link waits for a database that does not respond. */
  patienceMs?: number;
  /** The maximum number of links in the cache, and of slugs known to have no link. */
  maxEntries?: number;
  /** The clock, in milliseconds. */
  now?: () => number;
}

interface Entry {
  link: RedirectLink;
  readAt: number;
}

/** From this age on, an entry is refreshed in the background. An entry does not age while no change is reported. */
const REFRESH_AFTER_MS = 1_000;
/** From this age on, an entry is not used while the database responds. docs/api.md (Freshness) allows 2 seconds. */
const FRESH_MS = 1_800;
/** From this time after its query on, an entry is refreshed in the background even if no change was reported. */
const RECHECK_AFTER_MS = 30_000;
/** How long an entry can be used while the database is unavailable. */
const STAND_IN_MS = 3_600_000;
/** The pause between two attempts to reach a database that is down. */
const PROBE_EVERY_MS = 250;

/**
 * A cache of links by slug key, as redirects see them. While the database responds, a result was true less than 2
 * seconds ago, and each slug has at most one lookup running. A private link looks exactly like one that does not exist.
 *
 * While the database is down, cached links redirect to the last known destination, for an hour and without waiting. If
 * the database does not respond, one visitor waits for it; until a lookup ends, all others are redirected at once.
 * Other slugs are `unavailable` at once. One lookup at a time checks whether the database is back.
 */
export class LinkCache {
  readonly #changes: LinkCacheOptions['changes'];
  readonly #lookup: BatchedLookup<StoredRedirect>;
  readonly #patienceMs: number;
  readonly #now: () => number;
  readonly #found: LRUCache<string, Entry>;
  /** When each slug was last found to have no link. Kept separately, so that guessed slugs do not evict links. */
  readonly #missing: LRUCache<string, number>;
  readonly #running = new Map<string, Promise<RedirectLink | null>>();
  #down = false;
  /** True from the moment a visitor waited in vain until a lookup ends. */
  #slow = false;
  #probing = false;
  #nextProbeAt = 0;

  constructor(options: LinkCacheOptions) {
    this.#changes = options.changes;
    this.#patienceMs = options.patienceMs ?? 500;
    this.#now = options.now ?? Date.now;
    this.#lookup = new BatchedLookup(options.findForRedirects, this.#now);
    const max = options.maxEntries ?? 100_000;
    this.#found = new LRUCache({ max });
    this.#missing = new LRUCache({ max });
  }

  /**
   * Returns the link of a slug key if the cache has a fresh entry, and refreshes the entry in the background if it is
   * due. Otherwise returns undefined; {@link find} then knows more.
   */
  peek(slugKey: string): RedirectLink | undefined {
    const entry = this.#found.get(slugKey);
    if (entry === undefined) return undefined;
    const now = this.#now();
    const ageMs = now - this.#changes.unchangedUntil(entry.link.id, entry.readAt);
    if (ageMs >= FRESH_MS) return undefined;
    if (ageMs >= REFRESH_AFTER_MS || now - entry.readAt >= RECHECK_AFTER_MS) this.#refresh(slugKey);
    return entry.link;
  }

  /**
   * Returns the link of a slug key, or null if visitors find none. Waits for a lookup only if there is no fresh entry.
   * Rejects with `unavailable` if the database is unavailable and the link is not cached.
   */
  async find(slugKey: string): Promise<RedirectLink | null> {
    const fresh = this.peek(slugKey);
    if (fresh !== undefined) return fresh;
    const entry = this.#found.get(slugKey);
    const now = this.#now();
    const missingAt = this.#missing.get(slugKey);
    if (missingAt !== undefined && now - missingAt < REFRESH_AFTER_MS) return null;
    return this.#lookUp(slugKey, entry !== undefined && now - entry.readAt < STAND_IN_MS ? entry.link : undefined);
  }

  /**
   * Removes a slug key. Call it once a change of its link is written, so that this replica shows the change at once.
   */
  invalidate(slugKey: string): void {
    this.#found.delete(slugKey);
    this.#missing.delete(slugKey);
    this.#running.delete(slugKey);
  }

  /** Queries the database. `standIn` is the last known link, if it is not too old. */
  async #lookUp(slugKey: string, standIn: RedirectLink | undefined): Promise<RedirectLink | null> {
    if (this.#down) {
      this.#probe(slugKey);
      if (standIn !== undefined) return standIn;
      throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
    }
    const lookup = this.#read(slugKey, 'now');
    if (standIn === undefined) return lookup;
    try {
      return await withTimeout(lookup, this.#slow ? 0 : this.#patienceMs, 'a lookup of a link');
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      // The lookup still runs, unless it failed because the database is down.
      this.#slow = !this.#down;
      return standIn;
    }
  }

  #refresh(slugKey: string): void {
    if (this.#down) this.#probe(slugKey);
    // A failure is ignored here: whoever needs the result makes a lookup of its own.
    else if (!this.#running.has(slugKey)) this.#read(slugKey, 'soon').catch(() => {});
  }

  #probe(slugKey: string): void {
    if (this.#probing || this.#now() < this.#nextProbeAt) return;
    this.#probing = true;
    const done = () => {
      this.#probing = false;
      this.#nextProbeAt = this.#now() + PROBE_EVERY_MS;
    };
    // The result is in the cache and in #down, so nobody waits for it here.
    this.#read(slugKey, 'now').then(done, done);
  }

  #read(slugKey: string, when: 'now' | 'soon'): Promise<RedirectLink | null> {
    const running = this.#running.get(slugKey);
    if (running !== undefined) {
      if (when === 'now') this.#lookup.hurry();
      return running;
    }
    const lookup = this.#lookup.find(slugKey, when).then(
      ({ value, readAt }) => {
        this.#down = false;
        this.#slow = false;
        const link = followable(value);
        if (this.#end(slugKey, lookup)) this.#keep(slugKey, link, readAt);
        return link;
      },
      (error: unknown) => {
        if (isUnavailable(error)) this.#down = true;
        this.#slow = false;
        this.#end(slugKey, lookup);
        throw error;
      },
    );
    this.#running.set(slugKey, lookup);
    return lookup;
  }

  /** Ends a lookup. Returns false if the slug was invalidated meanwhile, so that the result must not be cached. */
  #end(slugKey: string, lookup: Promise<RedirectLink | null>): boolean {
    return this.#running.get(slugKey) === lookup && this.#running.delete(slugKey);
  }

  #keep(slugKey: string, link: RedirectLink | null, readAt: number): void {
    if (link === null) {
      this.#found.delete(slugKey);
      this.#missing.set(slugKey, readAt);
    } else {
      this.#missing.delete(slugKey);
      this.#found.set(slugKey, { link, readAt });
    }
  }
}

function followable(stored: StoredRedirect | null): RedirectLink | null {
  if (stored === null || stored.visibility === 'private') return null;
  const isProtected = stored.visibility === 'password-protected';
  // Anyone could open a protected link without a hash. The store never writes one.
  if (isProtected && stored.passwordHash === null) return null;
  return {
    id: stored.id,
    accountId: stored.accountId,
    location: locationOf(stored.destinationUrl),
    unlisted: stored.visibility === 'unlisted',
    passwordHash: isProtected ? stored.passwordHash : null,
    expiresAt: stored.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    expiredLocation: stored.expiredUrl === null ? null : locationOf(stored.expiredUrl),
  };
}
