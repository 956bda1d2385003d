import {
  AppError,
  type ArchivedFilter,
  type ExportLinksQuery,
  type ListLinksQuery,
  UNAVAILABLE_MESSAGE,
} from '@waymark/contract';
import type { Filter, Sort } from 'mongodb';
import { type Database, OPERATION_TIMEOUT_MS } from '../database/database.ts';
import { duplicatePositions, isDuplicateKey } from '../database/database-errors.ts';
import { accountIdOfLinkId, isLinkId } from '../database/ids.ts';
import { readInPieces } from '../database/read-in-pieces.ts';
import { FairQueue } from '../fair-queue.ts';
import type { DerivedFields, LinkDocument, ShownLink } from './link.ts';
import { type CountPart, isCountPart, isOldLink, LinkCounts, SORTED_IN_MEMORY_MAX } from './link-counts.ts';
import type { LinkFields } from './link-fields.ts';
import { conditionsOf } from './link-filter.ts';
import type { LinkScope } from './link-scope.ts';
import type { Search } from './search.ts';
import type { SearchTexts } from './search-texts.ts';
import { checkInTime, type SlugsStore } from './slugs.store.ts';

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
    listed: 0,
    state: 0,
    host_key: 0,
    revision: 0,
    changed_at: 0,
    imported_url: 0,
  } satisfies Record<Exclude<keyof LinkDocument, keyof ShownLink>, 0>,
  ...BOUNDED,
};
const BY_ID = { hint: '_id_' } as const;
/** How long a search waits until the database can run it. The request ends 5 seconds after it began. */
const SEARCH_WAIT_MS = 2_000;
/** For writes that may begin at any time. */
export const UNLIMITED = Number.POSITIVE_INFINITY;
/** The maximum number of ids that are read to combine a filter with a search in memory. */
const FILTERED_IDS_MAX = 20_000;
const ID_ONLY = { projection: { _id: 1 } } as const;

/** The order of each sort. Ids are in the order of `created_at`, and no two links have the same slug key. */
const SORTS: Record<ListLinksQuery['sort'], (direction: 1 | -1) => Sort> = {
  created_at: (direction) => ({ _id: direction }),
  updated_at: (direction) => ({ updated_at: direction, _id: direction }),
  title: (direction) => ({ title_key: direction, _id: direction }),
  slug: (direction) => ({ slug_key: direction }),
  clicks: (direction) => ({ clicks: direction, _id: direction }),
};

/** The order and position of a page. */
interface PageRange {
  sort: Sort;
  skip: number;
  limit: number;
}

type IdOnly = Pick<LinkDocument, '_id'>;

/**
 * The only code that reads or writes links for an identity. Every method throws `unavailable` in an outage. Writes do too
 * if they cannot begin until `untilMs`, of `performance.now()`.
 */
export class LinksStore {
  readonly #database: Database;
  readonly #slugs: SlugsStore;
  readonly #counts: LinkCounts;

  readonly #texts: Pick<SearchTexts, 'find'>;
  /** Searches in the database, which read all links of an account. Two large accounts keep no small one waiting. */
  readonly #searches = new FairQueue({ concurrency: 3, concurrencyOfUser: 1, maxWaiting: 1_000 });

  constructor(database: Database, slugs: SlugsStore, texts: Pick<SearchTexts, 'find'>) {
    this.#database = database;
    this.#texts = texts;
    this.#counts = new LinkCounts(database);
    this.#slugs = slugs;
  }

