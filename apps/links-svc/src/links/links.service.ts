import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountIdentity } from '@waymark/auth';
import {
  AppError,
  type CreateLinkInput,
  type ExportLinksQuery,
  foldHashtag,
  isHidden,
  LINK_NOT_FOUND_MESSAGE,
  type Link,
  type LinkList,
  type ListLinksQuery,
  slugKey,
  toAppError,
  UNAUTHENTICATED_MESSAGE,
  UNAVAILABLE_MESSAGE,
  type UpdateLinkInput,
  withFields,
} from '@waymark/contract';
import { KeyedMutex } from '@waymark/service-kit';
import { type AccountsStore, BEGINS_WITHIN_MS } from '../accounts/accounts.store.ts';
import { createdAtOfLinkId, newLinkId } from '../database/ids.ts';
import { hashPassword } from '../passwords/passwords.ts';
import type { DeletedLinksStore } from './deleted-links.store.ts';
import type { IdempotencyStore } from './idempotency.store.ts';
import { createOnce, type IdempotentCreationDeps, type NewLink } from './idempotent-creation.ts';
import { derivedFields, type LinkDocument, NEVER_CLICKED, type ShownLink, toLink } from './link.ts';
import { isOldLink } from './link-counts.ts';
import type { LinkFields } from './link-fields.ts';
import {
  checkImportedLink,
  type ImportedLink,
  type ImportOutcome,
  isSameLink,
  type SluggedLink,
} from './link-import.ts';
import {
  checkCreation,
  checkProtection,
  checkScopeOfInput,
  fieldsToCreate,
  fieldsToUpdate,
  slugTakenMessage,
} from './link-input.ts';
import type { LinkLists } from './link-lists.ts';
import { LinkScope } from './link-scope.ts';
import { type LinksStore, type StoredLink, UNLIMITED } from './links.store.ts';
import { parseSearch } from './search.ts';
import { generateSlug } from './slug-generator.ts';

export interface LinksServiceDeps {
  links: LinksStore;
  lists: LinkLists;
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

/** What `auto_meta` found, without the fields that the client sent. */
type Preview = Partial<Pick<LinkFields, 'title' | 'description'>>;

/** One of several creations. */
export interface Creation {
  /** Chosen in advance, so that a repetition creates the same link. */
  id: string;
  /** Has passed {@link checkCreation}. */
  input: CreateLinkInput;
  preview: Promise<Preview>;
  /** See {@link LinkDocument}. */
  importedUrl?: string;
}

interface PreparedLink {
  newLink: NewLink;
  link: LinkDocument;
}

const GENERATED_SLUG_ATTEMPTS = 10;
const WRITE_TIME_MS = 4_000;
const UPDATE_PAUSE_MAX_MS = 20;
const DELETED_AT_A_TIME = 1_000;
const IMPORT_TIME_MS = 10_000;
const EXPORTED_AT_A_TIME = 200;

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
    checkCreation(identity.scope, input);
    const newLink = await this.#newLink(identity, newLinkId(identity.accountId, Date.now()), input);
    if (idempotencyKey !== undefined) return createOnce(this.#idempotentCreation, idempotencyKey, newLink);
    const created = await this.#insert(newLink);
    if (created === null) throw slugTaken(newLink.fields.slug);
    return this.#toLink(created);
  }

