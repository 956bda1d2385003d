import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountIdentity } from '@waymark/auth';
import {
  AppError,
  type ExportLinksQuery,
  foldHashtag,
  LINK_NOT_FOUND_MESSAGE,
  type Link,
  type LinkList,
  type ListLinksQuery,
  UNAUTHENTICATED_MESSAGE,
  UNAVAILABLE_MESSAGE,
  type UpdateLinkInput,
  withFields,
} from '@waymark/contract';
import { KeyedMutex } from '@waymark/service-kit';
import type { AccountsStore } from '../accounts/accounts.store.ts';
import type { DeletedLinksStore } from '../deletions/deleted-links.store.ts';
import type { LinkLists } from '../lists/link-lists.ts';
import { hashPassword } from '../passwords/passwords.ts';
import { parseSearch } from '../search/search.ts';
import { derivedFields, type ShownLink, toLink } from './link.ts';
import type { LinkFields } from './link-fields.ts';
import { checkProtection, checkScopeOfInput, fieldsToUpdate, slugTaken } from './link-input.ts';
import { LinkScope } from './link-scope.ts';
import { type LinksStore, type StoredLink, UNLIMITED } from './links.store.ts';

export interface LinksServiceDeps {
  links: LinksStore;
  lists: LinkLists;
  deletedLinks: DeletedLinksStore;
  accounts: AccountsStore;
  /** Receives the slug key of every link that this replica changed or deleted, once that is written. */
  onChange(slugKey: string): void;
  /** The beginning of every short URL, without a slash at the end. */
  publicUrl: string;
}

/** A part of the links whose clicks an identity must not see. */
export interface HiddenLinks {
  /** Identifies the whole response. Empty while a change is running: the response must not be cached then. */
  revision: string;
  /** True if the response with the known revision is still valid. */
  unchanged: boolean;
  linkIds: string[];
}

const WRITE_TIME_MS = 4_000;
const UPDATE_PAUSE_MAX_MS = 20;
const DELETED_AT_A_TIME = 1_000;

/**
 * The use cases of existing links, for an identity; {@link LinkCreations} adds links. Links outside the scope of the
 * identity do not exist for it. Inputs have passed the schemas of the contract. Every method throws `unavailable` in an
 * outage.
 */
export class LinksService {
  readonly #deps: LinksServiceDeps;
  readonly #updates = new KeyedMutex();

