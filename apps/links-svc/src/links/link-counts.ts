import type { ArchivedFilter } from '@waymark/contract';
import { LRUCache } from 'lru-cache';
import type { Document } from 'mongodb';
import type { AccountDocument } from '../accounts/account.ts';
import { type Database, OPERATION_TIMEOUT_MS } from '../database/database.ts';
import { firstLinkIdAt } from '../database/ids.ts';
import { SharedRuns } from '../shared-runs.ts';
import type { LinkScope } from './link-scope.ts';

/** The number of an account's links before an id. It is true while the account has this revision. */
interface KeptCount {
  revision: number;
  beforeId: string;
  count: number;
}

type AccountRevision = Pick<AccountDocument, '_id' | 'hidden_revision' | 'hidden_changing_until'>;

/** A part of a count in the result of a pipeline: the number of newer links, or the account. */
export type CountPart = { _id: null; newer: number } | AccountRevision;

export interface Counting {
  /** The stages to append to a pipeline that reads links. They add the parts of the count to its result. */
  stages: Document[];
  /** Returns the number of links. Counts all of them if the parts show that the kept count is not true any more. */
  total(parts: readonly CountPart[]): Promise<number>;
}

const BOUNDED = { maxTimeMS: OPERATION_TIMEOUT_MS };
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
  readonly #running = new SharedRuns<number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Begins a count of the links in the scope that are archived, not archived, or both. */
  begin(scope: LinkScope, archived: ArchivedFilter): Counting {
    const states = scope.states(undefined, archived);
    const key = `${scope.accountId} ${states}`;
    const kept = this.#kept.get(key);
    const filter = scope.byStates(states);
    if (kept === undefined) return { stages: [], total: () => this.#shareCount(scope.accountId, filter, key) };
    return {
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
        return this.#shareCount(scope.accountId, filter, key);
      },
    };
  }

  #shareCount(accountId: string, filter: Document, key: string): Promise<number> {
    return this.#running.run(key, () => this.#count(accountId, filter, key));
  }

  /** Counts all links, and keeps the number of the settled ones. */
  async #count(accountId: string, filter: Document, key: string): Promise<number> {
    const beforeId = firstLinkIdAt(accountId, Date.now() - SETTLED_AFTER_MS);
    return this.#database.run(async () => {
      // The account is read first: a later change has another revision.
      const account = await this.#database.accounts.findOne({ _id: accountId }, { projection: REVISION, ...BOUNDED });
      const [count, newer] = await Promise.all(
        [{ $lt: beforeId }, { $gt: beforeId }].map((_id) =>
          this.#database.links.countDocuments({ ...filter, _id }, BOUNDED),
        ),
      );
      const revision = account === null ? undefined : revisionOf(account);
      if (revision !== undefined) this.#kept.set(key, { revision, beforeId, count: count! });
      return count! + newer!;
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
