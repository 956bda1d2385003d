import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import {
  FairQueue,
  KeyedMutex,
  runWithDeadline,
  runWithoutDeadline,
  timeLeftMs,
  withTimeout,
} from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import type { ClientSession } from 'mongodb';
import type { Database } from '../database/database.ts';
import { linkIdRange } from '../database/ids.ts';
import { BOUNDED_FIND } from '../database/operation-options.ts';
import { readInPieces } from '../database/read-in-pieces.ts';
import { type LogPosition, positionOf } from '../events/event.ts';
import type { AccountLog, AccountLogs, FollowedAccount } from '../follower/account-logs.store.ts';
import { countOf } from '../links/indexed-values.ts';
import type { LinkScope } from '../links/link-scope.ts';
import { LinkMatcher, type TextSearch } from './link-matcher.ts';
import { blocksOf, replaceLinks, SEARCHED_LINK, type SearchedLink, type TextBlock } from './text-blocks.ts';

/** The links of an account, in the order of their ids. */
type Texts = readonly TextBlock[];

interface Loaded {
  texts: Texts;
  bytes: number;
  /** The position in the account's log up to which every change is in the texts. */
  position: LogPosition;
  /** The matches of the last searches in these texts. */
  matches: LRUCache<string, readonly string[]>;
  /** The time of the last search, of `performance.now()`. */
  usedAtMs: number;
}

const MAX_BYTES = 128 * 1_024 * 1_024;
/** After more events than this, loading the texts again is faster than applying each change. */
const EVENTS_MAX = 5_000;
/** How many changed links are read and applied at a time. */
const CHANGED_AT_A_TIME = 200;
/**
 * How many links are read at a time: few, because decoding and joining their texts keeps the process busy. A search waits
 * for the load of an account that has no more.
 */
const LOADED_AT_A_TIME = 1_000;
/** An account that was searched within this time is not ejected for another one: they would eject each other. */
const IN_USE_MS = 60_000;
/** How long the texts of an account that did not fit are not loaded again. */
const AVOIDED_FOR_MS = 60_000;
/** The memory of an account without links, about. */
const ACCOUNT_BYTES = 4_096;
/** For how many searches the matches are kept in an account. The memory is counted with that of each link. */
const KEPT_SEARCHES = 4;
/** How long a search may take. */
const SEARCH_MAX_MS = 4_000;
/** How long a search runs before other work gets its turn. */
const SLICE_MS = 5;
/** How many accounts' searches may wait for their next slice. */
const WAITING_ACCOUNTS_MAX = 1_000;

/**
 * The search texts of the accounts that were searched last, in the memory of this replica. Before each search they
 * follow the account's log, so a result is as exact as one of the database (ADR 36).
 */
export class SearchTexts {
  readonly #database: Database;
  readonly #logs: AccountLogs;
  readonly #maxBytes: number;
  readonly #loaded: LRUCache<string, Loaded>;
  /** Accounts whose texts did not fit. */
  readonly #avoided = new LRUCache<string, true>({ max: 10_000, ttl: AVOIDED_FOR_MS });
  /** One small account loads at a time. */
  readonly #smallLoads = new KeyedMutex();
  /** One large account loads at a time. No other waits for it: the database searches that one. */
  #largeLoad: { accountId: string; ended: Promise<void> } | undefined;
  /** An account is searched once at a time, so that it is loaded once, and its first search ends first. */
  readonly #searches = new KeyedMutex();
  /** The process runs one slice of a search at a time, fair to accounts. */
  readonly #slices = new FairQueue({ concurrency: 1, maxWaiting: WAITING_ACCOUNTS_MAX });

