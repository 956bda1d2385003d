import { DUPLICATED_MAX, type ExportLinksQuery, type ListLinksQuery } from '@waymark/contract';
import { FairQueue } from '@waymark/service-kit';
import type { ClientSession, Filter, Sort } from 'mongodb';
import type { Database } from '../database/database.ts';
import type { LinkDocument } from '../database/documents/link.ts';
import { type IdRange, linkIdRange } from '../database/ids.ts';
import { BOUNDED, BOUNDED_FIND, operationTimeMs } from '../database/operation-options.ts';
import { readInPieces } from '../database/read-in-pieces.ts';
import { countOf } from '../links/indexed-values.ts';
import type { ShownLink } from '../links/link.ts';
import type { LinkScope } from '../links/link-scope.ts';
import { ID_ONLY, type IdOnly, SHOWN_LINK } from '../links/links.store.ts';
import type { Search } from '../search/search.ts';
import type { SearchTexts } from '../search/search-texts.store.ts';
import { conditionsOf, containing, filterOf, type LinkConditions } from './link-filter.ts';

export interface LinkPage {
  links: ShownLink[];
  /** The number of links in all pages. */
  total: number;
  /** The number of archived links that match too; 0 if they are listed, and on every page but the first. */
  archived: number;
  /** True if there are more destinations of duplicates than a list has. */
  isCut: boolean;
}

type Found = Pick<LinkPage, 'links' | 'total'>;

export type ListQuery = Omit<ListLinksQuery, 'q' | 'fields'>;
type Selecting = Omit<ExportLinksQuery, 'q' | 'format'>;

/** The links of a list, without the terms of its search. */
interface Selection {
  states: string[];
  conditions: LinkConditions;
  /** The states and the conditions. */
  filter: Filter<LinkDocument>;
  /** The range of the ids, which is that of the account if no condition limits it. */
  range: IdRange;
}

/** The order of each sort. Ids are in the order of `created_at`. */
const SORTS: Record<ListLinksQuery['sort'], (direction: 1 | -1) => Sort> = {
  created_at: (direction) => ({ _id: direction }),
  updated_at: (direction) => ({ updated_at: direction, _id: direction }),
  title: (direction) => ({ title_key: direction, _id: direction }),
  slug: (direction) => ({ slug_key: direction, _id: direction }),
  clicks: (direction) => ({ clicks: direction, _id: direction }),
  destination_url: (direction) => ({ destination_url: direction, _id: direction }),
};

/** A list by `created_at` reads the account in order if at least one link in this many is listed. */
const FREQUENT_ONE_IN = 10;
/** The maximum number of ids in one query, or in one piece of its result. */
const IDS_MAX = 2_000;
const EXPORTED_AT_A_TIME = 200;

/** Lists and searches of links. Every method throws `unavailable` in an outage. docs/links-queries.md explains them. */
export class LinkLists {
  readonly #database: Database;
  readonly #texts: Pick<SearchTexts, 'find'>;
  readonly #now: () => number;
  /** Reading all links of a large account takes a second of the database, so no account has both turns. */
  readonly #queue = new FairQueue({ concurrency: 2, concurrencyOfUser: 1, maxWaiting: 1_000 });

  /** `now` is the clock by which links expire, in milliseconds. */
  constructor(database: Database, texts: Pick<SearchTexts, 'find'>, now: () => number = Date.now) {
    this.#database = database;
    this.#texts = texts;
    this.#now = now;
  }

  /** Returns one page of the links in the scope that match the query and the search, and the number of all matches. */
  async page(scope: LinkScope, query: ListQuery, search: Search): Promise<LinkPage> {
    const selection = this.#select(scope, query, search);
    const duplicated = query.duplicates === undefined ? null : await this.#duplicated(scope, selection);
    const counts = this.#counts(scope);
    const [{ links, total }, archived] = await Promise.all([
      search.terms.length === 0
        ? this.#ordered(query, duplicated === null ? selection : among(selection, duplicated), counts)
        : this.#searched(scope, query, selection, search.terms),
      this.#archived(scope, query, search, counts),
    ]);
    return { links, total, archived, isCut: duplicated !== null && duplicated.length > DUPLICATED_MAX };
  }

