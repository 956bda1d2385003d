import type { ExportLinksQuery, ListLinksQuery } from '@waymark/contract';
import { LRUCache } from 'lru-cache';
import type { Filter, Sort } from 'mongodb';
import type { Database } from '../database/database.ts';
import { BOUNDED } from '../database/operation-options.ts';
import { FairQueue } from '../fair-queue.ts';
import type { LinkDocument, ShownLink } from '../links/link.ts';
import type { LinkScope } from '../links/link-scope.ts';
import { ID_ONLY, type IdOnly, type LinksStore, SHOWN_LINK } from '../links/links.store.ts';
import type { Search } from '../search/search.ts';
import type { SearchTexts } from '../search/search-texts.ts';
import { type CountPart, isCountPart, LinkCounts, SORTED_IN_MEMORY_MAX } from './link-counts.ts';
import { conditionsOf, filterOf, type LinkConditions } from './link-filter.ts';

export interface LinkPage {
  links: ShownLink[];
  /** The number of links in all pages. */
  total: number;
}

export type ListQuery = Omit<ListLinksQuery, 'q' | 'fields'>;

/** The order and position of a page. */
interface PageRange {
  sort: Sort;
  skip: number;
  limit: number;
}

/** The links of a list before its search, in two forms. */
interface Selection {
  conditions: LinkConditions;
  states: string[];
  /** Selects the links for the index of the filter, which counts them. */
  narrow: Filter<LinkDocument>;
  /** Selects them for the index of the sort. */
  walk: Filter<LinkDocument>;
  /** True if `domain`, `hashtag`, `last_clicked_before` or a term of the search is a filter. */
  hasConditions: boolean;
  /** The same, or one of visibility and `archived`. Few links are archived as a rule. */
  isFiltered: boolean;
}

const BY_ID = { hint: '_id_' } as const;
/** How long a search waits until the database can run it. The request ends 5 seconds after it began. */
const SEARCH_WAIT_MS = 2_000;
/** The maximum number of ids of a filter's matches that are read for one page. */
const FILTERED_IDS_MAX = 20_000;
/** About how many links are read in the order of creation to find those that match a filter. */
const WALKED = 2_000;
/** How long the end of such a walk is kept. Links that are created meanwhile make the walk longer. */
const EDGE_KEPT_FOR_MS = 300_000;
const EDGES_MAX = 10_000;

/** The order of each sort. Ids are in the order of `created_at`, and no two links have the same slug key. */
const SORTS: Record<ListLinksQuery['sort'], (direction: 1 | -1) => Sort> = {
  created_at: (direction) => ({ _id: direction }),
  updated_at: (direction) => ({ updated_at: direction, _id: direction }),
  title: (direction) => ({ title_key: direction, _id: direction }),
  slug: (direction) => ({ slug_key: direction }),
  clicks: (direction) => ({ clicks: direction, _id: direction }),
};

/** Lists and searches of links. Every method throws `unavailable` in an outage. docs/links-queries.md explains them. */
export class LinkLists {
  readonly #database: Database;
  readonly #links: Pick<LinksStore, 'findMany'>;
  readonly #texts: Pick<SearchTexts, 'find' | 'isLoaded'>;
  readonly #counts: LinkCounts;
  /** The ids where walks through accounts end, by account and direction. */
  readonly #edges = new LRUCache<string, string>({ max: EDGES_MAX, ttl: EDGE_KEPT_FOR_MS });
  /** Searches in the database, which read all links of an account. Two large accounts keep no small one waiting. */
  readonly #searches = new FairQueue({ concurrency: 3, concurrencyOfUser: 1, maxWaiting: 1_000 });

  constructor(database: Database, links: Pick<LinksStore, 'findMany'>, texts: Pick<SearchTexts, 'find' | 'isLoaded'>) {
    this.#database = database;
    this.#links = links;
    this.#texts = texts;
    this.#counts = new LinkCounts(database);
  }