  /**
   * Creates links in as few writes as possible, in order. Returns for each the link, or the error that its own creation
   * would have got. What has not begun at `untilMs` (of `performance.now()`) is not done.
   */
  async createMany(
    identity: AccountIdentity,
    creations: readonly Creation[],
    untilMs: number,
  ): Promise<(Link | AppError)[]> {
    const prepared: (PreparedLink | AppError)[] = [];
    for (const { id, input, preview, importedUrl } of creations) {
      // One after the other: an account hashes one password at a time.
      prepared.push(
        await errorAsValue(async () => {
          if (performance.now() > untilMs) throw outOfTime();
          const newLink = await this.#newLink(identity, id, input);
          const link = linkDocument(newLink, await preview);
          return { newLink, link: importedUrl === undefined ? link : { ...link, imported_url: importedUrl } };
        }),
      );
    }
    const results = new Map<PreparedLink, Link | AppError>();
    for (const batch of batchesOfDistinctSlugs(
      prepared.filter((one): one is PreparedLink => !(one instanceof AppError)),
    )) {
      const added = await errorAsValue(() => this.#insertBatch(batch));
      for (const [position, one] of batch.entries())
        results.set(one, added instanceof AppError ? added : added[position]!);
    }
    return prepared.map((one) => (one instanceof AppError ? one : results.get(one)!));
  }

  /**
   * Creates links that existed elsewhere, with their slugs and creation times. Returns for each what happened, or the
   * error that its creation would have got. A link that the account already has stays as it is, so that an import can
   * be repeated. This is the only way to create a link with an earlier creation time.
   * @throws {AppError} `unavailable` in an outage: some of the links may have been created.
   */
  async import(
    identity: AccountIdentity,
    links: readonly (ImportedLink | AppError)[],
  ): Promise<(ImportOutcome | AppError)[]> {
    const scope = new LinkScope(identity);
    const checked = await Promise.all(
      links.map((one) => (one instanceof AppError ? one : errorAsValue(async () => checkImportedLink(one)))),
    );
    const valid = checked.filter((one): one is SluggedLink => !(one instanceof AppError));
    const existing = await this.#deps.links.findBySlugKeys(
      scope,
      valid.map(({ input }) => slugKey(input.slug)),
    );
    const bySlug = new Map(existing.map((link) => [link.slug_key, link]));
    const outcomes = new Map<SluggedLink, ImportOutcome | AppError>();
    const missing: SluggedLink[] = [];
    for (const one of valid) {
      const link = bySlug.get(slugKey(one.input.slug));
      const refusal = await errorAsValue(async () => checkCreation(identity.scope, one.input));
      if (link !== undefined) outcomes.set(one, isSameLink(link, one) ? 'existing' : slugTaken(one.input.slug));
      else if (refusal !== undefined) outcomes.set(one, refusal);
      else missing.push(one);
    }
    // Without creation times, links keep the order of the import.
    const startMs = Date.now() - missing.length;
    const creations = missing.map(({ input, createdAt }, position) => ({
      id: newLinkId(identity.accountId, createdAt?.getTime() ?? startMs + position),
      input,
      preview: Promise.resolve({}),
      ...(createdAt === null && { importedUrl: input.destination_url }),
    }));
    const created = await this.createMany(identity, creations, performance.now() + IMPORT_TIME_MS);
    for (const [position, result] of created.entries()) {
      // Not a fault of the link: the caller repeats the import.
      if (result instanceof AppError && result.httpStatus >= 500) throw result;
      outcomes.set(missing[position]!, result instanceof AppError ? result : 'created');
    }
    return checked.map((one) => (one instanceof AppError ? one : outcomes.get(one)!));
  }

