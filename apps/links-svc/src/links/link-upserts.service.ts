import type { AccountIdentity } from '@waymark/auth';
import {
  AppError,
  type CreateLinkInput,
  creationOf,
  type Link,
  slugKey,
  type UpdateLinkInput,
  type UpsertLinkInput,
  updateOf,
} from '@waymark/contract';
import type { Change } from '../changes/change.ts';
import { NeededRedirects } from '../changes/needed-redirects.ts';
import type { LinkDocument, LinkHost } from '../database/documents/link.ts';
import { actorOf } from '../events/actor.ts';
import type { HostsStore } from '../hosts/hosts.store.ts';
import { hashPassword } from '../passwords/passwords.ts';
import { checkDestinations } from '../slugs/destinations.ts';
import { redirectId } from '../slugs/redirect-id.ts';
import type { ShortUrls, SlugOnHost } from '../slugs/short-urls.ts';
import { errorAsValue, errorAsValueSync } from './error-as-value.ts';
import { toLink } from './link.ts';
import { findLink, LINK_CHANGE_BYTES, updateLink } from './link-changes.ts';
import type { LinkCreations, Preview } from './link-creations.service.ts';
import { chooseHost, linkHostOf } from './link-host.ts';
import { checkProtection, checkScopeOfInput, fieldsToUpdate, slugTaken } from './link-input.ts';
import { readsOfRef } from './link-ref.ts';
import { LinkScope } from './link-scope.ts';
import type { LinksStore } from './links.store.ts';

export interface LinkUpsertsDeps {
  creations: Pick<LinkCreations, 'check' | 'creation' | 'preview'>;
  links: Pick<LinksStore, 'find'>;
  hosts: Pick<HostsStore, 'idsOf'>;
  shortUrls: Pick<ShortUrls, 'isShortUrl'>;
  /** The beginning of every short URL, without a slash at the end. */
  publicUrl: string;
}

/** An upsert that is about to be done. */
export interface Upsert {
  /** The id of the link if it is created (`newLinkId`). */
  id: string;
  identity: AccountIdentity;
  input: UpsertLinkInput;
  /** True if a change before it in the same transaction may take the slug from the link that has it now. */
  mayBecomeFree: boolean;
}

/** What an upsert did: it created the link, or changed the one that has the slug. */
export interface Upserted {
  link: Link;
  created: boolean;
}

/** The use case that changes the link that has a slug, or creates it. */
export class LinkUpserts {
  readonly #deps: LinkUpsertsDeps;

  constructor(deps: LinkUpsertsDeps) {
    this.#deps = deps;
  }

  /**
   * Begins to prepare an upsert: looks for the host, and reads the page for `auto_meta` if no link has the slug. Returns a
   * function that finishes it: hashes the password. The function throws what the creation would be refused with if the
   * update would be refused, too.
   *
   * When it is decided, the change throws `conflict` if the caller does not see the link that has the slug.
   */
  begin(upsert: Upsert): () => Promise<Change<Upserted>> {
    const { identity, input } = upsert;
    const creation = errorAsValueSync(() => this.#checkCreation(identity, input));
    const update = errorAsValueSync(() => this.#checkUpdate(identity, input));
    if (creation instanceof AppError && update instanceof AppError) return () => Promise.reject(creation);
    const begun = errorAsValue(async () => {
      const host = linkHostOf(await chooseHost(this.#deps.hosts, identity.accountId, input.host));
      const ref = { hostId: host.host_id, slugKey: slugKey(input.slug) };
      return { host, ref, preview: creation instanceof AppError ? {} : await this.#preview(upsert, ref, creation) };
    });
    return async () => {
      const found = await begun;
      if (found instanceof AppError) throw found;
      const passwordHash = input.password == null ? undefined : await hashPassword(input.password, identity.accountId);
      return this.#change(upsert, { creation, update, ...found, passwordHash });
    };
  }

  #checkCreation({ scope }: AccountIdentity, input: UpsertLinkInput): CreateLinkInput {
    const creation = creationOf(input);
    this.#deps.creations.check(scope, creation);
    return creation;
  }

  #checkUpdate({ scope }: AccountIdentity, input: UpsertLinkInput): UpdateLinkInput {
    const update = updateOf(input);
    checkScopeOfInput(scope, update);
    checkDestinations(update, this.#deps.shortUrls);
    checkProtection(update);
    return update;
  }

  async #preview({ identity, mayBecomeFree }: Upsert, ref: SlugOnHost, creation: CreateLinkInput): Promise<Preview> {
    const { links, creations } = this.#deps;
    if (creation.auto_meta !== true) return {};
    if (!mayBecomeFree && (await links.find(new LinkScope(identity), ref)) !== null) return {};
    return creations.preview(identity, creation);
  }

  #change(
    { id, identity, input }: Upsert,
    prepared: {
      creation: CreateLinkInput | AppError;
      update: UpdateLinkInput | AppError;
      host: LinkHost;
      ref: SlugOnHost;
      preview: Preview;
      passwordHash: string | undefined;
    },
  ): Change<Upserted> {
    const { creation, update, host, ref, preview, passwordHash } = prepared;
    const scope = new LinkScope(identity);
    const needed = new NeededRedirects();
    const created =
      creation instanceof AppError
        ? creation
        : this.#deps.creations.creation({ id, identity, input: creation, preview, host }, passwordHash ?? null);
    return {
      accountId: identity.accountId,
      size: 1,
      bytes: LINK_CHANGE_BYTES + 2 * JSON.stringify(input).length,
      reads: () => readsOfRef(ref),
      decide: (draft) => {
        if (draft.documents.redirects.get(redirectId(ref.hostId, ref.slugKey)) === null) {
          if (created instanceof AppError) throw created;
          return { link: created.decide(draft), created: true };
        }
        const link = findLink(draft, scope, ref);
        if (link === null) throw slugTaken(input.slug);
        if (update instanceof AppError) throw update;
        const changes = changesOf(link, update);
        const changed =
          Object.keys(changes).length === 0
            ? link
            : updateLink(
                draft,
                link,
                fieldsToUpdate(link, changes, undefined, passwordHash),
                needed,
                actorOf(identity, draft.account),
              );
        return { link: toLink(changed, this.#deps.publicUrl), created: false };
      },
    };
  }
}

/** Returns the fields to change. The link has the host, and its slug is one of them only if it is written differently. */
function changesOf({ slug: before }: LinkDocument, { slug, host: _, ...fields }: UpdateLinkInput): UpdateLinkInput {
  return slug === undefined || slug === before ? fields : { ...fields, slug };
}
