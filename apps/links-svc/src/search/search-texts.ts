import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import { KeyedMutex, withTimeout } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import type { Filter } from 'mongodb';
import type { Database } from '../database/database.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import { readInPieces } from '../database/read-in-pieces.ts';
import { eventId } from '../events/event.ts';
import { FairQueue } from '../fair-queue.ts';
import type { LinkDocument } from '../links/link.ts';
import { type LinkScope, wholeAccount } from '../links/link-scope.ts';
import { SharedRuns } from '../shared-runs.ts';
import { AccountTexts } from './account-texts.ts';
import { LinkMatcher, type TextSearch } from './link-matcher.ts';
import { blocksOf, SEARCHED_LINK, type SearchedLink, type TextBlock } from './text-blocks.ts';

interface Loaded {
  texts: AccountTexts;
  /** The revision of the account up to which every change is in the texts. */
  revision: number;
  /** The time of the last search, of `performance.now()`. */
  usedAtMs: number;
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
/** How long a search may take. The request ends a little later. */
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
  readonly #maxBytes: number;
  readonly #loaded: LRUCache<string, Loaded>;
  /** Accounts whose texts did not fit. */
  readonly #avoided = new LRUCache<string, true>({ max: 10_000, ttl: AVOIDED_FOR_MS });
  readonly #updates = new SharedRuns<AccountTexts | null>();
  /** One account begins to load at a time, and one large account goes on. So small accounts wait for no large one. */
  readonly #loadTurns = new KeyedMutex();
  /** An account is searched once at a time, so that its first search ends first. */
  readonly #searches = new KeyedMutex();
  /** The process runs one slice of a search at a time, fair to accounts. */
  readonly #slices = new FairQueue({ concurrency: 1, maxWaiting: WAITING_ACCOUNTS_MAX });