  /** Starts to read what `auto_meta` asks for. */
  preview(identity: AccountIdentity, input: CreateLinkInput): Promise<Preview> {
    return this.#preview(identity.accountId, input);
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

  /** Yields all links that match the query, oldest first, in pieces. There is at least one piece. */
  async *export(identity: AccountIdentity, query: Omit<ExportLinksQuery, 'format'>): AsyncGenerator<Link[]> {
    const search = parseSearch(query.q, this.#deps.publicUrl);
    const scope = new LinkScope(identity);
    for (let afterId = identity.accountId; ; ) {
      const links =
        search === null ? [] : await this.#deps.lists.after(scope, afterId, query, search, EXPORTED_AT_A_TIME);
      yield links.map((link) => this.#toLink(link));
      if (links.length < EXPORTED_AT_A_TIME) return;
      afterId = links.at(-1)!._id;
    }
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
      const untilMs = await this.#announceHiddenChange(scope);
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

  /** Yields the ids of the links that have a hashtag, sent in any case, in pieces. */
  async *idsWithHashtag(identity: AccountIdentity, hashtag: string): AsyncGenerator<{ linkIds: string[] }> {
    const ids = this.#deps.links.idsWithHashtag(new LinkScope(identity), foldHashtag(hashtag));
    for await (const linkIds of ids) yield { linkIds };
  }

  /** Returns a link that is about to be created. The input has passed {@link checkCreation}. */
  async #newLink(identity: AccountIdentity, id: string, input: CreateLinkInput): Promise<NewLink> {
    const passwordHash = input.password === undefined ? null : await hashPassword(input.password, identity.accountId);
    return { id, identity, input, fields: fieldsToCreate(input, passwordHash) };
  }

  /** Adds the link, or returns the one that was already added under the same id. Returns null if its slug is taken. */
  async #insert(newLink: NewLink): Promise<StoredLink | null> {
    const preview = await this.#preview(newLink.identity.accountId, newLink.input);
    return this.#insertAnnounced(newLink, preview, await this.#announceCreations([newLink]));
  }

  /**
   * Adds links with distinct slugs in two writes. A slug that is taken is tried on its own: a generated one is replaced,
   * and a link that was already added under the same id is returned.
   */
  async #insertBatch(batch: readonly PreparedLink[]): Promise<(Link | AppError)[]> {
    const untilMs = await this.#announceCreations(batch.map(({ newLink }) => newLink));
    const taken = await this.#deps.links.insertMany(
      batch.map(({ link }) => link),
      untilMs,
    );
    const results: (Link | AppError)[] = [];
    for (const [position, { newLink, link }] of batch.entries()) {
      if (!taken.has(position)) {
        this.#deps.onChange(link.slug_key);
        results.push(this.#toLink(link));
        continue;
      }
      results.push(
        await errorAsValue(async () => {
          const added = await this.#insertAnnounced(newLink, link, untilMs);
          if (added === null) throw slugTaken(newLink.fields.slug);
          return this.#toLink(added);
        }),
      );
    }
    return results;
  }

  /**
   * Adds a link whose creation was announced, if it must be. For visible links the account is not read: the key of the
   * caller was valid a moment ago, and the sweep removes links that are added to a deleted account (ADR 14).
   */
  async #insertAnnounced(newLink: NewLink, preview: Preview, untilMs: number): Promise<StoredLink | null> {
    const { id, identity, fields } = newLink;
    for (let attempt = 0; attempt < GENERATED_SLUG_ATTEMPTS; attempt++) {
      const link = linkDocument(newLink, preview);
      if (await this.#deps.links.insert(link, untilMs)) {
        this.#deps.onChange(link.slug_key);
        return link;
      }
      // The same creation may have succeeded in another request, or in a try of this one whose response was lost.
      const existing = await this.#deps.links.find(new LinkScope({ ...identity, scope: 'full_access' }), id);
      if (existing !== null) return existing;
      if (fields.slug !== undefined) return null;
    }
    throw new Error(`${GENERATED_SLUG_ATTEMPTS} generated slugs in a row were taken`);
  }

