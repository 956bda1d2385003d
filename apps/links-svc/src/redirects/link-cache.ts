import { AppError, UNAVAILABLE_MESSAGE, type Visibility } from '@waymark/contract';
import { LRUCache } from 'lru-cache';
import { BatchedLookup, type FindMany, isUnavailable } from './batched-lookup.ts';
import type { ChangedLinks } from './changed-links.ts';
import { locationOf } from './location.ts';

/** What the database knows of a link that a redirect needs. */
export interface StoredRedirect {
  id: string;
  accountId: string;
  destinationUrl: string;
  visibility: Visibility;
  passwordHash: string | null;
}

/** A link that a visitor may follow. */
export interface RedirectLink {
  id: string;
  accountId: string;
  /** The destination as a valid `Location` header. */
  location: string;
  unlisted: boolean;
  /** Set where the visitor must give a password first. */
  passwordHash: string | null;
}

export interface LinkCacheOptions {
  /** Reads links of any visibility by slug key; rejects with `unavailable` when the database cannot be asked. */
  findForRedirects: FindMany<StoredRedirect>;
  /** What is known of changes by other replicas. */
  changes: Pick<ChangedLinks, 'trueUntil'>;
  /** How long a visitor whose link is known waits for a database that does not answer. */
  patienceMs?: number;
  /** How many links are kept, and how many slugs that have none. */
  maxEntries?: number;
  /** The clock, in milliseconds. */
  now?: () => number;
}

interface Entry {
  link: RedirectLink;
  askedAt: number;
}

/** From this age on an answer is asked for anew, without anyone waiting for it (it does not age while no change is heard of) … */
const REFRESH_AFTER_MS = 1_000;
/** … and from this age on it is no good while the database answers: docs/api.md (Freshness) has 2 seconds. */
const FRESH_MS = 1_800;
/** An answer that nobody contradicts is asked for anew from this age on, again without anyone waiting. */
const RECHECK_AFTER_MS = 30_000;
/** How long an answer may stand in while the database cannot be asked. */
const STAND_IN_MS = 3_600_000;
/** The pause between two attempts to reach a database that is down. */
const PROBE_EVERY_MS = 250;

/**
 * Links by slug key, as redirects see them: while the database answers, an answer was true less than 2 seconds ago,
 * one lookup runs for a slug at a time, and what is private is as absent as what does not exist.
 *
 * While the database is down, known links go on redirecting from what was last read, for an hour and without waiting;
 * unknown ones are `unavailable` at once, and one lookup at a time tries whether the database is back.
 */
export class LinkCache {
  readonly #changes: LinkCacheOptions['changes'];
  readonly #lookup: BatchedLookup<StoredRedirect>;
  readonly #patienceMs: number;
  readonly #now: () => number;
  readonly #found: LRUCache<string, Entry>;
  /** When a slug was last seen to lead nowhere. Apart, so that guessed slugs do not push out links. */
  readonly #missing: LRUCache<string, number>;
  readonly #running = new Map<string, Promise<RedirectLink | null>>();
  #down = false;
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
   * The link of a slug key, or null where a visitor finds none: at once (no promise) when a fresh answer is known.
   * Rejects with `unavailable` when the database cannot be asked and the link is not known.
   */
  find(slugKey: string): RedirectLink | null | Promise<RedirectLink | null> {
    const now = this.#now();
    const entry = this.#found.get(slugKey);
    if (entry !== undefined) {
      const age = now - this.#changes.trueUntil(entry.link.id, entry.askedAt);
      if (age < FRESH_MS) {
        if (age >= REFRESH_AFTER_MS || now - entry.askedAt >= RECHECK_AFTER_MS) this.#refresh(slugKey);
        return entry.link;
      }
    }
    const missingAt = this.#missing.get(slugKey);
    if (missingAt !== undefined && now - missingAt < REFRESH_AFTER_MS) return null;
    return this.#ask(slugKey, entry !== undefined && now - entry.askedAt < STAND_IN_MS ? entry.link : undefined);
  }

  /** Forgets a slug key: to be called once a change of its link is written, so that this replica shows it at once. */
  invalidate(slugKey: string): void {
    this.#found.delete(slugKey);
    this.#missing.delete(slugKey);
    this.#running.delete(slugKey);
  }

  /** Asks the database; `standIn` is what it last said, if that is not too long ago. */
  async #ask(slugKey: string, standIn: RedirectLink | undefined): Promise<RedirectLink | null> {
    if (this.#down) {
      this.#probe(slugKey);
      if (standIn !== undefined) return standIn;
      throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
    }
    const lookup = this.#read(slugKey, 'now');
    return standIn === undefined ? lookup : this.#patiently(lookup, standIn);
  }

  /** The lookup's answer, or the stand-in where it fails as unavailable or takes longer than a visitor should wait. */
  async #patiently(lookup: Promise<RedirectLink | null>, standIn: RedirectLink): Promise<RedirectLink | null> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<RedirectLink>((resolve) => {
      timer = setTimeout(() => resolve(standIn), this.#patienceMs);
    });
    try {
      return await Promise.race([lookup, tooLong]);
    } catch (error) {
      if (isUnavailable(error)) return standIn;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #refresh(slugKey: string): void {
    if (this.#down) this.#probe(slugKey);
    // Whoever needs the answer asks again and gets the failure.
    else if (!this.#running.has(slugKey)) this.#read(slugKey, 'soon').catch(() => {});
  }

  #probe(slugKey: string): void {
    if (this.#probing || this.#now() < this.#nextProbeAt) return;
    this.#probing = true;
    const done = () => {
      this.#probing = false;
      this.#nextProbeAt = this.#now() + PROBE_EVERY_MS;
    };
    // What the probe found is in the cache and in #down; whoever needs the answer asks again.
    this.#read(slugKey, 'now').then(done, done);
  }

  #read(slugKey: string, when: 'now' | 'soon'): Promise<RedirectLink | null> {
    const running = this.#running.get(slugKey);
    if (running !== undefined) {
      if (when === 'now') this.#lookup.hurry();
      return running;
    }
    const lookup = this.#lookup.find(slugKey, when).then(
      ({ value, askedAt }) => {
        this.#down = false;
        const link = followable(value);
        if (this.#end(slugKey, lookup)) this.#keep(slugKey, link, askedAt);
        return link;
      },
      (error: unknown) => {
        if (isUnavailable(error)) this.#down = true;
        this.#end(slugKey, lookup);
        throw error;
      },
    );
    this.#running.set(slugKey, lookup);
    return lookup;
  }

  /** Ends a lookup; false where the slug was invalidated since it began, so that its answer must not be kept. */
  #end(slugKey: string, lookup: Promise<RedirectLink | null>): boolean {
    return this.#running.get(slugKey) === lookup && this.#running.delete(slugKey);
  }

  #keep(slugKey: string, link: RedirectLink | null, askedAt: number): void {
    if (link === null) {
      this.#found.delete(slugKey);
      this.#missing.set(slugKey, askedAt);
    } else {
      this.#missing.delete(slugKey);
      this.#found.set(slugKey, { link, askedAt });
    }
  }
}

function followable(stored: StoredRedirect | null): RedirectLink | null {
  if (stored === null || stored.visibility === 'private') return null;
  const isProtected = stored.visibility === 'password-protected';
  // A protected link without a hash could be opened by anyone; the store never writes one.
  if (isProtected && stored.passwordHash === null) return null;
  return {
    id: stored.id,
    accountId: stored.accountId,
    location: locationOf(stored.destinationUrl),
    unlisted: stored.visibility === 'unlisted',
    passwordHash: isProtected ? stored.passwordHash : null,
  };
}
