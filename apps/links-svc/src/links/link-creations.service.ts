import type { AccountIdentity } from '@waymark/auth';
import { AppError, type CreateLinkInput, isHidden, type Link } from '@waymark/contract';
import type { AccountsStore } from '../accounts/accounts.store.ts';
import { createdAtOfLinkId, newLinkId } from '../database/ids.ts';
import type { DeletedLinksStore } from '../deletions/deleted-links.store.ts';
import type { IdempotencyStore } from '../idempotency/idempotency.store.ts';
import { createOnce, type IdempotentCreationDeps, type NewLink } from '../idempotency/idempotent-creation.ts';
import { isOldLink } from '../lists/link-counts.ts';
import { hashPassword } from '../passwords/passwords.ts';
import { generateSlug } from '../slugs/slug-generator.ts';
import { errorAsValue } from './error-as-value.ts';
import { derivedFields, type LinkDocument, NEVER_CLICKED, toLink } from './link.ts';
import type { LinkFields } from './link-fields.ts';
import { checkCreation, fieldsToCreate, slugTaken } from './link-input.ts';
import { LinkScope } from './link-scope.ts';
import { type LinksStore, type StoredLink, UNLIMITED } from './links.store.ts';

export interface LinkCreationsDeps {
  links: LinksStore;
  deletedLinks: Pick<DeletedLinksStore, 'has'>;
  idempotency: IdempotencyStore;
  accounts: Pick<AccountsStore, 'announceHiddenChange'>;
  /** Reads title and description of a page. Never throws. A value that cannot be read is null. */
  fetchPreview(accountId: string, url: string): Promise<{ title: string | null; description: string | null }>;
  /** Receives the slug key of every link that this replica created, once that is written. */
  onChange(slugKey: string): void;
  /** The beginning of every short URL, without a slash at the end. */
  publicUrl: string;
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

/**
 * The use cases that create links. Inputs have passed the schemas of the contract. Every method throws `unavailable` in
 * an outage.
 */
export class LinkCreations {
  readonly #deps: LinkCreationsDeps;
  readonly #idempotentCreation: IdempotentCreationDeps;

  constructor(deps: LinkCreationsDeps) {
    this.#deps = deps;
    this.#idempotentCreation = {
      ...deps,
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

  /** Reads what `auto_meta` asks for: the fields that the client did not send. */
  async preview({ accountId }: AccountIdentity, input: CreateLinkInput): Promise<Preview> {
    const wanted = (['title', 'description'] as const).filter((name) => input[name] === undefined);
    if (input.auto_meta !== true || wanted.length === 0) return {};
    const preview = await this.#deps.fetchPreview(accountId, input.destination_url);
    return Object.fromEntries(wanted.map((name) => [name, preview[name]]));
  }

  /** Returns a link that is about to be created. The input has passed {@link checkCreation}. */
  async #newLink(identity: AccountIdentity, id: string, input: CreateLinkInput): Promise<NewLink> {
    const passwordHash = input.password === undefined ? null : await hashPassword(input.password, identity.accountId);
    return { id, identity, input, fields: fieldsToCreate(input, passwordHash) };
  }

  /** Adds the link, or returns the one that was already added under the same id. Returns null if its slug is taken. */
  async #insert(newLink: NewLink): Promise<StoredLink | null> {
    const preview = await this.preview(newLink.identity, newLink.input);
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

  /** Announces creations of one account, if they must be. Returns when their write must have begun. */
  async #announceCreations(links: readonly NewLink[]): Promise<number> {
    const announced = links.find(({ id, fields }) => mustAnnounce(id, fields));
    return announced === undefined ? UNLIMITED : this.#deps.accounts.announceHiddenChange(announced.identity.accountId);
  }

  #toLink(link: StoredLink): Link {
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

/** Returns the error of an operation for which no time was left. */
export function outOfTime(): AppError {
  return new AppError(
    'unavailable',
    'The time of the request ended before this operation, which was not done; send it again.',
  );
}
