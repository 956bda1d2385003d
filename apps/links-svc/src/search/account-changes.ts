import type { Document } from 'mongodb';
import type { Database } from '../database/database.ts';
import { firstLinkIdAt } from '../database/ids.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import type { LinkDocument } from '../links/link.ts';
import type { LinkScope } from '../links/link-scope.ts';
import type { AccountTexts, SearchedLink } from './account-texts.ts';

/** What is read of a link that may be new or changed. */
export type ReadLink = SearchedLink & Pick<LinkDocument, 'revision' | 'changed_at'>;
export const READ_LINK = { search_text: 1, state: 1, hashtags: 1, host_key: 1, revision: 1, changed_at: 1 } as const;

type Change = Required<Pick<ReadLink, '_id' | 'revision' | 'changed_at'>>;
type Found = { _id: null; young: number } | Change | { _id: string };

/**
 * A change has the time at which its write began, and a deletion the time at which it was announced. Both are done
 * within this time.
 */
const CHANGE_OVERLAP_MS = 15_000;
/** The time within which a new link is in the database, and in which the clocks of the replicas may differ. */
const CREATION_OVERLAP_MS = 60_000;
/** The maximum number of changes that are applied at once. */
const CHANGES_MAX = 5_000;
/** How many new links are read at a time. */
const PIECE_SIZE = 1_000;
/** How many changes, without their texts, are read at a time. */
const CHANGES_AT_A_TIME = 100_000;

/**
 * Brings the texts of an account up to date. The last minute is always looked at again, because a link or a change may
 * appear late. What is known of it is not read again: young links are counted, and changes compared by revision.
 */
export class AccountChanges {
  readonly #database: Database;
  readonly #scope: LinkScope;
  /** The database's clock minus `performance.now()`, in milliseconds. */
  readonly #clockOffsetMs: number;
  /** Changes after this time of the database's clock are compared again. */
  #since: Date;
  /** Links from this id on are counted again. */
  #fromId: string;
  /** The known links from that id on. */
  readonly #young = new Set<string>();
  /** The changes after that time, as they were last read. */
  readonly #changed = new Map<string, Change>();

  private constructor(database: Database, scope: LinkScope, clockOffsetMs: number) {
    this.#database = database;
    this.#scope = scope;
    this.#clockOffsetMs = clockOffsetMs;
    this.#since = this.#sinceNow();
    this.#fromId = this.#fromIdNow();
  }

  /** Begins to watch the changes of an account. Load its texts after this. */
  static async begin(database: Database, scope: LinkScope): Promise<AccountChanges> {
    const startedAt = performance.now();
    return new AccountChanges(database, scope, (await database.time()).getTime() - startedAt);
  }