  /** Returns one page of the links in the scope that match the query and the search, and the number of all matches. */
  async page(scope: LinkScope, query: ListQuery, search: Search): Promise<LinkPage> {
    const selection = select(scope, query, search);
    if (search.pattern !== undefined) return this.#searched(scope, query, selection, search.terms, search.pattern);
    return selection.isFiltered ? this.#filtered(scope, query, selection) : this.#all(scope, query);
  }

  /** Returns up to `limit` links in the scope that match the filters and come after this id, oldest first. */
  async after(
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
      ...filterOf(conditionsOf(query, search)),
      ...(search.pattern !== undefined && matching(search.pattern)),
      _id: { ...(all._id as object), $gt: id },
    };
    return this.#find(filter, { sort: { _id: 1 }, skip: 0, limit });
  }

  /** Reads a page and its total in one round trip, if the count of the older links is known. */
  async #all(scope: LinkScope, query: ListQuery): Promise<LinkPage> {
    const { archived } = query;
    const range = rangeOf(query);
    const counting = await this.#counts.begin(scope, archived);
    // A walk in the order of the sort would skip many links.
    const filter = counting.isSparse ? scope.byStates(scope.states(undefined, archived)) : inOrder(scope, query);
    const sort = counting.isSparse ? inMemory(range.sort) : range.sort;
    const found = await this.#database.run(() =>
      this.#database.links
        .aggregate<ShownLink | CountPart>(
          [
            { $match: filter },
            { $sort: sort },
            { $skip: range.skip },
            { $limit: range.limit },
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

  /** A page of few matches is sorted in memory. One of many comes from the index of the sort. */
  async #filtered(scope: LinkScope, query: ListQuery, { narrow, walk }: Selection): Promise<LinkPage> {
    const range = rangeOf(query);
    const total = await this.#count(narrow);
    if (total <= range.skip) return { links: [], total };
    const pageOf = (links: ShownLink[]) => ({ links, total: totalOf(links.length, total, range) });
    if (total <= SORTED_IN_MEMORY_MAX)
      return pageOf(await this.#find(narrow, { ...range, sort: inMemory(range.sort) }));
    const near = query.sort === 'created_at' ? await this.#near(scope, walk, query, range) : null;
    if (near !== null && near.length === Math.min(range.limit, total - range.skip)) return pageOf(near);
    // The matches may all be at the other end.
    if (near !== null && total <= FILTERED_IDS_MAX) return this.#found(scope, query, await this.#ids(narrow), walk);
    return pageOf(await this.#find(walk, range));
  }

  /** Reads a page of those matches that are among the first links of the account. Null if the account has no others. */
  async #near(scope: LinkScope, walk: Filter<LinkDocument>, { dir }: ListQuery, range: PageRange) {
    const key = `${scope.accountId} ${dir}`;
    const edge = this.#edges.get(key) ?? (await this.#edge(scope, range.sort));
    if (edge === undefined) return null;
    this.#edges.set(key, edge, { noUpdateTTL: true });
    return this.#find({ ...walk, _id: { ...(walk._id as object), [dir === 'asc' ? '$lt' : '$gt']: edge } }, range);
  }

  /** Returns the id where a walk through the account ends, or undefined if it has no more links. */
  async #edge(scope: LinkScope, sort: Sort): Promise<string | undefined> {
    const [edge] = await this.#database.run(() =>
      this.#database.links
        .find<IdOnly>(scope.wholeAccount(scope.accountId), { ...ID_ONLY, ...BY_ID, ...BOUNDED })
        .sort(sort)
        .skip(WALKED)
        .limit(1)
        .toArray(),
    );
    return edge?._id;
  }

  async #searched(
    scope: LinkScope,
    query: ListQuery,
    { conditions, states, narrow, walk, hasConditions, isFiltered }: Selection,
    terms: readonly string[],
    pattern: string,
  ): Promise<LinkPage> {
    const { hashtags, hosts, slugKey, clickedBefore } = conditions;
    const findInMemory = () => this.#texts.find(scope, { terms, states, hashtags, hosts });
    const ofFound = (ids: readonly string[]) => this.#found(scope, query, ids, { ...walk, ...matching(pattern) });
    // Texts in memory have neither the slug nor the last click of a link.
    const isInMemory = slugKey === undefined && clickedBefore === undefined;
    if (isInMemory && (!hasConditions || this.#texts.isLoaded(scope))) {
      const ids = await findInMemory();
      if (ids !== null) return ofFound(ids);
    }
    const count = isFiltered ? await this.#count(narrow) : Number.POSITIVE_INFINITY;
    const isSparse = count <= SORTED_IN_MEMORY_MAX;
    if (hasConditions && !isSparse) {
      const ids = await findInMemory();
      if (ids !== null && isInMemory) return ofFound(ids);
      if (ids !== null && (ids.length <= SORTED_IN_MEMORY_MAX || count <= FILTERED_IDS_MAX))
        return ofFound(await this.#among(ids, narrow));
    }
    const range = rangeOf(query);
    const found = { ...(isSparse ? narrow : walk), ...matching(pattern) };
    const read = () => this.#search(found, { ...range, sort: isSparse ? inMemory(range.sort) : range.sort });
    return this.#searches.run([scope.accountId], read, SEARCH_WAIT_MS);
  }

  /** Reads a page of the links with these ids, in ascending order. All of them match the filter. */
  async #found(
    scope: LinkScope,
    query: ListQuery,
    ids: readonly string[],
    filter: Filter<LinkDocument>,
  ): Promise<LinkPage> {
    const range = rangeOf(query);
    const { skip, limit } = range;
    const total = ids.length;
    if (total <= skip) return { links: [], total };
    if (query.sort === 'created_at') {
      const onPage =
        query.dir === 'asc'
          ? ids.slice(skip, skip + limit)
          : ids.slice(Math.max(total - skip - limit, 0), total - skip).reverse();
      const links = new Map((await this.#links.findMany(scope, onPage)).map((link) => [link._id, link]));
      return { links: onPage.flatMap((id) => links.get(id) ?? []), total };
    }
    const isSparse = total <= SORTED_IN_MEMORY_MAX;
    return { links: await this.#find(isSparse ? scope.byLinkIds(ids) : filter, range), total };
  }

  /** Returns those of the ids whose links match the filter, which an index serves, in the same order. */
  async #among(ids: readonly string[], filter: Filter<LinkDocument>): Promise<string[]> {
    const some = ids.length > SORTED_IN_MEMORY_MAX ? filter : { ...filter, _id: { $in: [...ids] } };
    const matching = new Set(await this.#ids(some));
    return ids.filter((id) => matching.has(id));
  }

  /** Returns the ids of the links that match a filter, which an index serves, in ascending order. */
  async #ids(filter: Filter<LinkDocument>): Promise<string[]> {
    const found = await this.#database.run(() =>
      this.#database.links.find<IdOnly>(filter, { ...ID_ONLY, ...BOUNDED, batchSize: FILTERED_IDS_MAX }).toArray(),
    );
    return found.map(({ _id }) => _id).sort();
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
}

function rangeOf({ page, per, sort, dir }: ListQuery): PageRange {
  return { sort: SORTS[sort](dir === 'asc' ? 1 : -1), skip: (page - 1) * per, limit: per };
}

function select(scope: LinkScope, query: ListQuery, search: Search): Selection {
  const { visibility, archived } = query;
  const states = scope.states(visibility, archived);
  const conditions = conditionsOf(query, search);
  const filter = filterOf(conditions);
  const hasConditions = Object.keys(filter).length > 0;
  return {
    conditions,
    states,
    narrow: { ...scope.byStates(states), ...filter },
    walk: { ...inOrder(scope, query), state: { $in: states }, ...filter },
    hasConditions,
    isFiltered: visibility !== undefined || archived === 'true' || hasConditions,
  };
}

/** Selects the links that are archived, not archived, or both, for the index of the sort. */
function inOrder(scope: LinkScope, { sort, archived }: Pick<ListQuery, 'sort' | 'archived'>): Filter<LinkDocument> {
  return sort === 'created_at' ? scope.byArchivedInOrder(archived) : scope.byArchived(archived);
}

function matching(pattern: string): Filter<LinkDocument> {
  return { search_text: { $regex: pattern } };
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