  /** Adds a link. Returns false if its id or its slug is taken. */
  async insert(link: LinkDocument, untilMs = UNLIMITED): Promise<boolean> {
    const [document] = await this.#dated([link]);
    const claim = await this.#slugs.claim(link);
    if (claim === null) return false;
    try {
      await this.#database.run(() => {
        checkInTime(claim);
        checkNotLate(untilMs);
        return this.#database.links.insertOne(document!, BOUNDED);
      });
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await this.#slugs.releaseRefused(claim);
      return false;
    }
  }

  /** Adds links, whose slugs differ, in two writes. Returns the positions of those whose id or slug is taken. */
  async insertMany(links: readonly LinkDocument[], untilMs = UNLIMITED): Promise<ReadonlySet<number>> {
    const documents = await this.#dated(links);
    const claims = await this.#slugs.claimMany(links);
    const taken = new Set(claims.flatMap((claim, position) => (claim === null ? [position] : [])));
    const claimed = documents.flatMap((document, position) => {
      const claim = claims[position];
      return claim == null ? [] : [{ document, position, claim }];
    });
    if (claimed.length === 0) return taken;
    try {
      await this.#database.run(() => {
        checkInTime(claimed[0]!.claim);
        checkNotLate(untilMs);
        return this.#database.links.insertMany(
          claimed.map(({ document }) => document),
          { ordered: false, ...BOUNDED },
        );
      });
    } catch (error) {
      for (const at of duplicatePositions(error)) {
        const { position, claim } = claimed[at]!;
        taken.add(position);
        await this.#slugs.releaseRefused(claim);
      }
    }
    return taken;
  }

  /**
   * Returns links that are about to be added. Searches read again what was created or changed a moment ago, so a link
   * with an earlier creation time counts as changed.
   */
  async #dated(links: readonly LinkDocument[]): Promise<LinkDocument[]> {
    const isOld = ({ created_at }: LinkDocument) => isOldLink(created_at.getTime());
    if (!links.some(isOld)) return [...links];
    const changed_at = await this.#database.time();
    return links.map((link) => (isOld(link) ? { ...link, changed_at } : link));
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

  /** Returns the links in the scope that have one of these slug keys, in no particular order. */
  async findBySlugKeys(scope: LinkScope, slugKeys: readonly string[]): Promise<StoredLink[]> {
    if (slugKeys.length === 0) return [];
    const filter = scope.bySlugKeys(slugKeys);
    return this.#database.run(() => this.#database.links.find<StoredLink>(filter, STORED_LINK).toArray());
  }

  /**
   * Writes fields, and the fields derived from them, to the revision of the link that they are based on. Returns false
   * if the link is not in the scope or has another revision, and `taken` if another link has the slug.
   */
  async update(
    scope: LinkScope,
    link: Pick<LinkDocument, '_id' | 'revision' | 'slug_key'>,
    fields: Partial<LinkFields> & DerivedFields & { updated_at: Date },
    untilMs = UNLIMITED,
  ): Promise<boolean | 'taken'> {
    const write = async () => {
      checkNotLate(untilMs);
      return this.#write(scope, link, fields);
    };
    if (fields.slug_key === link.slug_key) return this.#database.run(write);
    const { _id } = link;
    const [claim, former] = await Promise.all([
      this.#slugs.claim({ _id, account_id: scope.accountId, slug_key: fields.slug_key }),
      this.#slugs.findClaims([link]),
    ]);
    if (claim === null) return 'taken';
    let written: boolean | 'taken';
    try {
      written = await this.#database.run(() => {
        checkInTime(claim);
        return write();
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      written = 'taken';
    }
    if (written === true) await this.#slugs.releaseAfterWrite(former);
    else await this.#slugs.releaseRefused(claim);
    return written;
  }

  async #write(
    scope: LinkScope,
    { _id, revision }: Pick<LinkDocument, '_id' | 'revision'>,
    fields: Partial<LinkDocument>,
  ): Promise<boolean> {
    const { matchedCount } = await this.#database.links.updateOne(
      { ...scope.byLinkId(_id), revision },
      { $set: fields, $inc: { revision: 1 }, $currentDate: { changed_at: true } },
      BOUNDED,
    );
    return matchedCount > 0;
  }

  /** Removes the link, releases its slug and returns it, or null if there is none in the scope with this slug. */
  async delete(
    scope: LinkScope,
    link: Pick<LinkDocument, '_id' | 'slug_key'>,
    untilMs = UNLIMITED,
  ): Promise<StoredLink | null> {
    const { _id, slug_key } = link;
    const claims = await this.#slugs.findClaims([link]);
    const filter = { ...scope.byLinkId(_id), slug_key };
    const deleted = await this.#database.run(async () => {
      checkNotLate(untilMs);
      return this.#database.links.findOneAndDelete(filter, STORED_LINK);
    });
    if (deleted !== null) await this.#slugs.releaseAfterWrite(claims);
    return deleted;
  }

  /** Returns one page of the links in the scope that match the query and the search, and the number of all matches. */
  async list(scope: LinkScope, query: Omit<ListLinksQuery, 'q' | 'fields'>, search: Search): Promise<LinkPage> {
    const { page, per, sort, dir, visibility, archived } = query;
    const range: PageRange = {
      sort: SORTS[sort](dir === 'asc' ? 1 : -1),
      skip: (page - 1) * per,
      limit: per,
    };
    const states = scope.states(visibility, archived);
    const conditions = conditionsOf(query, search);
    // Few links are archived as a rule, so `archived=true` is a filter like the others.
    const isFiltered = visibility !== undefined || archived === 'true' || Object.keys(conditions).length > 0;
    const all = sort === 'created_at' ? scope.byArchivedInOrder(archived) : scope.byArchived(archived);
    if (!isFiltered && search.pattern === undefined) return this.#listAll(scope, all, archived, range);
    const walk = { ...all, state: { $in: states }, ...conditions };
    const narrow = { ...scope.byStates(states), ...conditions };
    const searched = { ...walk, ...(search.pattern !== undefined && { search_text: { $regex: search.pattern } }) };
    const hasConditions = Object.keys(conditions).length > 0;
    if (search.pattern !== undefined && !hasConditions) {
      const ids = await this.#texts.find(scope, search.terms, states);
      if (ids !== null) return this.#listFound(scope, ids, query, searched);
    }
    // A page of few links is sorted in memory; one of many comes from the index of the sort, which has some on each page.
    const total = isFiltered ? await this.#count(narrow) : Number.POSITIVE_INFINITY;
    if (total <= range.skip && search.pattern === undefined) return { links: [], total };
    const isSparse = total <= SORTED_IN_MEMORY_MAX;
    const filter = isSparse ? narrow : walk;
    const order = isSparse ? inMemory(range.sort) : range.sort;
    if (search.pattern !== undefined && !isSparse && hasConditions) {
      const ids = await this.#texts.find(scope, search.terms, states);
      if (ids !== null && (ids.length <= SORTED_IN_MEMORY_MAX || total <= FILTERED_IDS_MAX))
        return this.#listFound(scope, await this.#among(ids, narrow), query, searched);
    }
    if (search.pattern !== undefined) {
      const found = { ...filter, search_text: { $regex: search.pattern } };
      const read = () => this.#search(found, { ...range, sort: order });
      return this.#searches.run([scope.accountId], read, SEARCH_WAIT_MS);
    }
    const links = await this.#find(filter, { ...range, sort: order });
    return { links, total: totalOf(links.length, total, range) };
  }

  /** Reads a page and its total in one round trip, if the count of the older links is known. */
  async #listAll(
    scope: LinkScope,
    all: Filter<LinkDocument>,
    archived: ArchivedFilter,
    range: PageRange,
  ): Promise<LinkPage> {
    const { skip, limit } = range;
    const counting = await this.#counts.begin(scope, archived);
    // A walk in the order of the sort would skip many links.
    const filter = counting.isSparse ? scope.byStates(scope.states(undefined, archived)) : all;
    const sort = counting.isSparse ? inMemory(range.sort) : range.sort;
    const found = await this.#database.run(() =>
      this.#database.links
        .aggregate<ShownLink | CountPart>(
          [
            { $match: filter },
            { $sort: sort },
            { $skip: skip },
            { $limit: limit },
            { $project: SHOWN_LINK.projection },
            ...counting.stages,
          ],
          { ...BOUNDED, ...hintFor(sort) },
        )
        .toArray(),
    );
    const links = found.filter((one): one is ShownLink => !isCountPart(one));
    const total = await counting.total(found.filter(isCountPart));
    return { links, total: totalOf(links.length, total, range) };
  }

  /** Reads a page of the links with these ids, in ascending order. All of them match the filter. */
  async #listFound(
    scope: LinkScope,
    ids: readonly string[],
    { page, per, sort, dir }: Pick<ListLinksQuery, 'page' | 'per' | 'sort' | 'dir'>,
    filter: Filter<LinkDocument>,
  ): Promise<LinkPage> {
    const range = { sort: SORTS[sort](dir === 'asc' ? 1 : -1), skip: (page - 1) * per, limit: per };
    const { skip, limit } = range;
    const total = ids.length;
    if (total <= skip) return { links: [], total };
    if (sort === 'created_at') {
      const onPage =
        dir === 'asc'
          ? ids.slice(skip, skip + limit)
          : ids.slice(Math.max(total - skip - limit, 0), total - skip).reverse();
      const links = new Map((await this.findMany(scope, onPage)).map((link) => [link._id, link]));
      return { links: onPage.flatMap((id) => links.get(id) ?? []), total };
    }
    const isSparse = total <= SORTED_IN_MEMORY_MAX;
    return { links: await this.#find(isSparse ? scope.byLinkIds(ids) : filter, range), total };
  }

  /** Returns those of the ids whose links match the filter, which an index serves, in the same order. */
  async #among(ids: readonly string[], filter: Filter<LinkDocument>): Promise<string[]> {
    const some = ids.length > SORTED_IN_MEMORY_MAX ? filter : { ...filter, _id: { $in: [...ids] } };
    const found = await this.#database.run(() =>
      this.#database.links.find<IdOnly>(some, { ...ID_ONLY, ...BOUNDED, batchSize: FILTERED_IDS_MAX }).toArray(),
    );
    const matching = new Set(found.map(({ _id }) => _id));
    return ids.filter((id) => matching.has(id));
  }

  /** Reads a page of a search. It counts only if the page does not show the total, because a count reads every link. */
  async #search(filter: Filter<LinkDocument>, range: PageRange): Promise<LinkPage> {
    const { skip, limit } = range;
    const links = await this.#find(filter, range);
    const isTotalKnown = links.length < limit && (links.length > 0 || skip === 0);
    return { links, total: totalOf(links.length, isTotalKnown ? 0 : await this.#count(filter), range) };
  }

  #find(filter: Filter<LinkDocument>, { sort, skip, limit }: PageRange): Promise<ShownLink[]> {
    return this.#database.run(() =>
      this.#database.links
        .find<ShownLink>(filter, { ...SHOWN_LINK, ...hintFor(sort) })
        .sort(sort)
        .skip(skip)
        .limit(limit)
        .toArray(),
    );
  }

  #count(filter: Filter<LinkDocument>): Promise<number> {
    return this.#database.run(() => this.#database.links.countDocuments(filter, BOUNDED));
  }

  /** Returns up to `limit` links in the scope that match the filters and come after this id, oldest first. */
  async listAfter(
    scope: LinkScope,
    id: string,
    query: Omit<ExportLinksQuery, 'q' | 'format'>,
    search: Search,
    limit: number,
  ): Promise<ShownLink[]> {
    const all = scope.byArchivedInOrder(query.archived);
    const filter = {
      ...all,
      ...scope.byStates(scope.states(query.visibility, query.archived)),
      ...conditionsOf(query, search),
      ...(search.pattern !== undefined && { search_text: { $regex: search.pattern } }),
      _id: { ...(all._id as object), $gt: id },
    };
    return this.#database.run(() =>
      this.#database.links
        .find<ShownLink>(filter, { ...SHOWN_LINK, ...BY_ID })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Yields the ids of the account's links that a Public Links Only key must not see, in pieces. */
  async *hiddenIds(scope: LinkScope): AsyncGenerator<string[]> {
    const hidden = this.#database.links.find<IdOnly>(scope.byHidden(), ID_ONLY);
    for await (const piece of readInPieces(this.#database, hidden)) yield piece.map(({ _id }) => _id);
  }

  /** Yields the ids of the links in the scope that have a hashtag, which is folded, in pieces. */
  async *idsWithHashtag(scope: LinkScope, hashtag: string): AsyncGenerator<string[]> {
    const tagged = this.#database.links.find<IdOnly>(
      { ...scope.byStates(scope.states(undefined, 'any')), hashtags: hashtag },
      ID_ONLY,
    );
    for await (const piece of readInPieces(this.#database, tagged)) yield piece.map(({ _id }) => _id);
  }

  /** Returns up to `limit` links in the scope. */
  async some(scope: LinkScope, limit: number): Promise<Pick<LinkDocument, '_id' | 'slug_key'>[]> {
    return this.#database.run(() =>
      this.#database.links
        .find<Pick<LinkDocument, '_id' | 'slug_key'>>(scope.byId(), {
          projection: { slug_key: 1 },
          ...BOUNDED,
          limit,
        })
        .toArray(),
    );
  }

  /** Removes those of these links that are in the scope, and releases their slugs. */
  async deleteMany(scope: LinkScope, links: readonly Pick<LinkDocument, '_id' | 'slug_key'>[]): Promise<void> {
    const ids = links.map(({ _id }) => _id);
    const claims = await this.#slugs.findClaims(links);
    await this.#database.run(() => this.#database.links.deleteMany(scope.byLinkIds(ids), BOUNDED));
    await this.#slugs.releaseAfterWrite(claims);
  }

  /** Writes absolute click totals, and never lowers one. Ignores links that are gone. */
  async applyTotals(totals: readonly LinkTotals[]): Promise<void> {
    if (totals.length === 0) return;
    await this.#database.run(() =>
      this.#database.links.bulkWrite(
        totals.map(({ linkId, clicks, lastClickedAt }) => ({
          updateOne: {
            filter: { _id: linkId, account_id: accountIdOfLinkId(linkId) },
            update: { $max: { clicks, last_clicked_at: lastClickedAt } },
          },
        })),
        { ordered: false, ...BOUNDED },
      ),
    );
  }
}

/**
 * Returns the index for an order by `_id` alone, which a planner may miss because other indexes begin with the account.
 */
function hintFor(sort: Sort): { hint?: string } {
  return Object.keys(sort).join() === '_id' ? BY_ID : {};
}

/** Returns an order that no index has, so that the database looks for the links by another index. */
function inMemory(sort: Sort): Sort {
  const order = sort as Record<string, 1 | -1>;
  return '_id' in order && Object.keys(order).length === 1 ? { created_at: order._id!, _id: order._id! } : sort;
}

/** Returns the total for a page. It corrects the count, since links may be added or removed between page and count. */
function totalOf(onPage: number, counted: number, { skip, limit }: Pick<PageRange, 'skip' | 'limit'>): number {
  if (onPage === 0) return skip === 0 ? 0 : Math.min(counted, skip);
  // A page that is not full is the last one.
  return onPage < limit ? skip + onPage : Math.max(counted, skip + onPage);
}

/** @throws {AppError} `unavailable` after this time of `performance.now()`. */
function checkNotLate(untilMs: number): void {
  if (performance.now() > untilMs)
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE, {
      cause: new Error('a change was announced too long ago to write it'),
    });
}
