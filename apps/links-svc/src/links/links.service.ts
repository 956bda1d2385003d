import type { AccountIdentity } from '@waymark/auth';
import { AppError, LINK_NOT_FOUND_MESSAGE, type Link, type UpdateLinkInput } from '@waymark/contract';
import type { Change } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import { NeededRedirects } from '../changes/needed-redirects.ts';
import { actorOf } from '../events/actor.ts';
import type { HostsStore } from '../hosts/hosts.store.ts';
import { hashPassword } from '../passwords/passwords.ts';
import { checkDestinations } from '../slugs/destinations.ts';
import { redirectId } from '../slugs/redirect-id.ts';
import type { ShortUrls } from '../slugs/short-urls.ts';
import { clicksIdOf, linkIdOfClicks } from './clicks-id.ts';
import { errorAsValueSync } from './error-as-value.ts';
import { type ShownLink, toLink } from './link.ts';
import { deleteLink, forgetClicks, getLink, LINK_CHANGE_BYTES, removeLink, updateLink } from './link-changes.ts';
import { chooseHost, linkHostOf } from './link-host.ts';
import { checkProtection, checkScopeOfUpdate, fieldsToUpdate } from './link-input.ts';
import { type LinkRef, linkRefOf, readsOfRef } from './link-ref.ts';
import { fullSight, LinkScope } from './link-scope.ts';
import type { LinksStore } from './links.store.ts';

export interface LinksServiceDeps {
  links: LinksStore;
  hosts: Pick<HostsStore, 'idsOf'>;
  shortUrls: ShortUrls;
  changes: Pick<ChangeQueue, 'run'>;
  /** The beginning of every short URL, without a slash at the end. */
  publicUrl: string;
}

/** A link, and the name under which analytics-svc has its clicks. */
export interface LinkOfClicks {
  link: Link;
  clicksId: string;
}

/** An update of a link that is about to be done. */
export interface UpdateOfLink {
  identity: AccountIdentity;
  /** What names the link when the update is decided: its id, slug or short URL. */
  name: string;
  /** May be empty. */
  input: UpdateLinkInput;
  /** True if other changes come before it in the same transaction: they may give a link that name. */
  isLater?: boolean;
}

const DELETED_AT_A_TIME = 500;

/**
 * The use cases of existing links, for an identity; {@link LinkCreations} adds links, and `ListsService` lists them. Links
 * outside the scope of the identity do not exist for it. Inputs have passed the schemas of the contract. Every method throws `unavailable` in an
 * outage.
 */
export class LinksService {
  readonly #deps: LinksServiceDeps;

