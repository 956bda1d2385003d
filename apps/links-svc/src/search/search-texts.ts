import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import { FairQueue, KeyedMutex, runWithoutDeadline, timeLeftMs, withTimeout } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import type { ClientSession, Filter } from 'mongodb';
import type { Database, Reading } from '../database/database.ts';
import type { LinkDocument } from '../database/documents/link.ts';
import { type IdRange, linkIdRange } from '../database/ids.ts';
import { BOUNDED_FIND } from '../database/operation-options.ts';
import { readInPieces } from '../database/read-in-pieces.ts';
import { type LogPosition, positionOf } from '../events/event.ts';
import type { AccountLog, AccountLogs } from '../follower/account-logs.ts';
import type { LinkScope } from '../links/link-scope.ts';
import { LinkMatcher, type TextSearch } from './link-matcher.ts';
import { blocksOf, replaceLinks, SEARCHED_LINK, type SearchedLink, type TextBlock } from './text-blocks.ts';

/** The links of an account, in the order of their ids. */
type Texts = readonly TextBlock[];

interface Loaded {
  texts: Texts;
  /** The position in the account's log up to which every change is in the texts. */
  position: LogPosition;
  /** The time of the last search, of `performance.now()`. */
  usedAtMs: number;
}

interface LinksToRead {
  accountId: string;
  filter?: Filter<LinkDocument>;
  ids?: IdRange | undefined;
  within?: Reading;
}

const MAX_BYTES = 128 * 1_024 * 1_024;
/** After more events than this, loading the texts again is faster than applying each change. */
const EVENTS_MAX = 5_000;
/** How many changed links are read and applied at a time. */
const CHANGED_AT_A_TIME = 200;
/** Small, because decoding and joining the texts keeps the process busy. */
const LOADED_AT_A_TIME = 1_000;
/** An account that was searched within this time is not ejected for another one: they would eject each other. */
const IN_USE_MS = 60_000;
/** How long the texts of an account that did not fit are not loaded again. */
const AVOIDED_FOR_MS = 60_000;
/** The memory of an account without links, about. */
const ACCOUNT_BYTES = 2_048;
/** How long a search may take. */
const SEARCH_MAX_MS = 4_000;
/** How long a search runs before other work gets its turn. */
const SLICE_MS = 5;
/** How many accounts' searches may wait for their next slice. */
const WAITING_ACCOUNTS_MAX = 1_000;
const LOAD_TURN_MAX_MS = 60_000;

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
  /** One account begins to load at a time, and one large account goes on. So small accounts wait for no large one. */
  readonly #loadTurns = new KeyedMutex();
  /** An account is searched once at a time, so that it is loaded once, and its first search ends first. */
  readonly #searches = new KeyedMutex();
  /** The process runs one slice of a search at a time, fair to accounts. */
  readonly #slices = new FairQueue({ concurrency: 1, maxWaiting: WAITING_ACCOUNTS_MAX });

  constructor(database: Database, logs: AccountLogs, maxBytes = MAX_BYTES) {
    this.#database = database;
    this.#logs = logs;
    this.#maxBytes = maxBytes;
    this.#loaded = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ texts }) => bytesOf(texts) });
  }

  /**
   * Returns the ids of the links that match a search in these states of the scope, in ascending order.
   * @throws {AppError} `unavailable` if it takes too long, or in an outage.
   */
  find(scope: LinkScope, search: TextSearch): Promise<string[]> {
    const { accountId } = scope;
    const maxMs = timeLeftMs(SEARCH_MAX_MS);
    const untilMs = performance.now() + maxMs;
    const run = async () => {
      const texts = await this.#current(accountId);
      const pieces =
        texts === null ? this.#read({ accountId, filter: scope.byStates(search.states), ids: search.ids }) : [];
      const matcher = new LinkMatcher(search);
      const ids = await this.#test(accountId, texts ?? [], matcher, untilMs);
      for await (const links of pieces) ids.push(...(await this.#test(accountId, blocksOf(links), matcher, untilMs)));
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

  /** Returns the texts of an account as they are in the database now, or null if they do not fit. */
  async #current(accountId: string): Promise<Texts | null> {
    const account = await this.#logs.find(accountId);
    const loaded = this.#loaded.get(accountId);
    if (loaded !== undefined && loaded.position.change_id === account?.change_id) {
      loaded.usedAtMs = performance.now();
      return loaded.texts;
    }
    const log = await this.#logs.open(accountId);
    if (log === null) {
      this.#loaded.delete(accountId);
      return [];
    }
    try {
      const texts = (loaded && (await this.#follow(accountId, loaded, log))) ?? (await this.#load(accountId, log));
      if (texts === null) this.#loaded.delete(accountId);
      else this.#loaded.set(accountId, { texts, position: positionOf(log.account), usedAtMs: performance.now() });
      return texts;
    } finally {
      log.close();
    }
  }

  /** Returns the texts with the changes up to the log's end, or null if they must be loaded again. */
  async #follow(accountId: string, { texts, position }: Loaded, log: AccountLog): Promise<Texts | null> {
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
  }

  /** Loads the texts of an account. Returns null if they do not fit. */
  async #load(accountId: string, { reading }: AccountLog): Promise<Texts | null> {
    if (this.#avoided.has(accountId)) return null;
    const texts: TextBlock[] = [];
    const pieces = this.#read({ accountId, within: reading });
    const fits = () => bytesOf(texts) <= this.#roomFor(accountId);
    /** Returns true if there may be more, and room for it. */
    const addPiece = async (): Promise<boolean> => {
      const { value, done } = await pieces.next();
      if (done === true) return false;
      texts.push(...blocksOf(value));
      return fits();
    };
    // Of a small account, the second piece is the end.
    const begin = async () => (await addPiece()) && (await addPiece());
    const goOn = async () => {
      while (await addPiece());
    };
    try {
      if (await this.#loadTurns.run('begin', LOAD_TURN_MAX_MS, begin))
        await this.#loadTurns.run('go on', LOAD_TURN_MAX_MS, goOn);
    } finally {
      await pieces.return(undefined);
    }
    if (fits()) return texts;
    this.#avoided.set(accountId, true);
    return null;
  }

  /** Yields the links of an account that match the filter, in the order of their ids, in this range. */
  #read({ accountId, filter = {}, ids = linkIdRange(accountId), within }: LinksToRead): AsyncGenerator<SearchedLink[]> {
    const find = (session: ClientSession) =>
      this.#database.collections.links
        .find<SearchedLink>(
          { ...filter, account_id: accountId, _id: { ...ids } },
          { projection: SEARCHED_LINK, hint: '_id_', session },
        )
        .sort({ _id: 1 });
    return readInPieces(this.#database, find, { size: LOADED_AT_A_TIME, ...(within && { within }) });
  }

  /** Returns the memory for the texts of an account, if no other one that is in use is ejected. */
  #roomFor(accountId: string): number {
    let room = this.#maxBytes;
    // Those that were searched last come first.
    for (const [id, { texts, usedAtMs }] of this.#loaded.entries()) {
      if (performance.now() - usedAtMs >= IN_USE_MS) break;
      if (id !== accountId) room -= bytesOf(texts);
    }
    return room;
  }
}

/** Returns the memory of the texts of an account, about. */
function bytesOf(texts: Texts): number {
  return texts.reduce((sum, { bytes }) => sum + bytes, ACCOUNT_BYTES);
}