  /** Records links whose texts are those of the database. */
  know(links: readonly ReadLink[]): void {
    for (const { _id, revision, changed_at } of links) {
      if (_id > this.#fromId) this.#young.add(_id);
      if (changed_at !== undefined && changed_at > this.#since) this.#changed.set(_id, { _id, revision, changed_at });
    }
  }

  /**
   * Applies what was created, changed or deleted since the last time, until now. Call it once at a time. Returns false if
   * that is so much that loading the texts again is faster.
   */
  async applyTo(texts: AccountTexts): Promise<boolean> {
    const [since, fromId] = [this.#sinceNow(), this.#fromIdNow()];
    if (!(await this.#apply(texts))) return false;
    this.#since = since;
    this.#fromId = fromId;
    for (const id of this.#young) if (id <= fromId) this.#young.delete(id);
    for (const [id, { changed_at }] of this.#changed) if (changed_at <= since) this.#changed.delete(id);
    return true;
  }

  async #apply(texts: AccountTexts): Promise<boolean> {
    const isYoung = (id: string) => id > this.#fromId;
    /** All links from this id on are known. */
    let beforeId: string | undefined;
    for (;;) {
      const found = await this.#find(beforeId);
      const changed = found
        .filter((one) => 'changed_at' in one)
        .filter(({ _id, revision }) => this.#changed.get(_id)?.revision !== revision)
        .map(({ _id }) => _id);
      // A deletion is recorded before it is done, and may fail.
      const deleted = found
        .flatMap((one) => ('changed_at' in one || 'young' in one ? [] : one._id))
        .filter((id) => !texts.isGone(id));
      const knownBefore = deleted.filter((id) => this.#young.has(id));
      if (changed.length + deleted.length > CHANGES_MAX) return false;
      await this.#readAgain([...changed, ...deleted], texts);
      const missing = (found.find((one) => 'young' in one)?.young ?? 0) - this.#youngBefore(beforeId);
      if (missing > CHANGES_MAX) return false;
      // A link that changed during the count was perhaps counted twice or not at all.
      const isExact = !changed.some(isYoung) && knownBefore.every((id) => this.#young.has(id));
      if (isExact && missing === 0) return true;
      // New links are the newest ones as a rule.
      const newest = await this.#newest(beforeId);
      const unknown = newest.filter(({ _id }) => !this.#young.has(_id));
      for (const link of unknown) texts.change(link._id, link);
      this.know(unknown);
      if (newest.length < PIECE_SIZE) return true;
      beforeId = newest.at(-1)!._id;
    }
  }

  #youngBefore(id: string | undefined): number {
    if (id === undefined) return this.#young.size;
    let count = 0;
    for (const young of this.#young) if (young < id) count += 1;
    return count;
  }

  /** Returns the number of young links before an id, the changes, and the deletions, which have only an id. */
  #find(beforeId: string | undefined): Promise<Found[]> {
    const { links, deletedLinks } = this.#database;
    const changedSince = { account_id: this.#scope.accountId, changed_at: { $gt: this.#since } };
    return this.#database.run(() =>
      links
        .aggregate<Found>(
          [
            { $match: this.#scope.wholeAccountByStates(this.#fromId, beforeId) },
            { $group: { _id: null, young: { $sum: 1 } } },
            unionWith(links, [
              { $match: changedSince },
              { $project: { revision: 1, changed_at: 1 } },
              unionWith(deletedLinks, [{ $match: changedSince }, { $project: { _id: 1 } }]),
            ]),
          ],
          { batchSize: CHANGES_AT_A_TIME, ...BOUNDED },
        )
        .toArray(),
    );
  }

  #newest(beforeId: string | undefined): Promise<ReadLink[]> {
    const filter = this.#scope.wholeAccount(this.#fromId, beforeId);
    return this.#database.run(() =>
      this.#database.links
        .find<ReadLink>(filter, { projection: READ_LINK, hint: '_id_', ...BOUNDED_FIND })
        .sort({ _id: -1 })
        .limit(PIECE_SIZE)
        .toArray(),
    );
  }

  async #readAgain(ids: readonly string[], texts: AccountTexts): Promise<void> {
    if (ids.length === 0) return;
    const filter = { account_id: this.#scope.accountId, _id: { $in: [...ids] } };
    const found = await this.#database.run(() =>
      this.#database.links.find<ReadLink>(filter, { projection: READ_LINK, ...BOUNDED_FIND }).toArray(),
    );
    const links = new Map(found.map((link) => [link._id, link]));
    for (const id of ids) {
      if (!links.has(id)) this.#young.delete(id);
      texts.change(id, links.get(id) ?? null);
    }
    this.know(found);
  }

  #sinceNow(): Date {
    return new Date(this.#clockOffsetMs + performance.now() - CHANGE_OVERLAP_MS);
  }

  #fromIdNow(): string {
    return firstLinkIdAt(this.#scope.accountId, Date.now() - CREATION_OVERLAP_MS);
  }
}

function unionWith({ collectionName }: { collectionName: string }, pipeline: Document[]): Document {
  return { $unionWith: { coll: collectionName, pipeline } };
}
