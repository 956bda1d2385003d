import type { AccountIdentity } from '@waymark/auth';
import { AppError, type CreateLinkInput, LINK_NOT_FOUND_MESSAGE, type Link } from '@waymark/contract';
import type { DeletedLinksStore } from '../deletions/deleted-links.store.ts';
import { type NewFields, slugTakenMessage } from '../links/link-input.ts';
import { LinkScope } from '../links/link-scope.ts';
import type { LinksStore, StoredLink } from '../links/links.store.ts';
import { verifyPassword } from '../passwords/passwords.ts';
import type { IdempotencyStore } from './idempotency.store.ts';
import {
  type CreationDocument,
  fingerprintOf,
  IDEMPOTENCY_LIFETIME_MS,
  IDEMPOTENCY_REUSED_MESSAGE,
  type IdempotentResponse,
  idempotencyId,
} from './idempotency.ts';

/** A link that is about to be created. */
export interface NewLink {
  id: string;
  identity: AccountIdentity;
  input: CreateLinkInput;
  fields: NewFields;
}

export interface IdempotentCreationDeps {
  links: Pick<LinksStore, 'find'>;
  deletedLinks: Pick<DeletedLinksStore, 'has'>;
  idempotency: Pick<IdempotencyStore, 'begin' | 'settle'>;
  /** Adds the link, or returns the one that was already added under the same id. Returns null if its slug is taken. */
  insert(newLink: NewLink): Promise<StoredLink | null>;
  toLink(link: StoredLink): Link;
}

/**
 * Creates a link for an `Idempotency-Key`. A repetition within a day gets the first response, even while the first
 * request is still running, and after a crash in the middle of it.
 * @throws {AppError} `invalid` if the key was used with another body, `conflict` for a slug that is taken, `not_found`
 *   if the link has since been hidden from the caller.
 */
export async function createOnce(deps: IdempotentCreationDeps, key: string, newLink: NewLink): Promise<Link> {
  const { id, identity, input, fields } = newLink;
  const now = new Date();
  const { isFirst, record } = await deps.idempotency.begin<CreationDocument>(
    {
      _id: idempotencyId(identity.accountId, identity.scope, key),
      account_id: identity.accountId,
      fingerprint: fingerprintOf(input),
      password_hash: fields.password_hash,
      link_id: id,
      expires_at: new Date(now.getTime() + IDEMPOTENCY_LIFETIME_MS),
    },
    now,
  );
  if (!isFirst && !(await hasBody(record, newLink))) throw new AppError('invalid', IDEMPOTENCY_REUSED_MESSAGE);
  if (record.answer !== undefined) await findCreated(deps, record.link_id, identity);
  const answer = record.answer ?? (await finish(deps, { ...newLink, id: record.link_id }, isFirst));
  const first = record.answer ?? (await deps.idempotency.settle(record._id, answer));
  if ('conflict' in first) throw new AppError('conflict', first.conflict);
  return first.link;
}

/** Returns true if the recorded creation had the same body. */
async function hasBody(record: CreationDocument, { input, identity }: NewLink): Promise<boolean> {
  if (record.fingerprint !== fingerprintOf(input)) return false;
  if (input.password === undefined || record.password_hash === null) return true;
  return verifyPassword(input.password, record.password_hash, identity.accountId);
}

/**
 * Returns the link that an earlier request of the caller created, or null if it is gone.
 * @throws {AppError} `not_found` if it has since been hidden from the caller.
 */
async function findCreated(
  deps: IdempotentCreationDeps,
  id: string,
  identity: AccountIdentity,
): Promise<StoredLink | null> {
  const link = await deps.links.find(new LinkScope({ ...identity, scope: 'full_access' }), id);
  if (link?.hidden === true && identity.scope !== 'full_access')
    throw new AppError('not_found', LINK_NOT_FOUND_MESSAGE);
  return link;
}

/** Finishes a creation. Another request may be running it, or may have been interrupted in it. */
async function finish(deps: IdempotentCreationDeps, newLink: NewLink, isFirst: boolean): Promise<IdempotentResponse> {
  const { id, identity, fields } = newLink;
  const scope = new LinkScope(identity);
  if (!isFirst) {
    const existing = await findCreated(deps, id, identity);
    if (existing !== null) return { link: deps.toLink(existing) };
    if (await deps.deletedLinks.has(scope, id))
      return { conflict: 'The link that was created with this "Idempotency-Key" has been deleted.' };
  }
  const created = await deps.insert(newLink);
  return created === null ? { conflict: slugTakenMessage(fields.slug) } : { link: deps.toLink(created) };
}
