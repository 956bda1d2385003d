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
import type { LinkHost } from '../database/documents/link.ts';
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
import { checkProtection, checkScopeOfUpdate, fieldsToUpdate, slugTaken } from './link-input.ts';
import { readsOfRef } from './link-ref.ts';
import { LinkScope } from './link-scope.ts';
import type { LinksStore } from './links.store.ts';

export interface LinkUpsertsDeps {
  creations: Pick<LinkCreations, 'check' | 'changeOf' | 'preview'>;
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
  /** True if an update or a deletion before it in the same transaction may take the slug from its link. */
  slugMayBeFreed: boolean;
}

/** An upsert with all that its change needs. */
interface PreparedUpsert extends Upsert {
  /** The input as one of a creation and as one of an update, or why it is refused as such. */
  asCreation: CreateLinkInput | AppError;
  asUpdate: UpdateLinkInput | AppError;
  host: LinkHost;
  ref: SlugOnHost;
  preview: Preview;
  passwordHash: string | undefined;
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
   * Prepares an upsert: looks for the host, and reads the page for `auto_meta` if no link has the slug. Returns the
   * function that waits for both and hashes the password. The function throws what the creation would be refused with if the
   * update would be refused, too.
   *
   * When it is decided, the change throws `conflict` if the caller does not see the link that has the slug.
   */
  prepare(upsert: Upsert): () => Promise<Change<Upserted>> {
    const { identity, input } = upsert;
    const asCreation = errorAsValueSync(() => this.#checkCreation(identity, input));
    const asUpdate = errorAsValueSync(() => this.#checkUpdate(identity, input));
    if (asCreation instanceof AppError && asUpdate instanceof AppError) return () => Promise.reject(asCreation);
    const looking = errorAsValue(async () => {
      const host = linkHostOf(await chooseHost(this.#deps.hosts, identity.accountId, input.host));
      const ref = { hostId: host.host_id, slugKey: slugKey(input.slug) };
      return { host, ref, preview: asCreation instanceof AppError ? {} : await this.#preview(upsert, ref, asCreation) };
    });
    return async () => {
      const found = await looking;
      if (found instanceof AppError) throw found;
      const passwordHash = input.password == null ? undefined : await hashPassword(input.password, identity.accountId);
      return this.#changeOf({ ...upsert, asCreation, asUpdate, ...found, passwordHash });
    };
  }

  #checkCreation(identity: AccountIdentity, input: UpsertLinkInput): CreateLinkInput {
    const checked = creationOf(input);
    this.#deps.creations.check(identity, checked);
    return checked;
  }

  #checkUpdate(identity: AccountIdentity, input: UpsertLinkInput): UpdateLinkInput {
    const update = updateOf(input);
    checkScopeOfUpdate(identity, update);
    checkDestinations(update, this.#deps.shortUrls);
    checkProtection(update);
    return update;
  }

  async #preview({ identity, slugMayBeFreed }: Upsert, ref: SlugOnHost, asCreation: CreateLinkInput): Promise<Preview> {
    const { links, creations } = this.#deps;
    if (asCreation.auto_meta !== true) return {};
    if (!slugMayBeFreed && (await links.find(new LinkScope(identity), ref)) !== null) return {};
    return creations.preview(identity, asCreation);
  }

  #changeOf(upsert: PreparedUpsert): Change<Upserted> {
    const { id, identity, input, asCreation, asUpdate, host, ref, preview, passwordHash } = upsert;
    const scope = new LinkScope(identity);
    const needed = new NeededRedirects();
    const creation =
      asCreation instanceof AppError
        ? asCreation
        : this.#deps.creations.changeOf({ id, identity, input: asCreation, preview, host, passwordHash });
    return {
      accountId: identity.accountId,
      size: 1,
      bytes: LINK_CHANGE_BYTES + 2 * JSON.stringify(input).length,
      reads: () => readsOfRef(ref),
      decide: (draft) => {
        if (draft.documents.redirects.get(redirectId(ref.hostId, ref.slugKey)) === null) {
          if (creation instanceof AppError) throw creation;
          return { link: creation.decide(draft), created: true };
        }
        const link = findLink(draft, scope, ref);
        if (link === null) throw slugTaken(input.slug);
        if (asUpdate instanceof AppError) throw asUpdate;
        const fields = fieldsToUpdate(link, { input: asUpdate, host, passwordHash });
        const changed = updateLink(draft, { link, fields, needed, actor: actorOf(identity, draft.account) });
        return { link: toLink(changed, this.#deps.publicUrl), created: false };
      },
    };
  }
}