  /** Returns how many archived links match a query that leaves them out, for its first page. */
  async #archived(
    scope: LinkScope,
    query: ListQuery,
    search: Search,
    counts: Promise<Record<string, number>>,
  ): Promise<number> {
    if (query.archived !== 'false' || query.page > 1 || query.duplicates !== undefined) return 0;
    const selection = this.#select(scope, { ...query, archived: 'true' }, search);
    const all = countOf(await counts, selection.states);
    if (all === 0) return 0;
    if (search.terms.length > 0) return (await this.#ids(scope, selection, search.terms)).length;
    return isByStates(selection) ? all : this.#count(selection);
  }

  /** Returns the destinations that more than one of the selected links has, one more than a list has at most. */
  #duplicated(scope: LinkScope, { filter }: Selection): Promise<string[]> {
    const pipeline = [
      { $match: filter },
      // Of a text, it is the text. The embedded database groups only what was unwound.
      { $unwind: '$destination_url' },
      { $group: { _id: '$destination_url', links: { $sum: 1 } } },
      { $sort: { links: -1, _id: 1 } },
      { $limit: DUPLICATED_MAX + 1 },
    ];
    const read = async (session: ClientSession) => {
      const options = { ...BOUNDED, session };
      const groups = this.#database.collections.links.aggregate<{ _id: string; links: number }>(pipeline, options);
      return (await groups.toArray()).filter(({ links }) => links > 1).map(({ _id }) => _id);
    };
    return this.#queue.run([scope.accountId], () => this.#database.runInSnapshot(read), operationTimeMs());
  }

  /** Yields all links in the scope that match the query and the search, oldest first, in pieces. */
  async *all(scope: LinkScope, query: Selecting, search: Search): AsyncGenerator<ShownLink[]> {
    const selection = this.#select(scope, query, search);
    if (search.terms.length > 0) {
      const ids = await this.#ids(scope, selection, search.terms);
      for (let from = 0; from < ids.length; from += EXPORTED_AT_A_TIME)
        yield await this.#byIds(ids.slice(from, from + EXPORTED_AT_A_TIME), selection.filter);
      return;
    }
    const { filter: selected, range } = selection;
    for (let after = range.$gt; ; ) {
      const filter = { ...selected, _id: { ...range, $gt: after } };
      const links = await this.#find(filter, { _id: 1 }, { limit: EXPORTED_AT_A_TIME, hint: '_id_' });
      yield links;
      if (links.length < EXPORTED_AT_A_TIME) return;
      after = links.at(-1)!._id;
    }
  }

  /** Reads a page in the order of its sort. */
  async #ordered(query: ListQuery, selection: Selection, counted: Promise<Record<string, number>>): Promise<Found> {
    const { filter, states, range } = selection;
    const [counts, matches] = await Promise.all([counted, isByStates(selection) ? undefined : this.#count(selection)]);
    const total = matches ?? countOf(counts, states);
    const { skip, limit, sort } = positionOf(query);
    if (total <= skip) return { links: [], total };
    // A planner may miss the index of `_id`, because others begin with the account, and sort all links of the account.
    const isInIdOrder = query.sort === 'created_at' && total * FREQUENT_ONE_IN >= countOf(counts, Object.keys(counts));
    const links = isInIdOrder
      ? await this.#find({ ...filter, _id: range }, sort, { skip, limit, hint: '_id_' })
      : await this.#find(filter, sort, { skip, limit });
    // A link may have been added after the count.
    return { links, total: Math.max(total, links.length && skip + links.length) };
  }

  /** Reads a page of a search, whose matches are known by their ids. */
  async #searched(scope: LinkScope, query: ListQuery, selection: Selection, terms: readonly string[]): Promise<Found> {
    const { filter } = selection;
    const { skip, limit, sort } = positionOf(query);
    const ids = await this.#ids(scope, selection, terms);
    const total = ids.length;
    const byIds = async (sorted: readonly string[]) => ({
      links: await this.#byIds(sorted.slice(skip, skip + limit), filter),
      total,
    });
    if (query.sort === 'created_at') return byIds(query.dir === 'asc' ? ids : ids.toReversed());
    const sorted: string[] = [];
    if (total > skip)
      for await (const some of this.#among(ids, filter, sort)) {
        sorted.push(...some);
        if (sorted.length >= skip + limit) break;
      }
    return byIds(sorted);
  }

  /** Returns the ids of the links that match the selection and the terms, in ascending order. */
  async #ids(scope: LinkScope, selection: Selection, terms: readonly string[]): Promise<readonly string[]> {
    const { states, conditions, filter } = selection;
    // Texts in memory have neither the slug, nor the short host, the owner, the exact destination or the last click of a link.
    const { slug, shortHost, managedBy, health, destinationUrl, clickedBefore, ...inMemory } = conditions;
    const readAll = () => this.#allIds({ ...filter, ...containing(terms) });
    const searchDatabase = () => this.#queue.run([scope.accountId], readAll, operationTimeMs());
    const ids = await this.#texts.find(scope, { terms, states, ...inMemory }, searchDatabase);
    if ([slug, shortHost, managedBy, health, destinationUrl, clickedBefore].every((one) => one === undefined))
      return ids;
    const matching: string[] = [];
    for await (const some of this.#among(ids, filter)) matching.push(...some);
    return matching.sort();
  }

  /** Yields those of these ids whose links match the filter, in the order of the sort if there is one. */
  async *#among(ids: readonly string[], filter: Filter<LinkDocument>, sort?: Sort): AsyncGenerator<string[]> {
    const some = ids.length <= IDS_MAX ? { ...filter, _id: { $in: [...ids] } } : filter;
    const wanted = new Set(ids);
    for await (const piece of this.#idsOf(some, sort)) yield piece.filter((id) => wanted.has(id));
  }

  /** Returns the ids of all links that match the filter, in ascending order. */
  async #allIds(filter: Filter<LinkDocument>): Promise<string[]> {
    const ids: string[] = [];
    for await (const piece of this.#idsOf(filter)) ids.push(...piece);
    return ids.sort();
  }

  /** Yields the ids of the links that match the filter, in the order of the sort if there is one. */
  async *#idsOf(filter: Filter<LinkDocument>, sort?: Sort): AsyncGenerator<string[]> {
    const within = await this.#database.openSnapshot();
    // Without snapshots, all pieces of a cursor are of one moment if it sorts.
    const order = sort ?? (within.session.snapshotEnabled ? {} : { _id: 1 });
    const find = (session: ClientSession) =>
      this.#database.collections.links.find<IdOnly>(filter, { ...ID_ONLY, session }).sort(order);
    try {
      for await (const piece of readInPieces(this.#database, find, { size: IDS_MAX, within }))
        yield piece.map(({ _id }) => _id);
    } finally {
      within.end('done');
    }
  }

  /** Reads the links with these ids that still match the filter, in the order of the ids. */
  async #byIds(ids: readonly string[], filter: Filter<LinkDocument>): Promise<ShownLink[]> {
    if (ids.length === 0) return [];
    const found = await this.#find({ ...filter, _id: { $in: [...ids] } }, {}, { limit: ids.length });
    const links = new Map(found.map((link) => [link._id, link]));
    return ids.flatMap((id) => links.get(id) ?? []);
  }

  #count({ filter }: Selection): Promise<number> {
    return this.#database.runInSnapshot((session) =>
      this.#database.collections.links.countDocuments(filter, { ...BOUNDED, session }),
    );
  }

  #find(
    filter: Filter<LinkDocument>,
    sort: Sort,
    position: { skip?: number; limit: number; hint?: string },
  ): Promise<ShownLink[]> {
    return this.#database.runInSnapshot((session) =>
      this.#database.collections.links
        .find<ShownLink>(filter, { ...SHOWN_LINK, ...BOUNDED_FIND, ...position, session })
        .sort(sort)
        .toArray(),
    );
  }

  #select(scope: LinkScope, query: Selecting, search: Search): Selection {
    const states = scope.states(query.visibility, query.archived);
    const conditions = conditionsOf(scope, query, search, new Date(this.#now()));
    const filter = filterOf(scope, states, conditions);
    return { states, conditions, filter, range: conditions.ids ?? linkIdRange(scope.accountId) };
  }

  /** Returns the numbers of the account's links by state. */
  async #counts({ accountId }: LinkScope): Promise<Record<string, number>> {
    const account = await this.#database.run(() =>
      this.#database.collections.accounts.findOne({ _id: accountId }, { projection: { counts: 1 }, ...BOUNDED }),
    );
    return account?.counts ?? {};
  }
}

/** Returns true if nothing but the state narrows the selection. */
function isByStates({ filter }: Selection): boolean {
  return Object.keys(filter).every((name) => name === 'account_id' || name === 'state');
}

/** Returns those of the selected links that have one of these destinations. */
function among(selection: Selection, duplicated: readonly string[]): Selection {
  const destinations = duplicated.slice(0, DUPLICATED_MAX);
  return { ...selection, filter: { ...selection.filter, destination_url: { $in: destinations } } };
}

function positionOf({ page, per, sort, dir }: ListQuery): { skip: number; limit: number; sort: Sort } {
  return { skip: (page - 1) * per, limit: per, sort: SORTS[sort](dir === 'asc' ? 1 : -1) };
}