  /** Returns the fields that `auto_meta` found, except those that the client sent. */
  async #preview(accountId: string, input: CreateLinkInput): Promise<Preview> {
    const wanted = (['title', 'description'] as const).filter((name) => input[name] === undefined);
    if (input.auto_meta !== true || wanted.length === 0) return {};
    const preview = await this.#deps.fetchPreview(accountId, input.destination_url);
    return Object.fromEntries(wanted.map((name) => [name, preview[name]]));
  }

  /** Writes fields to this revision. Returns null if there is a newer revision, or if the link is gone. */
  async #updateRevision(scope: LinkScope, link: StoredLink, fields: Partial<LinkFields>): Promise<StoredLink | null> {
    const derived = derivedFields({ ...link, ...fields });
    const isAnnounced = derived.hidden !== link.hidden || derived.listed !== link.listed;
    const untilMs = isAnnounced ? await this.#announceHiddenChange(scope) : UNLIMITED;
    // Always later than before, even if the clock went back.
    const updated_at = new Date(Math.max(Date.now(), link.updated_at.getTime() + 1));
    const written = await this.#deps.links.update(scope, link, { ...fields, ...derived, updated_at }, untilMs);
    if (written === 'taken') throw slugTaken(fields.slug);
    if (!written) return null;
    this.#deps.onChange(link.slug_key);
    if (derived.slug_key !== link.slug_key) this.#deps.onChange(derived.slug_key);
    return { ...link, ...fields, ...derived, updated_at };
  }

  /** Announces creations of one account, if they must be. Returns when their write must have begun. */
  async #announceCreations(links: readonly NewLink[]): Promise<number> {
    const announced = links.find(({ id, fields }) => mustAnnounce(id, fields));
    return announced === undefined ? UNLIMITED : this.#announceHiddenChange(new LinkScope(announced.identity));
  }

  /**
   * Announces a change of what is hidden, archived or counted. Returns when its write must have begun, of
   * `performance.now()`.
   * @throws {AppError} `unauthenticated` if the account no longer exists.
   */
  async #announceHiddenChange(scope: LinkScope): Promise<number> {
    const untilMs = performance.now() + BEGINS_WITHIN_MS;
    if (!(await this.#deps.accounts.announceHiddenChange(scope.accountId, new Date()))) throw noAccount();
    return untilMs;
  }

  #toLink(link: ShownLink): Link {
    return toLink(link, this.#deps.publicUrl);
  }
}

/** Returns true if a creation must be announced first: of a hidden link, or of one that was not created a moment ago. */
function mustAnnounce(id: string, { visibility }: Pick<LinkFields, 'visibility'>): boolean {
  return isHidden(visibility) || isOldLink(createdAtOfLinkId(id));
}

/** Returns the document of a new link, with a generated slug if the client sent none. */
function linkDocument({ id, identity, fields }: NewLink, preview: Preview): LinkDocument {
  const created_at = new Date(createdAtOfLinkId(id));
  const { title, description } = preview;
  const complete: LinkFields = {
    ...fields,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    slug: fields.slug ?? generateSlug(),
  };
  return {
    _id: id,
    account_id: identity.accountId,
    ...complete,
    ...derivedFields(complete),
    clicks: 0,
    last_clicked_at: NEVER_CLICKED,
    created_at,
    updated_at: created_at,
    revision: 0,
  };
}

/** Splits links, in order, so that no slug occurs twice in a batch: of two equal ones the first must win. */
function batchesOfDistinctSlugs(links: readonly PreparedLink[]): PreparedLink[][] {
  const batches: PreparedLink[][] = [];
  let slugs = new Set<string>();
  for (const one of links) {
    const { slug_key } = one.link;
    if (batches.length === 0 || slugs.has(slug_key)) {
      batches.push([]);
      slugs = new Set();
    }
    batches.at(-1)!.push(one);
    slugs.add(slug_key);
  }
  return batches;
}

/** Returns the result of the work, or its error. */
export async function errorAsValue<Result>(work: () => Promise<Result>): Promise<Result | AppError> {
  try {
    return await work();
  } catch (error) {
    return toAppError(error);
  }
}

/** Returns the error of an operation for which no time was left. */
export function outOfTime(): AppError {
  return new AppError(
    'unavailable',
    'The time of the request ended before this operation, which was not done; send it again.',
  );
}

function found<Found>(link: Found | null): Found {
  if (link === null) throw new AppError('not_found', LINK_NOT_FOUND_MESSAGE);
  return link;
}

function slugTaken(slug: string | undefined): AppError {
  return new AppError('conflict', slugTakenMessage(slug));
}

function noAccount(): AppError {
  return new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
}
