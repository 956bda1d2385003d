import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExportLinksQuery } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import type { LinkDocument } from '../database/documents/link.ts';
import { linkIdRange } from '../database/ids.ts';
import { BOUNDED_FIND } from '../database/operation-options.ts';
import type { LinkScope } from '../links/link-scope.ts';
import { ID_ONLY, type IdOnly } from '../links/links.store.ts';
import { LinkMatcher } from '../search/link-matcher.ts';
import type { Search } from '../search/search.ts';
import { blocksOf, SEARCHED_LINK, type SearchedLink } from '../search/text-blocks.ts';
import { conditionsOf, filterOf } from './link-filter.ts';

export interface ScannedLinks {
  /** The ids of those that match, ascending. */
  ids: string[];
  /** How many archived links match too, if the query excludes them. */
  archived: number;
  /** The link behind which to go on: the last one that was looked at. */
  lastId: string;
  /** True if no link is behind it. */
  isLast: boolean;
}

/** How many links of an account are looked at together. Decoding their texts keeps the process busy. */
const LOOKED_AT_A_TIME = 1_000;

/**
 * Looks at all links of an account, a piece at a time. Each piece is as fast in a large account as in a small one, also if
 * nothing matches, so work that has no deadline ends for every account.
 */
export class LinkScans {
  readonly #database: Database;
  readonly #now: () => number;

  /** `now` is the clock by which links expire, in milliseconds. */
  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /**
   * Looks at the next links of the account behind an id, and returns those in the scope that match the query and the
   * search.
   * @throws {AppError} `unavailable` in an outage.
   */
  async next(
    scope: LinkScope,
    query: Omit<ExportLinksQuery, 'q' | 'format'>,
    search: Search,
    after: string,
  ): Promise<ScannedLinks> {
    const { accountId } = scope;
    const { terms } = search;
    const wanted = scope.states(query.visibility, query.archived);
    const states = query.archived === 'false' ? scope.states(query.visibility, 'any') : wanted;
    const conditions = conditionsOf(scope, query, search, new Date(this.#now()));
    const range = conditions.ids ?? linkIdRange(accountId);
    const from = { ...range, $gt: after > range.$gt ? after : range.$gt };
    const lastId = await this.#lastOf(accountId, from);
    const filter = {
      ...scope.byStates(states),
      ...filterOf(conditions),
      _id: lastId === null ? from : { $gt: from.$gt, $lte: lastId },
    };
    const links = this.#database.collections.links;
    const options = { ...BOUNDED_FIND, hint: '_id_' };
    const end = (found: readonly Pick<LinkDocument, '_id' | 'state'>[]) => {
      const ids = found.filter(({ state }) => wanted.includes(state)).map(({ _id }) => _id);
      const archived = found.length - ids.length;
      return { ids, archived, lastId: lastId ?? ids.at(-1) ?? after, isLast: lastId === null };
    };
    if (terms.length === 0) {
      const found = await this.#database.run(() =>
        links
          .find<Pick<LinkDocument, '_id' | 'state'>>(filter, { ...options, projection: { state: 1 } })
          .sort({ _id: 1 })
          .toArray(),
      );
      return end(found);
    }
    const found = await this.#database.run(() =>
      links
        .find<SearchedLink>(filter, { ...options, projection: SEARCHED_LINK })
        .sort({ _id: 1 })
        .toArray(),
    );
    const matcher = new LinkMatcher({ ...conditions, terms, states });
    const matching = new Set<string>();
    for (const block of blocksOf(found)) {
      // Requests come first.
      await nextTurn();
      for (const id of matcher.idsIn(block)) matching.add(id);
    }
    return end(found.filter(({ _id }) => matching.has(_id)));
  }

  /** Returns the id of the last link of the next piece, or null if it is the last piece. */
  async #lastOf(accountId: string, range: { $gt: string; $lt: string }): Promise<string | null> {
    const [last] = await this.#database.run(() =>
      this.#database.collections.links
        .find<IdOnly>(
          { account_id: accountId, _id: range },
          { ...ID_ONLY, ...BOUNDED_FIND, hint: '_id_', skip: LOOKED_AT_A_TIME - 1, limit: 1 },
        )
        .sort({ _id: 1 })
        .toArray(),
    );
    return last?._id ?? null;
  }
}
