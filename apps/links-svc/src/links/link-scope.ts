import {
  type ArchivedFilter,
  isHidden,
  PUBLIC_VISIBILITIES,
  type Scope,
  VISIBILITIES,
  type Visibility,
} from '@waymark/contract';
import type { Filter } from 'mongodb';
import type { LinkDocument } from '../database/documents/link.ts';
import { linkIdRange } from '../database/ids.ts';
import { stateOf } from './indexed-values.ts';
import type { LinkRef } from './link-ref.ts';

/** What of an identity decides which links exist for it. */
export interface Sight {
  accountId: string;
  scope: Scope;
  /** Of a restricted key. */
  key?: { hashtag: string | null } | undefined;
}

/** Returns the sight of a Full Access key. */
export function fullSight(accountId: string): Sight {
  return { accountId, scope: 'full_access' };
}

const PUBLIC_VIEW = 'public';

/**
 * Returns the views of the account that show a link: that of a Public Links Only key, and for each of its hashtags those
 * of the restricted keys that have it. Events name the views that show them (ADR 63).
 */
export function viewsOf({ visibility, hashtags }: Pick<LinkDocument, 'visibility' | 'hashtags'>): string[] {
  const tagged = hashtags.map((hashtag) => `#${hashtag}`);
  return isHidden(visibility) ? tagged : [...tagged, PUBLIC_VIEW, ...tagged.map((one) => PUBLIC_VIEW + one)];
}

/**
 * The links that exist for an identity: those of its account, only the visible ones for a Public Links Only key, and only
 * those with its hashtag for a restricted key that has one.
 * Every method of the store that acts for an identity takes a scope and adds one of these filters to its query. So no
 * query for a link can forget whose link it is. Every filter names the account, which is the shard key of links.
 */
export class LinkScope {
  readonly accountId: string;
  /** True for a Public Links Only key. */
  readonly publicOnly: boolean;
  /** The hashtag that all its links have, folded, or null. */
  readonly hashtag: string | null;

  constructor({ accountId, scope, key }: Sight) {
    this.accountId = accountId;
    // An unknown scope must not see more than the smallest one.
    this.publicOnly = scope !== 'full_access';
    this.hashtag = key?.hashtag ?? null;
  }

  /** True if every link of the account is in the scope. */
  get seesAll(): boolean {
    return !this.publicOnly && this.hashtag === null;
  }

  /** One of {@link viewsOf}, or null if the scope sees all links. */
  get view(): string | null {
    if (this.seesAll) return null;
    return (this.publicOnly ? PUBLIC_VIEW : '') + (this.hashtag === null ? '' : `#${this.hashtag}`);
  }

  /** Selects the link that is named, if it is in the scope. */
  byRef(ref: LinkRef): Filter<LinkDocument> {
    if ('id' in ref) return { _id: ref.id, account_id: this.accountId, ...this.#visible() };
    return { ...this.byStates(this.states(undefined, 'any')), slug_key: ref.slugKey, host_id: ref.hostId };
  }

  /** Selects the links with these ids that are in the scope. */
  byLinkIds(ids: readonly string[]): Filter<LinkDocument> {
    return { _id: { $in: [...ids] }, account_id: this.accountId, ...this.#visible() };
  }

  /** Returns true if a link is in the scope. For links that a transaction has read. */
  includes(link: Pick<LinkDocument, 'account_id' | 'visibility' | 'hashtags'>): boolean {
    return link.account_id === this.accountId && this.shows(link);
  }

  /** Returns true if a link of the account is in the scope. */
  shows({ visibility, hashtags }: Pick<LinkDocument, 'visibility' | 'hashtags'>): boolean {
    if (this.publicOnly && isHidden(visibility)) return false;
    return this.hashtag === null || hashtags.includes(this.hashtag);
  }

  /** Selects all links in the scope as a range of `_id`, which is in the order of `created_at`. */
  byId(): Filter<LinkDocument> {
    return { account_id: this.accountId, _id: { ...linkIdRange(this.accountId) }, ...this.#visible() };
  }

  /**
   * Selects the links in the scope that have one of these states. Most indexes of links begin with both fields. A query for
   * further hashtags must ask for that of the scope, too.
   */
  byStates(states: readonly string[]): Filter<LinkDocument> {
    const existing = this.states(undefined, 'any');
    return {
      account_id: this.accountId,
      state: { $in: states.filter((state) => existing.includes(state)) },
      ...(this.hashtag !== null && { hashtags: this.hashtag }),
    };
  }

  /** Selects the links in the scope that have a hashtag, which is folded, in any state. */
  byHashtag(hashtag: string): Filter<LinkDocument> {
    return { account_id: this.accountId, hashtags: hashtag, ...this.#visible() };
  }

  /** Selects the links of the account that a Public Links Only key must not see. */
  byHidden(): Filter<LinkDocument> {
    return { account_id: this.accountId, hidden: true };
  }

  /** Returns the states of the links that exist for the identity and pass both filters. */
  states(visibility: Visibility | undefined, archived: ArchivedFilter): string[] {
    const visibilities: readonly Visibility[] = this.publicOnly ? PUBLIC_VISIBILITIES : VISIBILITIES;
    return visibilities
      .filter((one) => visibility === undefined || one === visibility)
      .flatMap((one) => [false, true].map((is) => ({ is, state: stateOf(one, is) })))
      .filter(({ is }) => archived === 'any' || String(is) === archived)
      .map(({ state }) => state);
  }

  /** Returns the states of the links that {@link byHidden} selects. */
  hiddenStates(): string[] {
    return VISIBILITIES.filter(isHidden).flatMap((one) => [stateOf(one, false), stateOf(one, true)]);
  }

  /** The hashtag is in an `$and`, because a query may have `hashtags`, too. */
  #visible(): Filter<LinkDocument> {
    return {
      ...(this.publicOnly && { hidden: false }),
      ...(this.hashtag !== null && { $and: [{ hashtags: this.hashtag }] }),
    };
  }
}