  constructor(deps: LinksServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the link that the text names: its id, slug or short URL.
   * @throws {AppError} `not_found`.
   */
  async get(identity: AccountIdentity, name: string): Promise<Link> {
    return this.#toLink(
      found(await this.#deps.links.find(new LinkScope(identity), await this.#getRef(identity, name))),
    );
  }

  /** Returns a link like {@link get}, with the name of its clicks. */
  async getWithClicksId(identity: AccountIdentity, name: string): Promise<LinkOfClicks> {
    return this.#withClicksId(
      found(await this.#deps.links.find(new LinkScope(identity), await this.#getRef(identity, name))),
    );
  }

  /** Returns the links whose clicks have these names, in no particular order. Links that are not in the scope are missing. */
  async findByClicksIds(identity: AccountIdentity, clicksIds: readonly string[]): Promise<LinkOfClicks[]> {
    const wanted = new Set(clicksIds);
    const links = await this.#deps.links.findMany(new LinkScope(identity), clicksIds.map(linkIdOfClicks));
    return links.filter((link) => wanted.has(clicksIdOf(link))).map((link) => this.#withClicksId(link));
  }

  /**
   * Changes the fields that are sent. If none of them differs, nothing changes, not even `updated_at`. Concurrent updates
   * of different fields all take effect.
   * @throws {AppError} `forbidden` for what the scope does not allow, `not_found`, `invalid`, `conflict` for a slug
   *   that is taken.
   */
  async update(identity: AccountIdentity, name: string, input: UpdateLinkInput): Promise<Link> {
    return this.#deps.changes.run(await this.prepareUpdate({ identity, name, input }));
  }

  /**
   * Prepares an update: looks for the host and hashes the password.
   * @throws {AppError} what needs no transaction to be refused.
   */
  async prepareUpdate({ identity, name, input, isLater = false }: UpdateOfLink): Promise<Change<Link>> {
    checkScopeOfUpdate(identity, input);
    checkDestinations(input, this.#deps.shortUrls);
    const scope = new LinkScope(identity);
    const ref = await this.#getRef(identity, name);
    const chosen =
      input.host === undefined ? undefined : await chooseHost(this.#deps.hosts, identity.accountId, input.host);
    const needed = new NeededRedirects();
    const refusal = errorAsValueSync(() => checkProtection(input));
    let passwordHash: string | undefined;
    if (input.password !== undefined) {
      // A hash is expensive, so the link must exist.
      if (!isLater) found(await this.#deps.links.find(scope, ref));
      if (!(refusal instanceof AppError)) passwordHash = await hashPassword(input.password, identity.accountId);
    }
    const reads = readsOfRef(ref);
    // A guess, which is right for most links: the redirect depends on the link, too.
    const slugs = input.slug === undefined ? [] : [redirectId(chosen?.host_id ?? null, input.slug)];
    return {
      accountId: identity.accountId,
      size: 1,
      bytes: LINK_CHANGE_BYTES + 2 * JSON.stringify(input).length,
      reads: () => ({ ...reads, redirects: [...(reads.redirects ?? []), ...slugs, ...needed.ids] }),
      decide: (draft) => {
        const link = getLink(draft, scope, ref);
        if (refusal instanceof AppError) throw refusal;
        const host = chosen && linkHostOf(chosen, link);
        const fields = fieldsToUpdate(link, { input, host, passwordHash });
        return this.#toLink(updateLink(draft, { link, fields, needed, actor: actorOf(identity, draft.account) }));
      },
    };
  }

  /**
   * Deletes a link permanently, and returns its id. Of several concurrent deletions one succeeds.
   * @throws {AppError} `not_found`.
   */
  async delete(identity: AccountIdentity, name: string): Promise<string> {
    return this.#deps.changes.run(await this.prepareDeletion(identity, name));
  }

  /**
   * Prepares a deletion of the link that the text names when it is decided. Its result is the id of the link.
   * @throws {AppError} `not_found` if the text can name no link.
   */
  async prepareDeletion(identity: AccountIdentity, name: string): Promise<Change<string>> {
    const scope = new LinkScope(identity);
    const ref = await this.#getRef(identity, name);
    return {
      accountId: identity.accountId,
      size: 1,
      bytes: LINK_CHANGE_BYTES,
      reads: () => readsOfRef(ref),
      decide: (draft) => {
        const link = getLink(draft, scope, ref);
        deleteLink(draft, link, actorOf(identity, draft.account));
        return link._id;
      },
    };
  }

  /**
   * Forgets the clicks of a link so far: those of redirects that had the link as it was before.
   * @throws {AppError} `not_found`.
   */
  async forgetClicks(identity: AccountIdentity, name: string): Promise<void> {
    const scope = new LinkScope(identity);
    const ref = await this.#getRef(identity, name);
    await this.#deps.changes.run({
      accountId: identity.accountId,
      size: 1,
      bytes: LINK_CHANGE_BYTES,
      reads: () => readsOfRef(ref),
      decide: (draft) => forgetClicks(draft, getLink(draft, scope, ref), actorOf(identity, draft.account)),
    });
  }

  /** Deletes some links of an account that is being deleted. Returns false if it had none. */
  async deleteSomeOf(accountId: string): Promise<boolean> {
    const scope = new LinkScope(fullSight(accountId));
    const ids = await this.#deps.links.someIds(scope, DELETED_AT_A_TIME);
    if (ids.length === 0) return false;
    await this.#deps.changes.run({
      accountId,
      size: ids.length,
      bytes: ids.length * LINK_CHANGE_BYTES,
      evenIfDeleting: true,
      reads: () => ({ links: ids }),
      decide: (draft) => {
        for (const id of ids) {
          const link = draft.documents.links.get(id);
          if (link !== null) removeLink(draft, link);
        }
      },
    });
    return true;
  }

  /** @throws {AppError} `not_found` if the text can name no link. */
  async #getRef({ accountId }: AccountIdentity, name: string): Promise<LinkRef> {
    return found(await linkRefOf(name, accountId, this.#deps.shortUrls));
  }

  #withClicksId(link: ShownLink): LinkOfClicks {
    return { link: this.#toLink(link), clicksId: clicksIdOf(link) };
  }

  #toLink(link: ShownLink): Link {
    return toLink(link, this.#deps.publicUrl);
  }
}

function found<Found>(link: Found | null): Found {
  if (link === null) throw new AppError('not_found', LINK_NOT_FOUND_MESSAGE);
  return link;
}