  constructor(database: Database, logs: AccountLogs, maxBytes = MAX_BYTES) {
    this.#database = database;
    this.#logs = logs;
    this.#maxBytes = maxBytes;
    this.#loaded = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /**
   * Returns the ids of the links that match a search in these states of the scope, in ascending order. Of an account
   * whose texts do not fit into memory, or are many and not there yet, they are those that `searchDatabase` returns.
   * @throws {AppError} `unavailable` if it takes too long, or in an outage.
   */
  find(
    { accountId, publicOnly }: LinkScope,
    search: TextSearch,
    searchDatabase: () => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const maxMs = timeLeftMs(SEARCH_MAX_MS);
    const untilMs = performance.now() + maxMs;
    // No key gets what was kept for one that sees more.
    const key = createHash('sha256').update(JSON.stringify({ publicOnly, search })).digest('base64');
    const run = async () => {
      const loaded = await this.#current(accountId);
      if (loaded === null) {
        // A load at the same time would take half of the database from the search.
        const found = runWithDeadline(untilMs - performance.now(), searchDatabase);
        return found.finally(() => this.#loadInBackground(accountId));
      }
      const { texts, matches } = loaded;
      const ids = matches.get(key) ?? (await this.#test(accountId, texts, new LinkMatcher(search), untilMs));
      matches.set(key, ids);
      return ids;
    };
    // A load goes on for the next search.
    const found = runWithoutDeadline(() => this.#searches.run(accountId, maxMs, run));
    return withTimeout(found, maxMs, 'a search');
  }

  /** Returns the ids of the matches in these texts. Runs in slices. */
  async #test(accountId: string, texts: Texts, matcher: LinkMatcher, untilMs: number): Promise<string[]> {
    const found: string[] = [];
    for (let next = 0; next < texts.length; ) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) throw new AppError('unavailable', BUSY_MESSAGE);
      const runSlice = async () => {
        // Other requests come first, also if the next slice belongs to another search.
        await nextTurn();
        const sliceEnd = performance.now() + SLICE_MS;
        do found.push(...matcher.idsIn(texts[next++]!));
        while (next < texts.length && performance.now() < sliceEnd);
      };
      await this.#slices.run([accountId], runSlice, leftMs);
    }
    return found;
  }

  /** Returns the texts of an account as they are in the database now, or null if they are not in memory. */
  async #current(accountId: string): Promise<Loaded | null> {
    if (this.#largeLoad?.accountId === accountId) await this.#largeLoad.ended;
    const account = await this.#logs.find(accountId);
    if (account === null) return null;
    const loaded = this.#loaded.get(accountId);
    if (loaded === undefined) return this.#load(accountId, account);
    if (loaded.position.change_id !== account.change_id)
      return (await this.#follow(accountId, loaded)) ?? this.#load(accountId, account);
    loaded.usedAtMs = performance.now();
    return loaded;
  }

  /** Returns the texts with all changes up to now, or null if they must be loaded again. */
  #follow(accountId: string, { texts, position }: Loaded): Promise<Loaded | null> {
    return this.#keep(accountId, async (log) => {
      const events = await log.eventsSince(position, EVENTS_MAX);
      if (events === null) return null;
      const ids = [...new Set(events.flatMap(({ link_id }) => link_id ?? []))];
      let followed = texts;
      for (let from = 0; from < ids.length; from += CHANGED_AT_A_TIME) {
        const some = ids.slice(from, from + CHANGED_AT_A_TIME);
        const filter = { account_id: accountId, _id: { $in: some } };
        const options = { projection: SEARCHED_LINK, ...BOUNDED_FIND, session: log.reading.session };
        const existing = await this.#database.run(() =>
          this.#database.collections.links.find<SearchedLink>(filter, options).toArray(),
        );
        followed = replaceLinks(followed, some, existing);
      }
      return followed;
    });
  }

  /** Loads the texts of a small account. Returns null if they do not fit, or are many. */
  async #load(accountId: string, { counts }: FollowedAccount): Promise<Loaded | null> {
    const isSmall = countOf(counts, Object.keys(counts)) <= LOADED_AT_A_TIME;
    if (!isSmall || this.#avoided.has(accountId)) return null;
    return this.#smallLoads.run('next', SEARCH_MAX_MS, () => this.#keepAll(accountId));
  }

  /** Loads the texts of an account, unless they do not fit or another account loads so. Searches wait for the load. */
  #loadInBackground(accountId: string): void {
    if (this.#largeLoad !== undefined || this.#avoided.has(accountId)) return;
    const ended = this.#keepAll(accountId)
      // The next search of the account begins it again.
      .catch(() => null)
      .then(() => {
        this.#largeLoad = undefined;
      });
    this.#largeLoad = { accountId, ended };
  }

  #keepAll(accountId: string): Promise<Loaded | null> {
    return this.#keep(accountId, (log) => this.#readAll(accountId, log));
  }

  /** Keeps the texts of an account that `read` returns. Returns null, and keeps nothing, if `read` does. */
  async #keep(accountId: string, read: (log: AccountLog) => Promise<Texts | null>): Promise<Loaded | null> {
    const log = await this.#logs.open(accountId);
    try {
      const texts = log && (await read(log));
      if (log === null || texts === null) {
        this.#loaded.delete(accountId);
        return null;
      }
      const matches = new LRUCache<string, readonly string[]>({ max: KEPT_SEARCHES });
      const position = positionOf(log.account);
      const loaded = { texts, bytes: bytesOf(texts), position, matches, usedAtMs: performance.now() };
      this.#loaded.set(accountId, loaded);
      return loaded;
    } finally {
      log?.close();
    }
  }

  /** Reads the texts of an account. Returns null if they do not fit. */
  async #readAll(accountId: string, { reading }: AccountLog): Promise<Texts | null> {
    const texts: TextBlock[] = [];
    const find = (session: ClientSession) =>
      this.#database.collections.links
        .find<SearchedLink>(
          { account_id: accountId, _id: { ...linkIdRange(accountId) } },
          { projection: SEARCHED_LINK, hint: '_id_', session },
        )
        .sort({ _id: 1 });
    for await (const links of readInPieces(this.#database, find, { size: LOADED_AT_A_TIME, within: reading })) {
      texts.push(...blocksOf(links));
      if (bytesOf(texts) > this.#roomFor(accountId)) {
        this.#avoided.set(accountId, true);
        return null;
      }
    }
    return texts;
  }

  /** Returns the memory for the texts of an account, if no other one that is in use is ejected. */
  #roomFor(accountId: string): number {
    let room = this.#maxBytes;
    // Those that were searched last come first.
    for (const [id, { bytes, usedAtMs }] of this.#loaded.entries()) {
      if (performance.now() - usedAtMs >= IN_USE_MS) break;
      if (id !== accountId) room -= bytes;
    }
    return room;
  }
}

/** Returns the memory of the texts of an account, about. */
function bytesOf(texts: Texts): number {
  return texts.reduce((sum, { bytes }) => sum + bytes, ACCOUNT_BYTES);
}