  constructor(database: Database, maxBytes = MAX_BYTES) {
    this.#database = database;
    this.#maxBytes = maxBytes;
    this.#loaded = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ texts }) => texts.bytes + ACCOUNT_BYTES,
    });
  }

  /**
   * Returns the ids of the links that match a search in these states of the scope, in ascending order.
   * @throws {AppError} `unavailable` if it takes too long, or in an outage.
   */
  find(scope: LinkScope, search: TextSearch): Promise<string[]> {
    return withTimeout(this.#find(scope, search), SEARCH_MAX_MS, 'a search');
  }

  async #find(scope: LinkScope, search: TextSearch): Promise<string[]> {
    const { accountId } = scope;
    const untilMs = performance.now() + SEARCH_MAX_MS;
    const texts = await this.#updates.run(accountId, () => this.#update(accountId));
    return this.#searches.run(accountId, untilMs - performance.now(), async () => {
      const matcher = new LinkMatcher(search);
      const found: string[] = [];
      const test = (blocks: readonly TextBlock[]) => this.#test(accountId, blocks, matcher, found, untilMs);
      if (texts !== null) await test(texts.blocks);
      else for await (const links of this.#read(accountId, scope.byStates(search.states))) await test(blocksOf(links));
      return found;
    });
  }

  /** Adds the ids of the matches in the blocks to `found`, in slices. */
  async #test(
    accountId: string,
    blocks: readonly TextBlock[],
    matcher: LinkMatcher,
    found: string[],
    untilMs: number,
  ): Promise<void> {
    for (let next = 0; next < blocks.length; ) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) throw new AppError('unavailable', BUSY_MESSAGE);
      await this.#slices.run(
        [accountId],
        async () => {
          // Other requests come first, also if the next slice belongs to another search.
          await nextTurn();
          const sliceEnd = performance.now() + SLICE_MS;
          do found.push(...matcher.idsIn(blocks[next++]!));
          while (next < blocks.length && performance.now() < sliceEnd);
        },
        leftMs,
      );
    }
  }

  /** Returns the texts of an account as they are in the database now, or null if they do not fit. */
  async #update(accountId: string): Promise<AccountTexts | null> {
    const account = await this.#database.run(() =>
      this.#database.accounts.findOne({ _id: accountId }, { projection: { revision: 1 }, ...BOUNDED }),
    );
    const revision = account?.revision ?? 0;
    const loaded = this.#loaded.get(accountId);
    if (loaded !== undefined && (await this.#follow(accountId, loaded, revision)))
      return this.#keep(accountId, loaded.texts, revision);
    this.#loaded.delete(accountId);
    if (this.#avoided.has(accountId)) return null;
    const texts = await this.#load(accountId);
    if (texts !== null) return this.#keep(accountId, texts, revision);
    this.#avoided.set(accountId, true);
    return null;
  }

  #keep(accountId: string, texts: AccountTexts, revision: number): AccountTexts {
    this.#loaded.set(accountId, { texts, revision, usedAtMs: performance.now() });
    return texts;
  }

  /** Applies the changes up to this revision. Returns false if the texts must be loaded again. */
  async #follow(accountId: string, { texts, revision: known }: Loaded, revision: number): Promise<boolean> {
    const count = revision - known;
    if (count === 0) return true;
    if (count > EVENTS_MAX) return false;
    const { events, links } = this.#database;
    const range = { $gt: eventId(accountId, known), $lte: eventId(accountId, revision) };
    const found = await this.#database.run(() =>
      events.find({ _id: range }, { projection: { link_id: 1 }, ...BOUNDED, batchSize: EVENTS_MAX }).toArray(),
    );
    // Old events expire.
    if (found.length !== count) return false;
    const ids = [...new Set(found.flatMap(({ link_id }) => link_id ?? []))];
    for (let from = 0; from < ids.length; from += CHANGED_AT_A_TIME) {
      const some = ids.slice(from, from + CHANGED_AT_A_TIME);
      const filter = { account_id: accountId, _id: { $in: some } };
      const changed = await this.#database.run(() =>
        links.find<SearchedLink>(filter, { projection: SEARCHED_LINK, ...BOUNDED_FIND }).toArray(),
      );
      texts.replace(some, changed);
    }
    return true;
  }

  /** Yields the links that match a filter, in the order of their ids. */
  #read(accountId: string, filter: Filter<LinkDocument> = {}): AsyncGenerator<SearchedLink[]> {
    const found = this.#database.links
      .find<SearchedLink>({ ...filter, ...wholeAccount(accountId) }, { projection: SEARCHED_LINK, hint: '_id_' })
      .sort({ _id: 1 });
    return readInPieces(this.#database, found, LOADED_AT_A_TIME);
  }

  /** Loads the texts of an account. Returns null if they do not fit. */
  async #load(accountId: string): Promise<AccountTexts | null> {
    const texts = new AccountTexts();
    const pieces = this.#read(accountId);
    /** Returns true if there may be more, and room for it. */
    const addPiece = async (): Promise<boolean> => {
      const { value, done } = await pieces.next();
      if (done === true) return false;
      texts.add(value);
      return this.#fits(accountId, texts);
    };
    // Of a small account, the second piece is the end.
    const addFirst = async () => (await addPiece()) && (await addPiece());
    try {
      if (await this.#loadTurns.run('begin', LOAD_TURN_MAX_MS, addFirst))
        await this.#loadTurns.run('go on', LOAD_TURN_MAX_MS, async () => {
          while (await addPiece());
        });
    } finally {
      await pieces.return(undefined);
    }
    return this.#fits(accountId, texts) ? texts : null;
  }

  /** Returns true if these texts of an account fit into memory, and no account that is in use is ejected for them. */
  #fits(accountId: string, texts: AccountTexts): boolean {
    let room = this.#maxBytes - texts.bytes - ACCOUNT_BYTES;
    // Those that were searched last come first.
    for (const [id, other] of this.#loaded.entries()) {
      if (performance.now() - other.usedAtMs >= IN_USE_MS) break;
      if (id !== accountId) room -= other.texts.bytes + ACCOUNT_BYTES;
    }
    return room >= 0;
  }
}
