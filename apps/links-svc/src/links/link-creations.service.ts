import type { AccountIdentity } from '@waymark/auth';
import { AppError, type CreateLinkInput, LINK_NOT_FOUND_MESSAGE, type Link } from '@waymark/contract';
import type { Change } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { LinkFields } from '../database/documents/link.ts';
import { newLinkId } from '../database/ids.ts';
import { actorOf } from '../events/actor.ts';
import type { HostsStore } from '../hosts/hosts.store.ts';
import { fingerprintOf } from '../idempotency/idempotency.ts';
import type { IdempotentRequests } from '../idempotency/idempotent-requests.ts';
import { hashPassword } from '../passwords/passwords.ts';
import { checkDestinations } from '../slugs/destinations.ts';
import { newSlug } from '../slugs/new-slug.ts';
import { redirectId } from '../slugs/redirect-id.ts';
import type { ShortUrls } from '../slugs/short-urls.ts';
import { newLink, toLink } from './link.ts';
import { createLink } from './link-changes.ts';
import { type ChosenHost, chooseHost, DEFAULT_HOST, linkHostOf } from './link-host.ts';
import { checkCreation, fieldsToCreate, type Rights } from './link-input.ts';
import { fullSight, LinkScope } from './link-scope.ts';
import type { LinksStore } from './links.store.ts';

export interface LinkCreationsDeps {
  links: Pick<LinksStore, 'find'>;
  hosts: Pick<HostsStore, 'idsOf'>;
  shortUrls: Pick<ShortUrls, 'isShortUrl'>;
  changes: Pick<ChangeQueue, 'run'>;
  idempotency: IdempotentRequests;
  /** Reads title and description of a page. Never throws. A value that cannot be read is null. */
  fetchPreview(accountId: string, url: string): Promise<{ title: string | null; description: string | null }>;
  /** The beginning of every short URL, without a slash at the end. */
  publicUrl: string;
  /** The clock, in milliseconds. */
  now(): number;
}

/** What `auto_meta` found, without the fields that the client sent. */
export type Preview = Partial<Pick<LinkFields, 'title' | 'description'>>;

/** A link that is about to be created. */
export interface NewLink {
  /** Begins with the account and the creation time (`newLinkId`). */
  id: string;
  identity: AccountIdentity;
  /** Has passed {@link LinkCreations.check}. */
  input: CreateLinkInput;
  /** Default: what the client sent. */
  preview?: Preview;
  /** The host that it names. */
  host?: ChosenHost;
  /** The hash of its password, if it has one. */
  passwordHash?: string | undefined;
}

/** About how many bytes the creation of a link writes besides twice its fields. */
const CREATION_BYTES = 2_048;

/**
 * The use cases that create links. Inputs have passed the schemas of the contract. Every method throws `unavailable` in
 * an outage.
 */
export class LinkCreations {
  readonly #deps: LinkCreationsDeps;

  constructor(deps: LinkCreationsDeps) {
    this.#deps = deps;
  }

  /**
   * Creates a link. With an `Idempotency-Key`, a repetition within a day gets the first response.
   * @throws {AppError} `forbidden` for what the scope does not allow, `invalid`, `conflict` for a slug that is taken,
   *   `not_found` if the link of a repetition has since been hidden from the caller.
   */
  async create(identity: AccountIdentity, input: CreateLinkInput, idempotencyKey?: string): Promise<Link> {
    const { changes, idempotency } = this.#deps;
    this.check(identity, input);
    const prepare = async () => {
      const preview = await this.preview(identity, input);
      return this.prepare({ id: newLinkId(identity.accountId, this.#deps.now()), identity, input, preview });
    };
    if (idempotencyKey === undefined) return changes.run(await prepare());
    const request = {
      key: idempotencyKey,
      fingerprint: fingerprintOf(input),
      password: input.password ?? null,
      prepare,
    };
    const { answer, isFirst } = await idempotency.once(identity, request);
    if ('error' in answer) throw new AppError(answer.error.code, answer.error.message);
    if (!isFirst) await this.#requireVisible(identity, answer.result);
    return answer.result;
  }

  /**
   * Checks everything about a creation that needs no database.
   * @throws {AppError} `forbidden` or `invalid`.
   */
  check(rights: Rights, input: CreateLinkInput): void {
    checkCreation(rights, input);
    checkDestinations(input, this.#deps.shortUrls);
  }

  /**
   * Prepares a creation: looks for the host and hashes the password.
   * @throws {AppError} `invalid` if it names no verified host of the account.
   */
  async prepare(link: NewLink): Promise<Change<Link>> {
    const { accountId } = link.identity;
    const { password } = link.input;
    const host = linkHostOf(await chooseHost(this.#deps.hosts, accountId, link.input.host));
    return this.changeOf({ ...link, host, passwordHash: password && (await hashPassword(password, accountId)) });
  }

  /**
   * Returns the creation of a link whose host was looked for and whose password is hashed.
   * @throws {AppError} `invalid` if its host cannot be used.
   */
  changeOf({ id, identity, input, preview, host: chosen = DEFAULT_HOST, passwordHash }: NewLink): Change<Link> {
    const { accountId } = identity;
    const host = linkHostOf(chosen);
    const fields = { ...fieldsToCreate(identity, input, host, passwordHash ?? null), ...preview };
    return {
      accountId,
      size: 1,
      bytes: CREATION_BYTES + 2 * JSON.stringify(fields).length,
      reads: () => (fields.slug === undefined ? {} : { redirects: [redirectId(host.host_id, fields.slug)] }),
      decide: (draft) => {
        const slug = fields.slug ?? newSlug(draft, host.host_id);
        const link = newLink(id, accountId, { ...fields, slug });
        createLink(draft, link, actorOf(identity, draft.account));
        return toLink(link, this.#deps.publicUrl);
      },
    };
  }

  /** Reads what `auto_meta` asks for: the fields that the client did not send. */
  async preview({ accountId }: AccountIdentity, input: CreateLinkInput): Promise<Preview> {
    const wanted = (['title', 'description'] as const).filter((name) => input[name] === undefined);
    if (input.auto_meta !== true || wanted.length === 0) return {};
    const preview = await this.#deps.fetchPreview(accountId, input.destination_url);
    return Object.fromEntries(wanted.map((name) => [name, preview[name]]));
  }

  /** @throws {AppError} `not_found` if a link that the caller created has since been hidden from it. */
  async #requireVisible(identity: AccountIdentity, { id }: Link): Promise<void> {
    const scope = new LinkScope(identity);
    if (scope.seesAll) return;
    const link = await this.#deps.links.find(new LinkScope(fullSight(scope.accountId)), { id });
    if (link !== null && !scope.shows(link)) throw new AppError('not_found', LINK_NOT_FOUND_MESSAGE);
  }
}
