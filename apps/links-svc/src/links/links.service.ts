import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountIdentity } from '@waymark/auth';
import {
  AppError,
  type CreateLinkInput,
  isHidden,
  LINK_NOT_FOUND_MESSAGE,
  type Link,
  type LinkList,
  type ListLinksQuery,
  UNAUTHENTICATED_MESSAGE,
  UNAVAILABLE_MESSAGE,
  type UpdateLinkInput,
} from '@waymark/contract';
import type { AccountsStore } from '../accounts/accounts.store.ts';
import { createdAtOfLinkId, newLinkId } from '../database/ids.ts';
import { KeyedMutex } from '../keyed-mutex.ts';
import { hashPassword } from '../passwords/passwords.ts';
import type { DeletedLinksStore } from './deleted-links.store.ts';
import type { IdempotencyStore } from './idempotency.store.ts';
import { createOnce, type IdempotentCreationDeps, type NewLink } from './idempotent-creation.ts';
import { derivedFields, type LinkDocument, type ShownLink, toLink } from './link.ts';
import type { LinkFields } from './link-fields.ts';
import { checkProtection, checkScopeOfInput, fieldsToCreate, fieldsToUpdate, slugTakenMessage } from './link-input.ts';
import { LinkScope } from './link-scope.ts';
import type { LinksStore, StoredLink } from './links.store.ts';
import { parseSearch } from './search.ts';
import { generateSlug } from './slug-generator.ts';

export interface LinksServiceDeps {
  links: LinksStore;
  deletedLinks: DeletedLinksStore;
  idempotency: IdempotencyStore;
  accounts: AccountsStore;
  /** Reads title and description of a page. Never throws. A value that cannot be read is null. */
  fetchPreview(accountId: string, url: string): Promise<{ title: string | null; description: string | null }>;
  /** Receives the slug key of every link that this replica created, changed or deleted, once that is written. */
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

const GENERATED_SLUG_ATTEMPTS = 10;
const WRITE_TIME_MS = 4_000;
const UPDATE_PAUSE_MAX_MS = 20;
const DELETED_AT_A_TIME = 1_000;

/**
 * The use cases of links, for an identity. Links outside its scope do not exist for it. Inputs have passed the schemas
 * of the contract. Every method throws `unavailable` in an outage.
 */
export class LinksService {
  readonly #deps: LinksServiceDeps;
  readonly #idempotentCreation: IdempotentCreationDeps;
  readonly #updates = new KeyedMutex();

  constructor(deps: LinksServiceDeps) {
    this.#deps = deps;
    const { links, deletedLinks, idempotency } = deps;
    this.#idempotentCreation = {
      links,
      deletedLinks,
      idempotency,
      insert: (newLink) => this.#insert(newLink),
      toLink: (link) => this.#toLink(link),
    };
  }

