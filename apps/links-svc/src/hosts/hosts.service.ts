import type { AccountIdentity } from '@waymark/auth';
import {
  type AddHostInput,
  AppError,
  HOST_IN_USE_MESSAGE,
  HOST_TAKEN_MESSAGE,
  HOSTS_FULL_MESSAGE,
  HOSTS_MAX,
  type Host,
  hostOfUrl,
  NO_SUCH_HOST_MESSAGE,
  RELEASED_HOSTS_FULL_MESSAGE,
  RELEASED_HOSTS_MAX,
  TOO_MANY_VERIFICATIONS_MESSAGE,
  type UpdateHostInput,
  VERIFICATIONS_PER_MINUTE,
} from '@waymark/contract';
import type { WindowCounter } from '@waymark/service-kit';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { ChangeReads } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { Actor } from '../database/documents/event.ts';
import type { HostDocument } from '../database/documents/host.ts';
import { releasedHostId } from '../database/documents/released-host.ts';
import { newHostId } from '../database/ids.ts';
import { actorOf, SYSTEM } from '../events/actor.ts';
import { checkDestinations } from '../slugs/destinations.ts';
import type { ShortUrls } from '../slugs/short-urls.ts';
import { newTxtValue, releasedHost, shownHost, txtName } from './host.ts';
import { noticeOf, proves } from './host-proof.ts';
import type { HostsStore } from './hosts.store.ts';
import { shortHost } from './short-host.ts';
import type { TxtRecords } from './txt-records.ts';
import type { VerifiedHosts } from './verified-hosts.ts';

export interface HostsServiceDeps {
  hosts: HostsStore;
  verifiedHosts: Pick<VerifiedHosts, 'expire' | 'refresh'>;
  txtRecords: Pick<TxtRecords, 'find'>;
  changes: Pick<ChangeQueue, 'run'>;
  /** Counts the requests to verify each host. */
  verifications: Pick<WindowCounter, 'count'>;
  shortUrls: Pick<ShortUrls, 'isShortUrl'>;
  /** The hosts of the service itself. */
  ownHosts: readonly string[];
}

/** Returns who changes an account. */
type ActorIn = (draft: AccountDraft) => Actor;

/** About how many bytes a change of a host writes. */
const CHANGE_BYTES = 8_192;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A record that was missing in every look for so long loses the host. */
const LOST_AFTER_MS = 7 * DAY_MS;

/** The use cases of short hosts. The transports check who may call them. */
export class HostsService {
  readonly #deps: HostsServiceDeps;

  constructor(deps: HostsServiceDeps) {
    this.#deps = deps;
  }

  /** Returns the hosts of an account, oldest first. */
  async list(accountId: string): Promise<Host[]> {
    return (await this.#deps.hosts.listOf(accountId)).map(shownHost);
  }

  /** @throws {AppError} `not_found`. */
  async get(accountId: string, id: string): Promise<Host> {
    return shownHost(await this.#find(accountId, id));
  }

  /**
   * Adds a host, which is pending.
   * @throws {AppError} `invalid` if the name cannot be a short host, `conflict` if the account has it, or has or deleted too many.
   */
  async add(identity: AccountIdentity, input: AddHostInput): Promise<Host> {
    const { hosts, ownHosts } = this.#deps;
    const name = shortHost(input.host, ownHosts);
    // Every replica knows all names. As an account has few hosts, those that are added at once exceed it by few.
    if ((await hosts.countReleased(identity.accountId, RELEASED_HOSTS_MAX)) >= RELEASED_HOSTS_MAX)
      throw new AppError('conflict', RELEASED_HOSTS_FULL_MESSAGE);
    const now = await hosts.now();
    const id = newHostId(now.getTime());
    const host = await this.#change(identity.accountId, { hosts: [id] }, (draft) => {
      const { hosts: others } = draft.account;
      if (others.some((one) => one.host === name))
        throw new AppError('conflict', `"host" ${name} is a host of this account already.`);
      if (others.length >= HOSTS_MAX) throw new AppError('conflict', HOSTS_FULL_MESSAGE);
      const added: HostDocument = {
        _id: id,
        account_id: identity.accountId,
        host: name,
        status: 'pending',
        txt_value: newTxtValue(),
        root_url: null,
        not_found_url: null,
        checked_at: null,
        missing_since: null,
        look_at: nextLook(now),
        created_at: now,
      };
      draft.set({ hosts: [...others, { id, host: name }] });
      draft.documents.hosts.put(added);
      appendEvent(draft, 'host.added', added, actorOf(identity, draft.account));
      return added;
    });
    return shownHost(host);
  }

