import type { AccountIdentity } from '@waymark/auth';
import type { Filter } from 'mongodb';
import type { LinkDocument } from './link.ts';

/** A suffix that sorts after every character of an id. */
const AFTER_IDS = '~';

/**
 * The links that exist for an identity: those of its account, and only the visible ones for a Public Links Only key.
 * Every method of the store that acts for an identity takes a scope and adds one of these filters to its query. So no
 * query for a link can forget whose link it is.
 */
export class LinkScope {
  readonly accountId: string;
  /** True for a Public Links Only key. */
  readonly publicOnly: boolean;

  constructor(identity: Pick<AccountIdentity, 'accountId' | 'scope'>) {
    this.accountId = identity.accountId;
    // An unknown scope must not see more than the smallest one.
    this.publicOnly = identity.scope !== 'full_access';
  }

  /** Selects the link with this id, if it is in the scope. */
  byLinkId(id: string): Filter<LinkDocument> {
    return { _id: id, account_id: this.accountId, ...this.#visible() };
  }

  /** Selects the links with these ids that are in the scope. */
  byLinkIds(ids: readonly string[]): Filter<LinkDocument> {
    return { _id: { $in: [...ids] }, account_id: this.accountId, ...this.#visible() };
  }

  /** Selects all links in the scope as a range of `_id`, which is in the order of `created_at`. */
  byId(): Filter<LinkDocument> {
    return { _id: { $gt: this.accountId, $lt: this.accountId + AFTER_IDS }, ...this.#visible() };
  }

  /** Selects all links in the scope by account, for the indexes that begin with the account. */
  byAccount(): Filter<LinkDocument> {
    return { account_id: this.accountId, ...this.#visible() };
  }

  #visible(): Filter<LinkDocument> {
    return this.publicOnly ? { hidden: false } : {};
  }
}
