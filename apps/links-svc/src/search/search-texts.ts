import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import { KeyedMutex, type Logger, withTimeout } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.ts';
import { readInPieces } from '../database/read-in-pieces.ts';
import { FairQueue } from '../fair-queue.ts';
import type { LinkScope } from '../links/link-scope.ts';
import { SharedRuns } from '../shared-runs.ts';
import { AccountChanges, READ_LINK, type ReadLink } from './account-changes.ts';
import { AccountTexts, type TextSearch } from './account-texts.ts';

export interface SearchTextsOptions {
  database: Database;
  logger: Pick<Logger, 'warn'>;
  /** The maximum memory of the texts of all accounts, in bytes. */
  maxBytes?: number;
}

interface Loaded {
  texts: AccountTexts;
  changes: AccountChanges;
  /** The time of the last search, of `performance.now()`. */
  usedAtMs: number;
}

const MAX_BYTES = 128 * 1_024 * 1_024;
/** From this number of changes on, the texts are loaded again: changes are kept in a form that is slower to search. */
const CHANGES_MAX = 5_000;
/** How long an account that does not fit is searched in the database. */
const TOO_LARGE_FOR_MS = 600_000;
/**
 * How long texts are kept before they are loaded again. If the database's clock was set back, changes of that time are
 * missing until then.
 */
const KEPT_FOR_MS = 600_000;
/** An account that was searched within this time is not ejected for another one: they would eject each other. */
const IN_USE_MS = 60_000;
/** The memory of an account without links, about. */
const ACCOUNT_BYTES = 2_048;
/** Small, because decoding and joining the texts keeps the process busy. */
const LOADED_AT_A_TIME = 1_000;
/** How long a search may run. The request ends a little later. */
const SEARCH_MAX_MS = 4_000;
/** How many accounts' searches may wait for their next slice. */
const WAITING_ACCOUNTS_MAX = 1_000;
const LOAD_TURN_MAX_MS = 60_000;

/**
 * The search texts of the accounts that were searched last, in the memory of this replica. Each search first reads what
 * changed in the account since the last one, so a result is as exact as one of the database (ADR 36).
 */
export class SearchTexts {
  readonly #database: Database;
  readonly #logger: SearchTextsOptions['logger'];
  readonly #maxBytes: number;
  readonly #loaded: LRUCache<string, Loaded>;
  /** Accounts whose texts do not fit. */
  readonly #avoided = new LRUCache<string, true>({ max: 10_000, ttl: TOO_LARGE_FOR_MS });
  readonly #loads = new SharedRuns<AccountTexts | null>();
  /** The loads that run. */
  readonly #loading = new Map<string, Promise<unknown>>();
  /** One account begins to load at a time, and one large account goes on. So small accounts wait for no large one. */
  readonly #loadTurns = new KeyedMutex();
  readonly #refreshes = new SharedRuns<AccountTexts | null>();
  /** An account is searched once at a time, so that its first search ends first. */
  readonly #searches = new KeyedMutex();
  /** The process runs one slice of a search at a time, fair to accounts. */
  readonly #slices = new FairQueue({ concurrency: 1, maxWaiting: WAITING_ACCOUNTS_MAX });
  #isUpgraded = false;