  /**
   * Changes the fields that were sent.
   * @throws {AppError} `not_found`, `invalid` for a URL of this service or of the host itself.
   */
  async update(identity: AccountIdentity, id: string, input: UpdateHostInput): Promise<Host> {
    checkDestinations(input, this.#deps.shortUrls);
    const host = await this.#change(identity.accountId, { hosts: [id] }, (draft) => {
      const before = hostOfAccount(draft, id);
      const changes: Record<string, { from: string | null; to: string | null }> = {};
      for (const name of ['root_url', 'not_found_url'] as const) {
        const to = input[name] === undefined ? before[name] : input[name] || null;
        if (to !== null && hostOfUrl(new URL(to)) === before.host)
          throw new AppError('invalid', `"${name}" must not be on the host itself; send a URL of another host.`);
        if (to !== before[name]) changes[name] = { from: before[name], to };
      }
      if (Object.keys(changes).length === 0) return before;
      const set = Object.fromEntries(Object.entries(changes).map(([name, { to }]) => [name, to]));
      const after: HostDocument = { ...before, ...set };
      draft.documents.hosts.put(after);
      appendEvent(draft, 'host.updated', after, actorOf(identity, draft.account), changes);
      return after;
    });
    return shownHost(host);
  }

  /**
   * Deletes a host.
   * @throws {AppError} `not_found`, `conflict` while links use it.
   */
  async delete(identity: AccountIdentity, id: string): Promise<void> {
    const { host: name } = await this.#find(identity.accountId, id);
    const reads = { hosts: [id], linksOfHosts: [name], releasedHosts: [releasedHostId(identity.accountId, name)] };
    await this.#change(identity.accountId, reads, (draft) => {
      const host = hostOfAccount(draft, id);
      if (draft.documents.isHostInUse(host)) throw new AppError('conflict', HOST_IN_USE_MESSAGE);
      draft.set({ hosts: draft.account.hosts.filter((one) => one.id !== id) });
      draft.documents.hosts.remove(id);
      draft.documents.releasedHosts.put(releasedHost(host, draft.now));
      appendEvent(draft, 'host.deleted', host, actorOf(identity, draft.account));
    });
  }

  /**
   * Looks for the TXT record of a host and returns the host as it is then. Without a clear answer nothing changes.
   * @throws {AppError} `not_found`; `rate_limited`; `conflict` if another account has it, and its record is still there.
   */
  async verify(identity: AccountIdentity, id: string): Promise<Host> {
    const host = await this.#find(identity.accountId, id);
    const usage = await this.#deps.verifications.count(id, VERIFICATIONS_PER_MINUTE);
    if (!usage.counted)
      throw new AppError('rate_limited', TOO_MANY_VERIFICATIONS_MESSAGE, { retryAfterSeconds: usage.resetSeconds });
    const found = await this.look(host, ({ account }) => actorOf(identity, account));
    const notice = noticeOf(host, found);
    return { ...(await this.get(identity.accountId, id)), ...(notice !== null && { notice }) };
  }

  /**
   * Looks for the TXT record of a host and does what follows: the host is verified, moves from another account whose
   * record is gone, or is lost. Without a clear answer it does nothing. Returns the values of the record that were found;
   * null without a clear answer.
   * @throws {AppError} as {@link verify}, but for the limit.
   */
  async look({ _id, account_id, host, txt_value }: HostDocument, actor: ActorIn): Promise<string[] | null> {
    const { hosts, txtRecords } = this.#deps;
    const values = await txtRecords.find(txtName(host));
    if (values === null) return null;
    const at = await hosts.now();
    if (proves(values, txt_value)) {
      const holder = await hosts.findHolder(host);
      if (holder !== null && holder._id !== _id && !proves(values, holder.txt_value)) await this.#lose(holder, at);
    }
    await this.#change(account_id, { hosts: [_id], verifiedHosts: [host] }, (draft) => {
      const before = hostOfAccount(draft, _id);
      const isThere = proves(values, before.txt_value);
      if (isThere && draft.documents.hosts.find((one) => one._id !== _id && has(one, host)) !== null)
        throw new AppError('conflict', HOST_TAKEN_MESSAGE);
      const after = isThere ? verified(before, at) : missing(before, at);
      draft.documents.hosts.put(after);
      if (after.status === before.status) return;
      if (isThere) appendEvent(draft, 'host.verified', after, actor(draft));
      else appendEvent(draft, 'host.lost', after, SYSTEM);
    });
    return values;
  }

  /** Takes a host from an account whose record is gone. */
  async #lose({ _id, account_id }: HostDocument, at: Date): Promise<void> {
    const reads = { hosts: [_id] };
    // Also of an account that is being deleted: it must not keep others from the host.
    await this.#change(
      account_id,
      reads,
      (draft) => {
        const before = draft.documents.hosts.get(_id);
        if (before === null || before.status !== 'verified') return;
        const after: HostDocument = { ...before, status: 'lost', checked_at: at };
        draft.documents.hosts.put(after);
        appendEvent(draft, 'host.lost', after, SYSTEM);
      },
      { evenIfDeleting: true },
    );
  }

  async #find(accountId: string, id: string): Promise<HostDocument> {
    const host = await this.#deps.hosts.find(accountId, id);
    if (host === null) throw new AppError('not_found', NO_SUCH_HOST_MESSAGE);
    return host;
  }

  /** Runs a change, after which this replica knows the verified hosts of the account. */
  async #change<Result>(
    accountId: string,
    reads: ChangeReads,
    decide: (draft: AccountDraft) => Result,
    options: { evenIfDeleting?: true } = {},
  ): Promise<Result> {
    const { changes, verifiedHosts } = this.#deps;
    const change = { accountId, size: 1, bytes: CHANGE_BYTES, reads: () => reads, decide, ...options };
    const result = await changes.run(change);
    verifiedHosts.expire([accountId]);
    await verifiedHosts.refresh();
    return result;
  }
}

