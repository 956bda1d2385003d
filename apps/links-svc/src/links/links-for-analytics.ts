import type { AccountIdentity } from '@waymark/auth';
import { AppError, foldHashtag, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';
import type { AccountsStore } from '../accounts/accounts.store.ts';
import type { DeletedLinksStore } from '../deletions/deleted-links.store.ts';
import type { AccountLogs, FollowedAccount } from '../follower/account-logs.store.ts';
import { countOf } from './indexed-values.ts';
import { LinkScope } from './link-scope.ts';
import type { LinksStore } from './links.store.ts';
import { type NumberedHashtags, numberHashtags } from './numbered-hashtags.ts';

export interface LinksForAnalyticsDeps {
  links: LinksStore;
  deletedLinks: DeletedLinksStore;
  accounts: Pick<AccountsStore, 'findById'>;
  logs: AccountLogs;
}

/** A part of the links whose clicks an identity must not see. */
export interface HiddenLinks {
  /** In the last piece, it identifies the whole response. It is empty if the list changed while it was read. */
  revision: string;
  /** True if the response with the known revision is still valid. */
  unchanged: boolean;
  linkIds: string[];
}

/** The longest list of links: more would take longer than a question may. */
const LISTED_LINKS_MAX = 500_000;
const LIMIT = LISTED_LINKS_MAX.toLocaleString('en');

/** What analytics-svc asks about the links of an identity. Every method throws `unavailable` in an outage. */
export class LinksForAnalytics {
  readonly #deps: LinksForAnalyticsDeps;

  constructor(deps: LinksForAnalyticsDeps) {
    this.#deps = deps;
  }

  /**
   * Yields the links whose clicks the identity must not see: deleted links, and also hidden links for a Public Links
   * Only key. There is at least one piece, and an id may occur twice.
   * @throws {AppError} `unauthenticated` if the account no longer exists, `invalid` if there are too many.
   */
  async *hiddenLinks(identity: AccountIdentity, knownRevision: string): AsyncGenerator<HiddenLinks> {
    const scope = new LinkScope(identity);
    const list = scope.publicOnly ? 'public' : 'full';
    const account = await this.#deps.logs.find(scope.accountId);
    if (account !== null && account.deleting_at === undefined && knownRevision === revisionOf(list, account)) {
      yield { revision: knownRevision, unchanged: true, linkIds: [] };
      return;
    }
    // In a snapshot, as the pieces are: another read may see what a snapshot has only later.
    const log = account && (await this.#deps.logs.open(scope.accountId));
    if (log === null) throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
    log.close();
    await this.#requireListable(scope, log.account.counts);
    const revision = revisionOf(list, log.account);
    yield { revision, unchanged: false, linkIds: [] };
    for await (const linkIds of this.#idsIn(scope)) yield { revision, unchanged: false, linkIds };
    const now = await this.#deps.logs.find(scope.accountId);
    // What changed while it was read may be missing, so the list serves this response only.
    if (now === null || revisionOf(list, now) !== revision) yield { revision: '', unchanged: false, linkIds: [] };
  }

  async *#idsIn(scope: LinkScope): AsyncGenerator<string[]> {
    const { links, deletedLinks } = this.#deps;
    // Deleted links come last: a hidden link that is deleted in between is in one of the lists.
    if (scope.publicOnly) yield* links.hiddenClicksIds(scope);
    yield* deletedLinks.idsOf(scope.accountId);
  }

  /** @throws {AppError} `invalid` if too many links are hidden from the scope. */
  async #requireListable(scope: LinkScope, counts: Record<string, number>): Promise<void> {
    const hidden = scope.publicOnly ? countOf(counts, scope.hiddenStates()) : 0;
    const max = Math.max(0, LISTED_LINKS_MAX - hidden);
    if (hidden <= LISTED_LINKS_MAX && (await this.#deps.deletedLinks.count(scope.accountId, max + 1)) <= max) return;
    throw new AppError(
      'invalid',
      scope.publicOnly
        ? `More than ${LIMIT} links are hidden from this key; send "link_id" or "hashtag", or use a Full Access key.`
        : `More than ${LIMIT} links were deleted in the last days; send "link_id" or "hashtag".`,
    );
  }

  /**
   * Yields the ids of the links that have a hashtag, sent in any case, in pieces.
   * @throws {AppError} `unauthenticated` if the account no longer exists, `invalid` if there are too many.
   */
  async *idsWithHashtag(identity: AccountIdentity, hashtag: string): AsyncGenerator<{ linkIds: string[] }> {
    const { links, accounts } = this.#deps;
    const scope = new LinkScope(identity);
    const account = await accounts.findById(scope.accountId);
    if (account === null) throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
    const folded = foldHashtag(hashtag);
    // Only an account with more links than that can have too many with the hashtag.
    const mayBeTooMany = countOf(account.counts, scope.states(undefined, 'any')) > LISTED_LINKS_MAX;
    if (mayBeTooMany && (await links.countWithHashtag(scope, folded, LISTED_LINKS_MAX + 1)) > LISTED_LINKS_MAX)
      throw new AppError('invalid', `More than ${LIMIT} links have this hashtag; send "link_id", or another hashtag.`);
    for await (const linkIds of links.clicksIdsWithHashtag(scope, folded)) yield { linkIds };
  }

  /**
   * Yields the links that have hashtags, or only those with one, sent in any case, in pieces.
   * @throws {AppError} `unauthenticated` if the account no longer exists, `invalid` if there are too many.
   */
  async *hashtagsOfLinks(identity: AccountIdentity, hashtag?: string): AsyncGenerator<NumberedHashtags> {
    const { links, accounts } = this.#deps;
    const scope = new LinkScope(identity);
    if ((await accounts.findById(scope.accountId)) === null)
      throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
    yield* numberHashtags(
      links.hashtagsOfLinks(scope, hashtag === undefined ? undefined : foldHashtag(hashtag)),
      LISTED_LINKS_MAX,
    );
  }
}

/** Returns what identifies the list of that kind until something is hidden, shown or deleted. */
function revisionOf(list: string, { hidden_change_id }: FollowedAccount): string {
  return `${list}-${hidden_change_id}`;
}
