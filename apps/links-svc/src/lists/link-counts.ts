import type { ArchivedFilter } from '@waymark/contract';
import { LRUCache } from 'lru-cache';
import type { Document } from 'mongodb';
import type { AccountDocument } from '../accounts/account.ts';
import type { Database } from '../database/database.ts';
import { firstLinkIdAt } from '../database/ids.ts';
import { BOUNDED } from '../database/operation-options.ts';
import type { LinkScope } from '../links/link-scope.ts';
import { SharedRuns } from '../shared-runs.ts';

/** The number of an account's links before an id. It is true while the account has this revision. */
interface KeptCount {
  revision: number;
  beforeId: string;
  count: number;
  isSparse: boolean;
}

interface Counted {
  total: number;
  isSparse: boolean;
}

type AccountRevision = Pick<AccountDocument, '_id' | 'hidden_revision' | 'hidden_changing_until'>;

/** A part of a count in the result of a pipeline: the number of newer links, or the account. */
export type CountPart = { _id: null; newer: number } | AccountRevision;

export interface Counting {
  /**
   * True if the counted links are few among many others of the account. It may have changed a moment ago, so nothing but
   * the cost of a page may depend on it.
   */
  isSparse: boolean;
  /** The stages to append to a pipeline that reads links. They add the parts of the count to its result. */
  stages: Document[];
  /** Returns the number of links. Counts all of them if the parts show that the kept count is not true any more. */
  total(parts: readonly CountPart[]): Promise<number>;
}

const REVISION = { hidden_revision: 1, hidden_changing_until: 1 } as const;
/**
 * The age from which on links are counted once and kept. A younger link may still be on its way to the database, and
 * the clocks of the replicas differ. An older link is announced before it is added (`isOldLink`).
 */
const SETTLED_AFTER_MS = 60_000;
const OLD_AFTER_MS = SETTLED_AFTER_MS / 2;
/** How long a count is kept. Links that are created meanwhile are counted at each request. */
const KEPT_FOR_MS = 300_000;
const KEPT_MAX = 100_000;
/** The maximum number of links that are sorted without an index, instead of reading an index of the sort in order. */
export const SORTED_IN_MEMORY_MAX = 2_000;
/** How many other links for each counted one, and besides, make them sparse: so reading all of them costs less. */
const OTHERS_FOR_EACH = 10;
const OTHERS_BESIDES = 1_000;

/** Returns true if a link with this creation time must be announced as a change before it is added. */
export function isOldLink(createdAtMs: number): boolean {
  return Date.now() - createdAtMs > OLD_AFTER_MS;
}

/**
 * Exact counts of accounts' links that do not cost what an account holds. Each replica keeps the number of settled
 * links and counts only younger ones. Every other change of what is counted raises the account's revision first
 * (ADR 36).
 */
export class LinkCounts {
  readonly #database: Database;
  readonly #kept = new LRUCache<string, KeptCount>({ max: KEPT_MAX, ttl: KEPT_FOR_MS });
  /** Lists of one account share a count. While the account changes all the time, each would count for itself. */
  readonly #running = new SharedRuns<Counted>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Begins a count of the links in the scope that are archived, not archived, or both. Ends it if no count is kept. */
  async begin(scope: LinkScope, archived: ArchivedFilter): Promise<Counting> {
    const states = scope.states(undefined, archived);
    const key = `${scope.accountId} ${states}`;
    const kept = this.#kept.get(key);
    const filter = scope.byStates(states);
    const count = () => this.#running.run(key, () => this.#count(scope, states, key));
    if (kept === undefined) {
      const { total, isSparse } = await count();
      return { isSparse, stages: [], total: async () => total };
    }
    return {
      isSparse: kept.isSparse,
      stages: [
        {
          $unionWith: {
            coll: this.#database.links.collectionName,
            pipeline: [
              { $match: { ...filter, _id: { $gt: kept.beforeId } } },
              { $group: { _id: null, newer: { $sum: 1 } } },
              {
                $unionWith: {
                  coll: this.#database.accounts.collectionName,
                  pipeline: [{ $match: { _id: scope.accountId } }, { $project: REVISION }],
                },
              },
            ],
          },
        },
      ],
      total: async (parts) => {
        const account = parts.find((part) => 'hidden_revision' in part);
        const newer = parts.find((part) => 'newer' in part)?.newer ?? 0;
        if (account !== undefined && revisionOf(account) === kept.revision) return kept.count + newer;
        return (await count()).total;
      },
    };
  }

  /** Counts all links, and keeps the number of the settled ones. */
  async #count(scope: LinkScope, states: readonly string[], key: string): Promise<Counted> {
    const { accountId } = scope;
    const { links, accounts } = this.#database;
    const filter = scope.byStates(states);
    const beforeId = firstLinkIdAt(accountId, Date.now() - SETTLED_AFTER_MS);
    return this.#database.run(async () => {
      // The account is read first: a later change has another revision.
      const account = await accounts.findOne({ _id: accountId }, { projection: REVISION, ...BOUNDED });
      const [settled, newer] = await Promise.all(
        [{ $lt: beforeId }, { $gt: beforeId }].map((_id) => links.countDocuments({ ...filter, _id }, BOUNDED)),
      );
      const [count, total] = [settled!, settled! + newer!];
      const manyOthers = OTHERS_FOR_EACH * total + OTHERS_BESIDES;
      const isSparse =
        total <= SORTED_IN_MEMORY_MAX &&
        (await links.countDocuments(scope.byOtherStates(states), { ...BOUNDED, limit: manyOthers })) === manyOthers;
      const revision = account === null ? undefined : revisionOf(account);
      if (revision !== undefined) this.#kept.set(key, { revision, beforeId, count, isSparse });
      return { total, isSparse };
    });
  }
}

/** Returns the revision of an account, or undefined while a change may be running. */
function revisionOf(account: AccountRevision): number | undefined {
  return account.hidden_changing_until.getTime() > Date.now() ? undefined : account.hidden_revision;
}

/** Returns true if a result of a pipeline is a part of a count, and not a link. */
export function isCountPart(found: object): found is CountPart {
  return 'newer' in found || 'hidden_revision' in found;
}