  /**
   * Creates a link. With an `Idempotency-Key`, a repetition within a day gets the first response (see `createOnce`).
   * @throws {AppError} `forbidden` for what the scope does not allow, `invalid`, `conflict` for a slug that is taken.
   */
  async create(identity: AccountIdentity, input: CreateLinkInput, idempotencyKey?: string): Promise<Link> {
    checkScopeOfInput(identity.scope, input);
    checkProtection(input);
    const passwordHash = input.password === undefined ? null : await hashPassword(input.password, identity.accountId);
    const fields = fieldsToCreate(input, passwordHash);
    const newLink = { id: newLinkId(identity.accountId, Date.now()), identity, input, fields };
    if (idempotencyKey !== undefined) return createOnce(this.#idempotentCreation, idempotencyKey, newLink);
    const created = await this.#insert(newLink);
    if (created === null) throw new AppError('conflict', slugTakenMessage(fields.slug));
    return this.#toLink(created);
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
      search === null ? { links: [], total: 0 } : await this.#deps.links.list(new LinkScope(identity), query, search);
    return {
      links: links.map((link) => this.#toLink(link)),
      page: query.page,
      per: query.per,
      total,
      total_pages: Math.ceil(total / query.per),
    };
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
      found(await this.#deps.links.find(scope, id));
      await this.#announceHiddenChange(scope);
      await this.#deps.deletedLinks.begin(scope, [id], new Date());
      // Null if the link is gone, or on some servers if an update came in between. In that case the link still exists.
      deleted = await this.#deps.links.delete(scope, id);
    }
    this.#deps.onChange(deleted.slug_key);
    await this.#deps.deletedLinks.confirm([id]);
  }

  /** Deletes every link of an account that accepts no new ones. If it is interrupted, another call continues. */
  async deleteAllOf(accountId: string): Promise<void> {
    const scope = new LinkScope({ accountId, scope: 'full_access' });
    for (;;) {
      const ids = await this.#deps.links.someIds(scope, DELETED_AT_A_TIME);
      if (ids.length === 0) return;
      await this.#deps.deletedLinks.begin(scope, ids, new Date());
      await this.#deps.links.deleteMany(scope, ids);
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
    if (account === null) throw noAccount();
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

  /** Adds the link, or returns the one that was already added under the same id. Returns null if its slug is taken. */
  async #insert({ id, identity, input, fields }: NewLink): Promise<StoredLink | null> {
    const preview = await this.#preview(identity.accountId, input);
    const created_at = new Date(createdAtOfLinkId(id));
    const all = { ...fields, ...preview };
    // For visible links the account is not read: the key of the caller was valid a moment ago, and the sweep removes
    // links that are added to a deleted account (ADR 14).
    if (isHidden(all.visibility)) await this.#announceHiddenChange(new LinkScope(identity));
    for (let attempt = 0; attempt < GENERATED_SLUG_ATTEMPTS; attempt++) {
      const complete: LinkFields = { ...all, slug: all.slug ?? generateSlug() };
      const link: LinkDocument = {
        _id: id,
        account_id: identity.accountId,
        ...complete,
        ...derivedFields(complete),
        clicks: 0,
        last_clicked_at: null,
        created_at,
        updated_at: created_at,
        revision: 0,
      };
      if (await this.#deps.links.insert(link)) {
        this.#deps.onChange(link.slug_key);
        return link;
      }
      // The same creation may have succeeded in another request, or in a try of this one whose response was lost.
      const existing = await this.#deps.links.find(new LinkScope({ ...identity, scope: 'full_access' }), id);
      if (existing !== null) return existing;
      if (all.slug !== undefined) return null;
    }
    throw new Error(`${GENERATED_SLUG_ATTEMPTS} generated slugs in a row were taken`);
  }

  /** Returns the fields that `auto_meta` found, except those that the client sent. */
  async #preview(
    accountId: string,
    input: CreateLinkInput,
  ): Promise<Partial<Pick<LinkFields, 'title' | 'description'>>> {
    const wanted = (['title', 'description'] as const).filter((name) => input[name] === undefined);
    if (input.auto_meta !== true || wanted.length === 0) return {};
    const preview = await this.#deps.fetchPreview(accountId, input.destination_url);
    return Object.fromEntries(wanted.map((name) => [name, preview[name]]));
  }

  /** Writes fields to this revision. Returns null if there is a newer revision, or if the link is gone. */
  async #updateRevision(scope: LinkScope, link: StoredLink, fields: Partial<LinkFields>): Promise<StoredLink | null> {
    const derived = derivedFields({ ...link, ...fields });
    if (derived.hidden !== link.hidden) await this.#announceHiddenChange(scope);
    // Always later than before, even if the clock went back.
    const updated_at = new Date(Math.max(Date.now(), link.updated_at.getTime() + 1));
    const written = await this.#deps.links.update(scope, link, { ...fields, ...derived, updated_at });
    if (written === 'taken') throw new AppError('conflict', slugTakenMessage(fields.slug));
    if (!written) return null;
    this.#deps.onChange(link.slug_key);
    if (derived.slug_key !== link.slug_key) this.#deps.onChange(derived.slug_key);
    return { ...link, ...fields, ...derived, updated_at };
  }

  /**
   * Announces a change of what is hidden.
   * @throws {AppError} `unauthenticated` if the account no longer exists.
   */
  async #announceHiddenChange(scope: LinkScope): Promise<void> {
    if (!(await this.#deps.accounts.announceHiddenChange(scope.accountId, new Date()))) throw noAccount();
  }

  #toLink(link: ShownLink): Link {
    return toLink(link, this.#deps.publicUrl);
  }
}

function found<Found>(link: Found | null): Found {
  if (link === null) throw new AppError('not_found', LINK_NOT_FOUND_MESSAGE);
  return link;
}

function noAccount(): AppError {
  return new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
}