  constructor(deps: LinksServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the link with this id.
   * @throws {AppError} `not_found`.
   */
  async get(identity: AccountIdentity, id: string): Promise<Link> {
    return this.#toLink(found(await this.#deps.links.find(new LinkScope(identity), id)));
  }

  /** Returns one page of the links. A page past the end is empty. */
  async list(identity: AccountIdentity, query: ListLinksQuery): Promise<LinkList> {
    const search = parseSearch(query.q, this.#deps.publicUrl);
    const { links, total } =
      search === null ? { links: [], total: 0 } : await this.#deps.lists.page(new LinkScope(identity), query, search);
    return {
      links: withFields(
        links.map((link) => this.#toLink(link)),
        query.fields,
      ),
      page: query.page,
      per: query.per,
      total,
      total_pages: Math.ceil(total / query.per),
    };
  }

  /** Yields all links that match the query, oldest first, in pieces. */
  async *export(identity: AccountIdentity, query: Omit<ExportLinksQuery, 'format'>): AsyncGenerator<Link[]> {
    const search = parseSearch(query.q, this.#deps.publicUrl);
    if (search === null) return;
    for await (const links of this.#deps.lists.all(new LinkScope(identity), query, search))
      yield links.map((link) => this.#toLink(link));
  }

  /** Returns the links with these ids, in no particular order. Links that are not in the scope are missing. */
  async batchGet(identity: AccountIdentity, ids: readonly string[]): Promise<Link[]> {
    const links = await this.#deps.links.findMany(new LinkScope(identity), ids);
    return links.map((link) => this.#toLink(link));
  }

  /**
   * Changes the fields that are sent, even to the values that they already have. Only an empty input leaves
   * `updated_at` unchanged. Concurrent updates of different fields all take effect: each is written to the revision
   * that it was based on, and repeated from the current one if another update came first.
   * @throws {AppError} `forbidden` for what the scope does not allow, `not_found`, `invalid`, `conflict` for a slug
   *   that is taken.
   */
  async update(identity: AccountIdentity, id: string, input: UpdateLinkInput): Promise<Link> {
    checkScopeOfInput(identity.scope, input);
    const scope = new LinkScope(identity);
    if (Object.keys(input).length === 0) return this.get(identity, id);
    let passwordHash: string | undefined;
    if (input.password !== undefined) {
      // A hash is expensive, so the link must exist.
      found(await this.#deps.links.find(scope, id));
      checkProtection(input);
      passwordHash = await hashPassword(input.password, identity.accountId);
    }
    // One at a time: concurrent updates of one link would only make each other retry.
    return this.#updates.run(id, WRITE_TIME_MS, async () => {
      const deadline = performance.now() + WRITE_TIME_MS;
      for (;;) {
        const link = found(await this.#deps.links.find(scope, id));
        const updated = await this.#updateRevision(scope, link, fieldsToUpdate(link, input, passwordHash));
        if (updated !== null) return this.#toLink(updated);
        // An update of another replica came first.
        if (performance.now() > deadline) throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
        await sleep(Math.random() * UPDATE_PAUSE_MAX_MS);
      }
    });
  }

  /**
   * Deletes a link permanently. Of several concurrent deletions one succeeds.
   * @throws {AppError} `not_found`.
   */
  async delete(identity: AccountIdentity, id: string): Promise<void> {
    const scope = new LinkScope(identity);
    let deleted: StoredLink | null = null;
    for (const deadline = performance.now() + WRITE_TIME_MS; deleted === null; ) {
      if (performance.now() > deadline) throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
      const link = found(await this.#deps.links.find(scope, id));
      const untilMs = await this.#deps.accounts.announceHiddenChange(scope.accountId);
      await this.#deps.deletedLinks.begin(scope, [id], new Date());
      // Null if the link is gone or has another slug, or on some servers if an update came in between.
      deleted = await this.#deps.links.delete(scope, link, untilMs);
    }
    this.#deps.onChange(deleted.slug_key);
    await this.#deps.deletedLinks.confirm([id]);
  }

  /** Deletes every link of an account that accepts no new ones. If it is interrupted, another call continues. */
  async deleteAllOf(accountId: string): Promise<void> {
    const scope = new LinkScope({ accountId, scope: 'full_access' });
    for (;;) {
      const links = await this.#deps.links.some(scope, DELETED_AT_A_TIME);
      if (links.length === 0) return;
      const ids = links.map(({ _id }) => _id);
      await this.#deps.deletedLinks.begin(scope, ids, new Date());
      await this.#deps.links.deleteMany(scope, links);
      await this.#deps.deletedLinks.confirm(ids);
    }
  }

  /**
   * Yields the links whose clicks the identity must not see: deleted links, and also hidden links for a Public Links
   * Only key. There is at least one piece, and an id may occur twice.
   * @throws {AppError} `unauthenticated` if the account no longer exists.
   */
  async *hiddenLinks(identity: AccountIdentity, knownRevision: string): AsyncGenerator<HiddenLinks> {
    const scope = new LinkScope(identity);
    const account = await this.#deps.accounts.findById(scope.accountId);
    if (account === null) throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
    // The account is read before the lists: a change in between has raised the revision or is still announced.
    const isChanging = account.hidden_changing_until.getTime() > Date.now();
    const revision = isChanging ? '' : `${scope.publicOnly ? 'public' : 'full'}-${account.hidden_revision}`;
    const unchanged = revision !== '' && revision === knownRevision;
    yield { revision, unchanged, linkIds: [] };
    if (unchanged) return;
    for await (const linkIds of this.#deps.deletedLinks.idsOf(scope)) yield { revision, unchanged, linkIds };
    if (!scope.publicOnly) return;
    for await (const linkIds of this.#deps.links.hiddenIds(scope)) yield { revision, unchanged, linkIds };
  }

  /** Yields the ids of the links that have a hashtag, sent in any case, in pieces. */
  async *idsWithHashtag(identity: AccountIdentity, hashtag: string): AsyncGenerator<{ linkIds: string[] }> {
    const ids = this.#deps.links.idsWithHashtag(new LinkScope(identity), foldHashtag(hashtag));
    for await (const linkIds of ids) yield { linkIds };
  }

  /** Writes fields to this revision. Returns null if there is a newer revision, or if the link is gone. */
  async #updateRevision(scope: LinkScope, link: StoredLink, fields: Partial<LinkFields>): Promise<StoredLink | null> {
    const derived = derivedFields({ ...link, ...fields });
    const isAnnounced = derived.hidden !== link.hidden || derived.listed !== link.listed;
    const untilMs = isAnnounced ? await this.#deps.accounts.announceHiddenChange(scope.accountId) : UNLIMITED;
    // Always later than before, even if the clock went back.
    const updated_at = new Date(Math.max(Date.now(), link.updated_at.getTime() + 1));
    const written = await this.#deps.links.update(scope, link, { ...fields, ...derived, updated_at }, untilMs);
    if (written === 'taken') throw slugTaken(fields.slug);
    if (!written) return null;
    this.#deps.onChange(link.slug_key);
    if (derived.slug_key !== link.slug_key) this.#deps.onChange(derived.slug_key);
    return { ...link, ...fields, ...derived, updated_at };
  }

  #toLink(link: ShownLink): Link {
    return toLink(link, this.#deps.publicUrl);
  }
}

function found<Found>(link: Found | null): Found {
  if (link === null) throw new AppError('not_found', LINK_NOT_FOUND_MESSAGE);
  return link;
}
