import type { ListLinksQuery } from '@waymark/contract';
import type { Filter, Sort } from 'mongodb';
import { type Database, OPERATION_TIMEOUT_MS } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { isLinkId } from '../database/ids.ts';
import { readInPieces } from '../database/read-in-pieces.ts';
import { KeyedMutex } from '../keyed-mutex.ts';
import type { DerivedFields, LinkDocument, ShownLink } from './link.ts';
import type { LinkFields } from './link-fields.ts';
import type { LinkScope } from './link-scope.ts';
import type { Search } from './search.ts';

/** A stored link without the field that only searches read. */
export type StoredLink = Omit<LinkDocument, 'search_text'>;

/** The click totals of one link. */
export interface LinkTotals {
  linkId: string;
  clicks: number;
  lastClickedAt: Date;
}

export interface LinkPage {
  links: ShownLink[];
  /** The number of links in all pages. */
  total: number;
}

const BOUNDED = { maxTimeMS: OPERATION_TIMEOUT_MS };
const STORED_LINK = { projection: { search_text: 0 }, ...BOUNDED };
/** Excludes what clients never see, because a list reads many links. */
const SHOWN_LINK = {
  projection: {
    search_text: 0,
    account_id: 0,
    password_hash: 0,
    slug_key: 0,
    title_key: 0,
    hidden: 0,
    revision: 0,
    changed_at: 0,
  } satisfies Record<Exclude<keyof LinkDocument, keyof ShownLink>, 0>,
  ...BOUNDED,
};
const ID_ONLY = { projection: { _id: 1 } } as const;

/** The order of each sort. Ids are in the order of `created_at`, and no two links have the same slug key. */
const SORTS: Record<ListLinksQuery['sort'], (direction: 1 | -1) => Sort> = {
  created_at: (direction) => ({ _id: direction }),
  updated_at: (direction) => ({ updated_at: direction, _id: direction }),
  title: (direction) => ({ title_key: direction, _id: direction }),
  slug: (direction) => ({ slug_key: direction }),
  clicks: (direction) => ({ clicks: direction, _id: direction }),
};

/** The filter, order and position of a page. */
interface PageRange {
  filter: Filter<LinkDocument>;
  sort: Sort;
  skip: number;
  limit: number;
}

type IdOnly = Pick<LinkDocument, '_id'>;

interface Total {
  _id: null;
  total: number;
}

/** The only code that reads or writes links for an identity. Every method throws `unavailable` in an outage. */
export class LinksStore {
  readonly #database: Database;
  readonly #slugs = new KeyedMutex();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a link. Returns false if its id or its slug is taken. */
  async insert(link: LinkDocument): Promise<boolean> {
    try {
      await this.#writeSlug(link.slug_key, () => this.#database.links.insertOne(link, BOUNDED));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Returns the link with this id, or null if there is none in the scope. */
  async find(scope: LinkScope, id: string): Promise<StoredLink | null> {
    if (!isLinkId(id)) return null;
    return this.#database.run(() => this.#database.links.findOne<StoredLink>(scope.byLinkId(id), STORED_LINK));
  }

  /** Returns the links with these ids that are in the scope, in no particular order. */
  async findMany(scope: LinkScope, ids: readonly string[]): Promise<ShownLink[]> {
    const valid = ids.filter(isLinkId);
    if (valid.length === 0) return [];
    return this.#database.run(() => this.#database.links.find<ShownLink>(scope.byLinkIds(valid), SHOWN_LINK).toArray());
  }

  /**
   * Writes fields, and the fields derived from them, to the revision of the link that they are based on. Returns false
   * if the link is not in the scope or has another revision, and `taken` if another link has the slug.
   */
  async update(
    scope: LinkScope,
    { _id, revision }: Pick<LinkDocument, '_id' | 'revision'>,
    fields: Partial<LinkFields> & DerivedFields & { updated_at: Date },
  ): Promise<boolean | 'taken'> {
    try {
      const { matchedCount } = await this.#writeSlug(fields.slug_key, () =>
        this.#database.links.updateOne(
          { ...scope.byLinkId(_id), revision },
          { $set: fields, $inc: { revision: 1 }, $currentDate: { changed_at: true } },
          BOUNDED,
        ),
      );
      return matchedCount > 0;
    } catch (error) {
      if (isDuplicateKey(error)) return 'taken';
      throw error;
    }
  }

