import { AppError, DEFAULT_REDIRECT_CODE, type RedirectCode, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { atMostEntries, withTimeout } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import { utmOfUrl } from '../clicks/utm.ts';
import type { RedirectDocument } from '../database/documents/redirect.ts';
import type { LogFollower } from '../follower/log-follower.ts';
import { BatchedLookup, type FindMany, isUnavailable } from './batched-lookup.ts';
import { locationOf } from './location.ts';
import { type PreparedRule, prepareRules, type Target } from './rules.ts';

/** A link that a visitor may follow. */
export interface RedirectLink extends Target {
  id: string;
  /** The name of its clicks (`clicksIdOf`). */
  clicksId: string;
  accountId: string;
  /** Other destinations for some visitors, or null. */
  rules: readonly PreparedRule[] | null;
  unlisted: boolean;
  /** True if link previews get a card in place of the redirect. */
  hasCard: boolean;
  /** The status of its redirects. A right password is followed by `303` whatever it is. */
  redirectCode: RedirectCode;
  /** The count of its redirects, each of which must be taken from it first. Null if there is no limit. */
  limitId: string | null;
  /** Set if the visitor must enter a password first. */
  passwordHash: string | null;
  /** From this time on, in milliseconds, the link has expired. */
  expiresAt: number;
  /** Where visitors go once the link has expired, as a valid `Location` header. */
  expiredLocation: string | null;
}

export interface LinkCacheOptions {
  /** Reads redirects of any visibility by id. Rejects with `unavailable` if the database is unavailable. */
  findRedirects: FindMany<RedirectDocument>;
  /** Knows the recent changes of redirects, on any replica. */
  changes: Pick<LogFollower, 'isStale' | 'trueUntil'>;
  /** The maximum number of links in the cache, and of slugs known to have no link. A rule counts as a link. */
  maxEntries?: number;
  /** The clock of `changes`, in milliseconds. It is never set. Default: `performance.now`. */
  now?: () => number;
}

interface Entry {
  link: RedirectLink;
  readAt: number;
}

/** An entry is not used if it was last known to be true so long ago. docs/api.md (Freshness) allows 2 seconds. */
const FRESH_MS = 1_800;
/** How long it is remembered that a slug has no link. A new link of another replica is found within 2 seconds. */
const MISSING_MS = 1_000;
/** From this age on, an entry is read again in the background, and from that age on, before it is used. */
const RECHECK_AFTER_MS = 30_000;
const RECHECKED_MS = 60_000;
/** How long the visitor of a cached link waits for a database that does not respond. */
const PATIENCE_MS = 500;
/** How long an entry can be used while the database is unavailable. */
const STAND_IN_MS = 3_600_000;
/** The pause between two attempts to reach a database that is down. */
const PROBE_EVERY_MS = 250;

/**
 * A cache of links by the ids of their redirects, as redirects see them. While the database responds, a result was true
 * less than 2 seconds ago, and each slug has at most one lookup running. A private link looks exactly like one that does
 * not exist.
 *
 * While the database is down, cached links redirect to the last known destination, for an hour and without waiting. If
 * the database does not respond, one visitor waits for it; until a lookup ends, all others are redirected at once.
 * Other slugs are `unavailable` at once. One lookup at a time checks whether the database is back.
 */
export class LinkCache {
  readonly #changes: LinkCacheOptions['changes'];
  readonly #lookup: BatchedLookup<RedirectDocument>;
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
    this.#now = options.now ?? (() => performance.now());
    this.#lookup = new BatchedLookup(options.findRedirects, this.#now);
    const maxEntries = options.maxEntries ?? 100_000;
    // Rules have destinations too, and may be long.
    this.#found = new LRUCache({ maxSize: maxEntries, sizeCalculation: ({ link }) => 1 + (link.rules?.length ?? 0) });
    this.#missing = new LRUCache(atMostEntries(maxEntries));
  }

  /**
   * Returns the link of a redirect if the cache has a fresh entry, and refreshes an entry that is due in the background.
   * Otherwise returns undefined; {@link find} then knows more.
   */
  peek(redirectId: string): RedirectLink | undefined {
    const entry = this.#found.get(redirectId);
    if (entry === undefined) return undefined;
    const now = this.#now();
    const ageMs = now - entry.readAt;
    if (ageMs >= RECHECKED_MS || now - this.#changes.trueUntil(entry.readAt) >= FRESH_MS) return undefined;
    if (this.#changes.isStale(entry.link.accountId, entry.readAt)) return undefined;
    if (ageMs >= RECHECK_AFTER_MS) this.#refresh(redirectId);
    return entry.link;
  }

  /**
   * Returns the link of a redirect, or null if visitors find none. Waits for a lookup only if there is no fresh entry.
   * Rejects with `unavailable` if the database is unavailable and the link is not cached.
   */
  async find(redirectId: string): Promise<RedirectLink | null> {
    const fresh = this.peek(redirectId);
    if (fresh !== undefined) return fresh;
    const entry = this.#found.get(redirectId);
    const now = this.#now();
    const missingAt = this.#missing.get(redirectId);
    if (missingAt !== undefined && now - missingAt < MISSING_MS) return null;
    return this.#lookUp(redirectId, entry !== undefined && now - entry.readAt < STAND_IN_MS ? entry.link : undefined);
  }

  /**
   * Removes a redirect. Call it once a change of its link is written, so that this replica shows the change at once.
   */
  invalidate(redirectId: string): void {
    this.#found.delete(redirectId);
    this.#missing.delete(redirectId);
    this.#running.delete(redirectId);
  }

  /** Forgets which slugs have no link. */
  forgetMissing(): void {
    this.#missing.clear();
  }

  /** Queries the database. `standIn` is the last known link, if it is not too old. */
  async #lookUp(redirectId: string, standIn: RedirectLink | undefined): Promise<RedirectLink | null> {
    if (this.#down) {
      this.#probe(redirectId);
      if (standIn !== undefined) return standIn;
      throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
    }
    const lookup = this.#read(redirectId, 'now');
    if (standIn === undefined) return lookup;
    try {
      return await withTimeout(lookup, this.#slow ? 0 : PATIENCE_MS, 'a lookup of a link');
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      // The lookup still runs, unless it failed because the database is down.
      this.#slow = !this.#down;
      return standIn;
    }
  }

  #refresh(redirectId: string): void {
    if (this.#down) this.#probe(redirectId);
    // A failure is ignored here: whoever needs the result makes a lookup of its own.
    else if (!this.#running.has(redirectId)) this.#read(redirectId, 'soon').catch(() => {});
  }

  #probe(redirectId: string): void {
    if (this.#probing || this.#now() < this.#nextProbeAt) return;
    this.#probing = true;
    const done = () => {
      this.#probing = false;
      this.#nextProbeAt = this.#now() + PROBE_EVERY_MS;
    };
    // The result is in the cache and in #down, so nobody waits for it here.
    this.#read(redirectId, 'now').then(done, done);
  }

  #read(redirectId: string, when: 'now' | 'soon'): Promise<RedirectLink | null> {
    const running = this.#running.get(redirectId);
    if (running !== undefined) {
      if (when === 'now') this.#lookup.hurry();
      return running;
    }
    const lookup = this.#lookup.find(redirectId, when).then(
      ({ value, readAt }) => {
        this.#down = false;
        this.#slow = false;
        const link = followable(value);
        if (this.#end(redirectId, lookup)) this.#keep(redirectId, link, readAt);
        return link;
      },
      (error: unknown) => {
        if (isUnavailable(error)) this.#down = true;
        this.#slow = false;
        this.#end(redirectId, lookup);
        throw error;
      },
    );
    this.#running.set(redirectId, lookup);
    return lookup;
  }

  /** Ends a lookup. Returns false if the slug was invalidated meanwhile, so that the result must not be cached. */
  #end(redirectId: string, lookup: Promise<RedirectLink | null>): boolean {
    return this.#running.get(redirectId) === lookup && this.#running.delete(redirectId);
  }

  #keep(redirectId: string, link: RedirectLink | null, readAt: number): void {
    if (link === null) {
      this.#found.delete(redirectId);
      this.#missing.set(redirectId, readAt);
    } else {
      this.#missing.delete(redirectId);
      this.#found.set(redirectId, { link, readAt });
    }
  }
}

function followable(stored: RedirectDocument | null): RedirectLink | null {
  if (stored === null || stored.visibility === 'private') return null;
  const isProtected = stored.visibility === 'password-protected';
  // Anyone could open a protected link without a hash. The store never writes one.
  if (isProtected && stored.password_hash === null) return null;
  const location = locationOf(stored.destination_url);
  return {
    id: stored.link_id,
    clicksId: stored.clicks_id ?? stored.link_id,
    accountId: stored.account_id,
    location,
    utm: utmOfUrl(location),
    // A redirect that was stored before these fields existed lacks them.
    rules: prepareRules(stored.link_id, stored.rules ?? []),
    redirectCode: stored.redirect_code ?? DEFAULT_REDIRECT_CODE,
    limitId: stored.limit_id ?? null,
    unlisted: stored.visibility === 'unlisted',
    hasCard: stored.has_card === true,
    passwordHash: isProtected ? stored.password_hash : null,
    expiresAt: stored.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    expiredLocation: stored.expired_url === null ? null : locationOf(stored.expired_url),
  };
}
