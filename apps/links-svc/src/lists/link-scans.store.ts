import type { ExportLinksQuery } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import type { LinkDocument } from '../database/documents/link.ts';
import { linkIdRange } from '../database/ids.ts';
import { BOUNDED_FIND } from '../database/operation-options.ts';
import type { LinkScope } from '../links/link-scope.ts';
import { ID_ONLY, type IdOnly } from '../links/links.store.ts';
import type { Search } from '../search/search.ts';
import { conditionsOf, containing, filterOf } from './link-filter.ts';

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
    const wanted = scope.states(query.visibility, query.archived);
    const states = query.archived === 'false' ? scope.states(query.visibility, 'any') : wanted;
    const conditions = conditionsOf(scope, query, search, new Date(this.#now()));
    const range = conditions.ids ?? linkIdRange(accountId);
    const from = { ...range, $gt: after > range.$gt ? after : range.$gt };
    const lastId = await this.#lastOf(accountId, from);
    const filter = {
      ...filterOf(scope, states, conditions),
      ...containing(search.terms),
      _id: lastId === null ? from : { $gt: from.$gt, $lte: lastId },
    };
    const found = await this.#database.run(() =>
      this.#database.collections.links
        .find<Pick<LinkDocument, '_id' | 'state'>>(filter, {
          ...BOUNDED_FIND,
          hint: '_id_',
          projection: { state: 1 },
        })
        .sort({ _id: 1 })
        .toArray(),
    );
    const ids = found.filter(({ state }) => wanted.includes(state)).map(({ _id }) => _id);
    const archived = found.length - ids.length;
    return { ids, archived, lastId: lastId ?? ids.at(-1) ?? after, isLast: lastId === null };
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