  /**
   * Writes one slug at a time: concurrent writes of one slug can block each other on a server on PostgreSQL, which
   * resolves only one such deadlock each second. Writes of other replicas can still collide, and `Database.run` retries
   * those that are undone. The wait is part of the operation's time. The lock is held until the server has responded,
   * even if the caller has timed out.
   */
  #writeSlug<Result>(slugKey: string, write: () => Promise<Result>): Promise<Result> {
    return this.#database.run(() => this.#slugs.run(slugKey, OPERATION_TIMEOUT_MS, write));
  }

  /** Removes the link and returns it, or null if there is none in the scope. */
  async delete(scope: LinkScope, id: string): Promise<StoredLink | null> {
    return this.#database.run(() => this.#database.links.findOneAndDelete(scope.byLinkId(id), STORED_LINK));
  }

  /** Returns one page of the links in the scope that match the search, and the number of all matches. */
  async list(scope: LinkScope, { page, per, sort, dir }: Omit<ListLinksQuery, 'q'>, search: Search): Promise<LinkPage> {
    const matching = filterOf(search);
    const range: PageRange = {
      filter: sort === 'created_at' ? scope.byId() : scope.byAccount(),
      sort: SORTS[sort](dir === 'asc' ? 1 : -1),
      skip: (page - 1) * per,
      limit: per,
    };
    return Object.keys(matching).length === 0 ? this.#listAll(scope, range) : this.#search(scope, range, matching);
  }

  /** Reads a page and its total in one round trip. The total is an additional document at the end. */
  async #listAll(scope: LinkScope, { filter, sort, skip, limit }: PageRange): Promise<LinkPage> {
    // An index counts the links of a public key. In all other cases a range of ids is fastest.
    const counted = scope.publicOnly ? scope.byAccount() : scope.byId();
    const found = await this.#database.run(() =>
      this.#database.links
        .aggregate<ShownLink | Total>(
          [
            { $match: filter },
            { $sort: sort },
            { $skip: skip },
            { $limit: limit },
            { $project: SHOWN_LINK.projection },
            {
              $unionWith: {
                coll: this.#database.links.collectionName,
                pipeline: [{ $match: counted }, { $group: { _id: null, total: { $sum: 1 } } }],
              },
            },
          ],
          BOUNDED,
        )
        .toArray(),
    );
    const last = found.at(-1);
    const counts = last !== undefined && isTotal(last);
    const links = (counts ? found.slice(0, -1) : found) as ShownLink[];
    return { links, total: totalOf(links.length, counts ? last.total : 0, { skip, limit }) };
  }

  /**
   * Reads a page of a search. A search reads every link of the account, so it counts only if the page does not show the
   * total.
   */
  async #search(
    scope: LinkScope,
    { filter, sort, skip, limit }: PageRange,
    matching: Filter<LinkDocument>,
  ): Promise<LinkPage> {
    const links = await this.#database.run(() =>
      this.#database.links
        .find<ShownLink>({ ...filter, ...matching }, SHOWN_LINK)
        .sort(sort)
        .skip(skip)
        .limit(limit)
        .toArray(),
    );
    const tellsTotal = links.length < limit && (links.length > 0 || skip === 0);
    const total = tellsTotal
      ? 0
      : await this.#database.run(() => this.#database.links.countDocuments({ ...scope.byId(), ...matching }, BOUNDED));
    return { links, total: totalOf(links.length, total, { skip, limit }) };
  }

  /** Yields the ids of the account's links that a Public Links Only key must not see, in pieces. */
  async *hiddenIds(scope: LinkScope): AsyncGenerator<string[]> {
    const hidden = this.#database.links.find<IdOnly>({ account_id: scope.accountId, hidden: true }, ID_ONLY);
    for await (const piece of readInPieces(this.#database, hidden)) yield piece.map(({ _id }) => _id);
  }

  /** Returns the ids of up to `limit` links in the scope. */
  async someIds(scope: LinkScope, limit: number): Promise<string[]> {
    const some = await this.#database.run(() =>
      this.#database.links.find<IdOnly>(scope.byId(), { ...ID_ONLY, ...BOUNDED, limit }).toArray(),
    );
    return some.map(({ _id }) => _id);
  }

  /** Removes the links with these ids that are in the scope. */
  async deleteMany(scope: LinkScope, ids: readonly string[]): Promise<void> {
    await this.#database.run(() => this.#database.links.deleteMany(scope.byLinkIds(ids), BOUNDED));
  }

  /** Writes absolute click totals, and never lowers one. Ignores links that are gone. */
  async applyTotals(totals: readonly LinkTotals[]): Promise<void> {
    if (totals.length === 0) return;
    await this.#database.run(() =>
      this.#database.links.bulkWrite(
        totals.map(({ linkId, clicks, lastClickedAt }) => ({
          updateOne: { filter: { _id: linkId }, update: { $max: { clicks, last_clicked_at: lastClickedAt } } },
        })),
        { ordered: false, ...BOUNDED },
      ),
    );
  }
}

/** Returns the filter of a search. It has no conditions if the search is empty. */
function filterOf({ pattern, hashtags, slugKey }: Search): Filter<LinkDocument> {
  return {
    ...(pattern !== undefined && { search_text: { $regex: pattern } }),
    ...(hashtags.length > 0 && { hashtags: { $all: hashtags } }),
    ...(slugKey !== undefined && { slug_key: slugKey }),
  };
}

function isTotal(found: ShownLink | Total): found is Total {
  return found._id === null;
}

/** Returns the total for a page. It corrects the count, since links may be added or removed between page and count. */
function totalOf(onPage: number, counted: number, { skip, limit }: Pick<PageRange, 'skip' | 'limit'>): number {
  if (onPage === 0) return skip === 0 ? 0 : Math.min(counted, skip);
  // A page that is not full is the last one.
  return onPage < limit ? skip + onPage : Math.max(counted, skip + onPage);
}