  constructor({ database, logger, maxBytes = MAX_BYTES }: SearchTextsOptions) {
    this.#database = database;
    this.#logger = logger;
    this.#maxBytes = maxBytes;
    this.#loaded = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ texts }) => texts.bytes + ACCOUNT_BYTES,
      ttl: KEPT_FOR_MS,
      noUpdateTTL: true,
    });
    // Until then, stored texts may be those of another version.
    void database.whenPrepared().then(() => {
      this.#isUpgraded = true;
    });
  }

  /** Returns true if a search of this account needs no load. */
  isLoaded({ accountId }: LinkScope): boolean {
    return this.#loaded.has(accountId);
  }

  /**
   * Returns the ids of the links that match a search in these states of the scope, in ascending order. Returns null if
   * the texts of the account do not fit into memory or cannot be loaded.
   * @throws {AppError} `unavailable` if the search, or a load for it, takes too long.
   */
  async find(scope: LinkScope, search: TextSearch): Promise<readonly string[] | null> {
    if (!this.#isUpgraded) return null;
    const untilMs = performance.now() + SEARCH_MAX_MS;
    // In the database, a search would read all links too, and slow down the load.
    const texts = await withTimeout(this.#current(scope), SEARCH_MAX_MS, 'loading search texts');
    if (texts === null) return null;
    return this.#searches.run(scope.accountId, untilMs - performance.now(), () =>
      texts.find(search, (slice) => this.#runSlice(scope.accountId, slice, untilMs)),
    );
  }

  /** Returns the texts as they are in the database now. */
  async #current(scope: LinkScope): Promise<AccountTexts | null> {
    const { accountId } = scope;
    const loading = this.#loading.get(accountId);
    if (loading !== undefined && !this.#loaded.has(accountId)) await loading;
    if (this.#loaded.has(accountId)) {
      const texts = await this.#refreshes.run(accountId, () => this.#refresh(scope));
      if (texts !== null) return texts;
    }
    if (this.#avoided.has(accountId)) return null;
    // The load begins after this call, so its result is new enough.
    return this.#loads.run(accountId, () => this.#startLoad(scope));
  }

  async #runSlice(accountId: string, slice: () => void, untilMs: number): Promise<void> {
    const leftMs = untilMs - performance.now();
    if (leftMs <= 0) throw new AppError('unavailable', BUSY_MESSAGE);
    const runInOwnTurn = async () => {
      // Other requests come first, also if the next slice belongs to another search.
      await nextTurn();
      slice();
    };
    await this.#slices.run([accountId], runInOwnTurn, leftMs);
  }

  /** Reads what changed. Returns null if the texts are not kept, or if so much changed that they must be loaded again. */
  async #refresh(scope: LinkScope): Promise<AccountTexts | null> {
    const { accountId } = scope;
    const loaded = this.#loaded.get(accountId);
    if (loaded === undefined) return null;
    const { texts, changes } = loaded;
    const isCurrent = await changes.applyTo(texts);
    if (this.#loaded.peek(accountId) !== loaded) return isCurrent ? texts : null;
    if (!isCurrent) {
      this.#loaded.delete(accountId);
      return null;
    }
    this.#loaded.set(accountId, { texts, changes, usedAtMs: performance.now() });
    // Searches go on meanwhile.
    if (texts.changes > CHANGES_MAX && !this.#loading.has(accountId)) void this.#startLoad(scope);
    return texts;
  }

  #startLoad(scope: LinkScope): Promise<AccountTexts | null> {
    const { accountId } = scope;
    const load = this.#load(scope)
      .catch((err: unknown) => {
        this.#logger.warn({ err }, 'could not load search texts; the database searches');
        return null;
      })
      .finally(() => this.#loading.delete(accountId));
    this.#loading.set(accountId, load);
    return load;
  }

  /** Loads the texts of an account. Returns null if they do not fit. */
  async #load(scope: LinkScope): Promise<AccountTexts | null> {
    const { accountId } = scope;
    const texts = new AccountTexts();
    const all = this.#database.links
      .find<ReadLink>(scope.wholeAccount(accountId), { projection: READ_LINK, hint: '_id_' })
      .sort({ _id: 1 });
    const pieces = readInPieces(this.#database, all, LOADED_AT_A_TIME);
    /** Returns true if there may be more. */
    const addPiece = async (changes: AccountChanges): Promise<boolean> => {
      const { value, done } = await pieces.next();
      if (done === true) return false;
      texts.add(value);
      changes.know(value);
      const ttl = texts.bytes > this.#maxBytes ? TOO_LARGE_FOR_MS : IN_USE_MS;
      if (texts.bytes + ACCOUNT_BYTES > this.#room(accountId)) throw new DoesNotFit(ttl);
      // A piece of long texts is smaller than asked for.
      return all.id?.isZero() !== true;
    };
    try {
      const { changes, isLarge } = await this.#loadTurns.run('begin', LOAD_TURN_MAX_MS, async () => {
        const begun = await AccountChanges.begin(this.#database, scope);
        return { changes: begun, isLarge: await addPiece(begun) };
      });
      if (isLarge)
        await this.#loadTurns.run('go on', LOAD_TURN_MAX_MS, async () => {
          while (await addPiece(changes));
        });
      this.#loaded.set(accountId, { texts, changes, usedAtMs: performance.now() }, { noUpdateTTL: false });
      return texts;
    } catch (error) {
      if (!(error instanceof DoesNotFit)) throw error;
      this.#avoided.set(accountId, true, { ttl: error.avoidedForMs });
      this.#loaded.delete(accountId);
      return null;
    } finally {
      await pieces.return(undefined);
    }
  }

  /** Returns the memory for this account's texts, if no account that is in use is ejected. */
  #room(accountId: string): number {
    let room = this.#maxBytes;
    for (const [id, { texts, usedAtMs }] of this.#loaded.entries())
      if (id !== accountId && performance.now() - usedAtMs < IN_USE_MS) room -= texts.bytes + ACCOUNT_BYTES;
    return room;
  }
}

class DoesNotFit extends Error {
  override readonly name = 'DoesNotFit';
  readonly avoidedForMs: number;

  constructor(avoidedForMs: number) {
    super('the texts of the account do not fit');
    this.avoidedForMs = avoidedForMs;
  }
}
