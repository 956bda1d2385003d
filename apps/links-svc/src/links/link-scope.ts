import type { AccountIdentity } from '@waymark/auth';
import type { Filter } from 'mongodb';
import type { LinkDocument } from './link.ts';

/** Sorts after every character of an id. */
const AFTER_IDS = '~';

/**
 * Which links exist for an identity: those of its account, and with a Public Links Only key only those that are not
 * hidden. Every method of the store that acts for an identity takes a scope and puts one of these filters into its
 * query, so that there is no way to ask for a link without saying for whom.
 */
export class LinkScope {
  readonly accountId: string;
  /** True for a Public Links Only key. */
  readonly publicOnly: boolean;

  constructor(identity: Pick<AccountIdentity, 'accountId' | 'scope'>) {
    this.accountId = identity.accountId;
    // A scope that is not known must not see more than the smallest.
    this.publicOnly = identity.scope !== 'full_access';
  }

  /** The link of this id, if it exists here. */
  one(id: string): Filter<LinkDocument> {
    return { _id: id, account_id: this.accountId, ...this.#visible() };
  }

  /** The links of these ids that exist here. */
  some(ids: readonly string[]): Filter<LinkDocument> {
    return { _id: { $in: [...ids] }, account_id: this.accountId, ...this.#visible() };
  }

  /** All links here as a range of `_id`, which is in the order of `created_at`. */
  byId(): Filter<LinkDocument> {
    return { _id: { $gt: this.accountId, $lt: this.accountId + AFTER_IDS }, ...this.#visible() };
  }

  /** All links here by account, for the indexes that begin with it. */
  byAccount(): Filter<LinkDocument> {
    return { account_id: this.accountId, ...this.#visible() };
  }

  #visible(): Filter<LinkDocument> {
    return this.publicOnly ? { hidden: false } : {};
  }
}