/** @throws {AppError} `not_found` if the account has no such host. */
function hostOfAccount({ documents, account }: AccountDraft, id: string): HostDocument {
  const host = documents.hosts.get(id);
  if (host === null || host.account_id !== account._id) throw new AppError('not_found', NO_SUCH_HOST_MESSAGE);
  return host;
}

function has({ host, status }: HostDocument, name: string): boolean {
  return host === name && status === 'verified';
}

function verified(host: HostDocument, at: Date): HostDocument {
  return { ...host, status: 'verified', checked_at: at, missing_since: null, look_at: nextLook(at) };
}

function missing(host: HostDocument, at: Date): HostDocument {
  const looked = { ...host, checked_at: at, look_at: nextLook(at) };
  if (host.status !== 'verified') return looked;
  const missing_since = host.missing_since ?? at;
  const isLost = at.getTime() - missing_since.getTime() >= LOST_AFTER_MS;
  return { ...looked, missing_since, ...(isLost && { status: 'lost' as const }) };
}

/** Returns the time of the next daily look. It moves by up to an hour, so that looks spread over the day. */
function nextLook(at: Date): Date {
  return new Date(at.getTime() + DAY_MS - Math.random() * HOUR_MS);
}

function appendEvent(
  draft: AccountDraft,
  type: 'host.added' | 'host.updated' | 'host.verified' | 'host.lost' | 'host.deleted',
  host: HostDocument,
  actor: Actor,
  changes?: Record<string, { from: string | null; to: string | null }>,
): void {
  draft.append({ type, actor, data: { host: shownHost(host), ...(changes && { changes }) } });
}
