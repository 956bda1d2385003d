import { AppError, toAppError, UNAVAILABLE_MESSAGE, type Visibility } from '@waymark/contract';
import { LRUCache } from 'lru-cache';
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
  /** Reads a link of any visibility by its slug key; rejects with `unavailable` when the database cannot be asked. */
  findForRedirect(slugKey: string): Promise<StoredRedirect | null>;
  /** How long an answer is taken as it is; with the time of one lookup it must stay under the contract's 2 seconds. */
  freshMs?: number;
  /** How long an answer may stand in while the database cannot be asked. */
  staleMs?: number;
  /** How long a visitor whose link is known waits for a database that does not answer. */
  patienceMs?: number;
  /** How many links are kept, and how many slugs that have none. */
  maxEntries?: number;
  /** The clock, in milliseconds. */
  now?: () => number;
}

interface Entry {
  link: RedirectLink;
  readAt: number;
}

interface Lookup {
  answer: Promise<RedirectLink | null>;
}

/** The pause between two attempts to reach a database that is down. */
const PROBE_EVERY_MS = 250;

/**
 * Links by slug key, as redirects see them: an answer is at most `freshMs` old while the database answers, one lookup
 * runs for a slug at a time, and what is private is as absent as what does not exist.
 *
 * While the database is down, known links go on redirecting from what was last read (`staleMs` at most), without
 * waiting; unknown ones are `unavailable` at once, and one lookup at a time tries whether the database is back.
 */
export class LinkCache {
  readonly #findForRedirect: LinkCacheOptions['findForRedirect'];
  readonly #freshMs: number;
  readonly #staleMs: number;
  readonly #patienceMs: number;
  readonly #now: () => number;
  readonly #found: LRUCache<string, Entry>;
  /** When a slug was last seen to lead nowhere. Apart, so that guessed slugs do not push out links. */
  readonly #missing: LRUCache<string, number>;
  readonly #lookups = new Map<string, Lookup>();
  #down = false;
  #probing = false;
  #nextProbeAt = 0;

  constructor(options: LinkCacheOptions) {
    this.#findForRedirect = options.findForRedirect;
    this.#freshMs = options.freshMs ?? 1_000;
    this.#staleMs = options.staleMs ?? 3_600_000;
    this.#patienceMs = options.patienceMs ?? 500;
    this.#now = options.now ?? Date.now;
    const max = options.maxEntries ?? 10_000;
    this.#found = new LRUCache({ max });
    this.#missing = new LRUCache({ max });
  }

  /**
   * The link of a slug key, or null where a visitor finds none: at once (no promise) when a fresh answer is known.
   * Rejects with `unavailable` when the database cannot be asked and the link is not known.
   */
  find(slugKey: string): RedirectLink | null | Promise<RedirectLink | null> {
    const freshSince = this.#now() - this.#freshMs;
    const entry = this.#found.get(slugKey);
    if (entry !== undefined && entry.readAt > freshSince) return entry.link;
    const missingAt = this.#missing.get(slugKey);
    if (missingAt !== undefined && missingAt > freshSince) return null;
    return this.#findStale(slugKey, entry);
  }

  /** Forgets a slug key: to be called once a change of its link is written, so that this replica shows it at once. */
  invalidate(slugKey: string): void {
    this.#found.delete(slugKey);
    this.#missing.delete(slugKey);
    this.#lookups.delete(slugKey);
  }

  async #findStale(slugKey: string, entry: Entry | undefined): Promise<RedirectLink | null> {
    const standIn = entry !== undefined && this.#now() - entry.readAt < this.#staleMs ? entry.link : undefined;
    if (this.#down) {
      this.#probe(slugKey);
      if (standIn !== undefined) return standIn;
      throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
    }
    const lookup = this.#lookup(slugKey);
    if (standIn === undefined) return lookup;
    return this.#patiently(lookup, standIn);
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

  #probe(slugKey: string): void {
    if (this.#probing || this.#now() < this.#nextProbeAt) return;
    this.#probing = true;
    const done = () => {
      this.#probing = false;
      this.#nextProbeAt = this.#now() + PROBE_EVERY_MS;
    };
    // What the probe found is in the cache and in #down; whoever needs the answer asks again.
    this.#lookup(slugKey).then(done, done);
  }

  #lookup(slugKey: string): Promise<RedirectLink | null> {
    const running = this.#lookups.get(slugKey);
    if (running !== undefined) return running.answer;
    const lookup: Lookup = { answer: Promise.resolve(null) };
    this.#lookups.set(slugKey, lookup);
    lookup.answer = this.#read(slugKey, lookup);
    return lookup.answer;
  }

  async #read(slugKey: string, lookup: Lookup): Promise<RedirectLink | null> {
    // Not so any more once the slug was invalidated while the lookup was under way.
    const isCurrent = () => this.#lookups.get(slugKey) === lookup;
    // The answer is as old as its question: what changes while it is under way may or may not be in it.
    const readAt = this.#now();
    try {
      const link = followable(await this.#findForRedirect(slugKey));
      this.#down = false;
      if (isCurrent()) this.#keep(slugKey, link, readAt);
      return link;
    } catch (error) {
      if (isUnavailable(error)) this.#down = true;
      throw error;
    } finally {
      if (isCurrent()) this.#lookups.delete(slugKey);
    }
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

function isUnavailable(error: unknown): boolean {
  return toAppError(error).httpStatus === 503;
}
