import { randomUUID } from 'node:crypto';
import type { AccountIdentity } from '@waymark/auth';
import {
  AppError,
  type CreateWebhookInput,
  type Delivery,
  foldHashtag,
  type NewWebhook,
  NO_SUCH_WEBHOOK_MESSAGE,
  SECRET_GRACE_HOURS,
  type UpdateWebhookInput,
  WEBHOOKS_FULL_MESSAGE,
  WEBHOOKS_MAX,
  type Webhook,
  wantsClicks,
} from '@waymark/contract';
import { eventIdOf, positionOfId } from '../activity/event-ids.ts';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { Actor } from '../database/documents/event.ts';
import type { WebhookDocument } from '../database/documents/webhook.ts';
import { newWebhookId } from '../database/ids.ts';
import { actorOf, SYSTEM } from '../events/actor.ts';
import type { ClickFeed } from './click-feed.ts';
import { shownDelivery, shownWebhook } from './webhook.ts';
import type { WebhookAddresses } from './webhook-addresses.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';
import type { WebhooksStore } from './webhooks.store.ts';

export interface WebhooksServiceDeps {
  webhooks: Pick<WebhooksStore, 'find' | 'listOf'>;
  secrets: WebhookSecrets;
  addresses: Pick<WebhookAddresses, 'check'>;
  clicks: Pick<ClickFeed, 'end'>;
  changes: Pick<ChangeQueue, 'run'>;
  /** Called when a webhook may have work. */
  wake: () => void;
  now: () => number;
}

/** About how many bytes a change of a webhook writes. */
const CHANGE_BYTES = 8_192;
const SECRET_GRACE_MS = SECRET_GRACE_HOURS * 3_600_000;

/** The use cases of webhooks. The transports check who may call them. */
export class WebhooksService {
  readonly #deps: WebhooksServiceDeps;

  constructor(deps: WebhooksServiceDeps) {
    this.#deps = deps;
  }

  /** Returns the webhooks of an account, oldest first. */
  async list(accountId: string): Promise<Webhook[]> {
    return (await this.#deps.webhooks.listOf(accountId)).map(shownWebhook);
  }

  /** @throws {AppError} `not_found`. */
  async get(accountId: string, id: string): Promise<Webhook> {
    return shownWebhook(await this.#find(accountId, id));
  }

  /**
   * Returns the last attempts to deliver something, newest first.
   * @throws {AppError} `not_found`.
   */
  async deliveries(accountId: string, id: string): Promise<Delivery[]> {
    return (await this.#find(accountId, id)).deliveries.map(shownDelivery);
  }

  /**
   * Creates a webhook, which gets the events after its own creation.
   * @throws {AppError} `invalid` if the URL is not allowed, `conflict` if the account has too many.
   */
  async create(identity: AccountIdentity, input: CreateWebhookInput): Promise<NewWebhook> {
    const { secrets, addresses, changes, now } = this.#deps;
    addresses.check(input.url);
    const { accountId } = identity;
    const id = newWebhookId(accountId, now());
    const secret = secrets.create();
    const clicksAfter = await this.#clicksAfter(accountId, input.types);
    const webhook = await changes.run({
      accountId,
      size: 1,
      bytes: CHANGE_BYTES,
      reads: () => ({ webhooks: [id] }),
      decide: (draft) => {
        const { webhooks: others = [] } = draft.account;
        if (others.length >= WEBHOOKS_MAX) throw new AppError('conflict', WEBHOOKS_FULL_MESSAGE);
        draft.set({ webhooks: [...others, id] });
        const created: WebhookDocument = {
          _id: id,
          account_id: accountId,
          url: input.url,
          types: input.types,
          scope: input.scope ?? 'full_access',
          hashtag: input.hashtag ? foldHashtag(input.hashtag) : null,
          enabled: true,
          disabled_reason: null,
          created_at: draft.now,
          secrets: [secrets.encrypt(id, secret, null)],
          key_id: secrets.keyId,
          request_id: randomUUID(),
          replay_after: null,
          test_id: null,
          position: '',
          clicks_after: clicksAfter,
          clicks_at: null,
          // Those since it was asked are not lost.
          clicks_due_at: clicksAfter === null ? null : draft.now,
          retries: [],
          stalled: false,
          failing_since: null,
          deliveries: [],
          notice: null,
          due_at: clicksAfter === null ? null : draft.now,
          holder: null,
          beat: randomUUID(),
        };
        appendEvent(draft, 'webhook.created', created, actorOf(identity, draft.account));
        draft.documents.webhooks.put({ ...created, position: eventIdOf(draft.account, draft.account) });
        return created;
      },
    });
    return { ...shownWebhook(webhook), secret };
  }

  /**
   * Changes the fields that were sent.
   * @throws {AppError} `not_found`, `invalid` if the URL is not allowed.
   */
  async update(identity: AccountIdentity, id: string, input: UpdateWebhookInput): Promise<Webhook> {
    const { url, types, scope, hashtag, enabled } = input;
    if (url !== undefined) this.#deps.addresses.check(url);
    const clicksAfter = await this.#clicksAfter(identity.accountId, types ?? []);
    const webhook = await this.#change(identity.accountId, id, (draft, before) => {
      const after: WebhookDocument = {
        ...before,
        url: url ?? before.url,
        types: types ?? before.types,
        clicks_after: types ? clicksAfter && (before.clicks_after ?? clicksAfter) : before.clicks_after,
        clicks_due_at: clicksAfter === null ? (before.clicks_due_at ?? null) : draft.now,
        scope: scope ?? before.scope,
        hashtag: hashtag === undefined ? before.hashtag : hashtag && foldHashtag(hashtag),
      };
      if (enabled === undefined || enabled === before.enabled) return after;
      if (enabled) return { ...after, enabled, disabled_reason: null, failing_since: null };
      return disabled(draft, after, null, actorOf(identity, draft.account));
    });
    return shownWebhook(webhook);
  }

  /**
   * Deletes a webhook.
   * @throws {AppError} `not_found`.
   */
  async delete(identity: AccountIdentity, id: string): Promise<void> {
    await this.#run(identity.accountId, id, (draft, webhook) => {
      const { webhooks = [] } = draft.account;
      draft.set({ webhooks: webhooks.filter((one) => one !== id) });
      draft.documents.webhooks.remove(id);
      appendEvent(draft, 'webhook.deleted', webhook, actorOf(identity, draft.account));
    });
  }

  /**
   * Gives a webhook a new secret. The former one signs for a while, too.
   * @throws {AppError} `not_found`.
   */
  async rotateSecret(accountId: string, id: string): Promise<NewWebhook> {
    const { secrets } = this.#deps;
    const secret = secrets.create();
    const webhook = await this.#change(accountId, id, (draft, before) => {
      const until = new Date(draft.now.getTime() + SECRET_GRACE_MS);
      // Without the key that encrypts it, the former one is lost.
      const former = secrets.decrypt(before, draft.now)?.[0];
      const stored = [secrets.encrypt(id, secret, null)];
      if (former !== undefined) stored.push(secrets.encrypt(id, former.secret, until));
      return { ...before, secrets: stored, key_id: secrets.keyId };
    });
    return { ...shownWebhook(webhook), secret };
  }

  /**
   * Sends a test event soon.
   * @throws {AppError} `not_found`.
   */
  async test(accountId: string, id: string): Promise<void> {
    const test_id = `test_${randomUUID()}`;
    await this.#change(accountId, id, (_draft, before) => ({ ...before, test_id }));
  }

  /**
   * Sends the events after this one again soon.
   * @throws {AppError} `not_found`, `invalid` if it is not the id of an event of the account.
   */
  async replay(accountId: string, id: string, after: string): Promise<void> {
    await this.#change(accountId, id, ({ account }, before) => {
      const revision = (eventId: string) => positionOfId(account, eventId)?.revision ?? Number.POSITIVE_INFINITY;
      if (revision(after) > account.revision)
        throw new AppError('invalid', '"after" must be the id of an event of this account.');
      // Reading is never set forward.
      const [first] = [after, before.position, before.replay_after ?? after].sort((a, b) => revision(a) - revision(b));
      return { ...before, replay_after: first! };
    });
  }

  /** Disables a webhook that is enabled, for a reason that its owner sees. */
  async disable(accountId: string, id: string, reason: string): Promise<void> {
    await this.#change(accountId, id, (draft, before) =>
      before.enabled ? disabled(draft, before, reason, SYSTEM) : before,
    );
  }

  /** Returns where to begin with clicks, or null if the types name none. */
  async #clicksAfter(accountId: string, types: readonly string[]): Promise<string | null> {
    return wantsClicks(types) ? this.#deps.clicks.end(accountId) : null;
  }

  async #find(accountId: string, id: string): Promise<WebhookDocument> {
    const webhook = await this.#deps.webhooks.find(accountId, id);
    if (webhook === null) throw noSuchWebhook();
    return webhook;
  }

  /** Changes a webhook, of which its deliveries hear soon. */
  async #change(
    accountId: string,
    id: string,
    decide: (draft: AccountDraft, before: WebhookDocument) => WebhookDocument,
  ): Promise<WebhookDocument> {
    const webhook = await this.#run(accountId, id, (draft, before) => {
      const after: WebhookDocument = { ...decide(draft, before), request_id: randomUUID(), due_at: draft.now };
      draft.documents.webhooks.put(after);
      return after;
    });
    this.#deps.wake();
    return webhook;
  }

  #run<Result>(
    accountId: string,
    id: string,
    decide: (draft: AccountDraft, webhook: WebhookDocument) => Result,
  ): Promise<Result> {
    return this.#deps.changes.run({
      accountId,
      size: 1,
      bytes: CHANGE_BYTES,
      reads: () => ({ webhooks: [id] }),
      decide: (draft) => {
        const webhook = draft.documents.webhooks.get(id);
        if (webhook === null || webhook.account_id !== accountId) throw noSuchWebhook();
        return decide(draft, webhook);
      },
    });
  }
}

function disabled(
  draft: AccountDraft,
  before: WebhookDocument,
  disabled_reason: string | null,
  actor: Actor,
): WebhookDocument {
  const after: WebhookDocument = { ...before, enabled: false, disabled_reason };
  appendEvent(draft, 'webhook.disabled', after, actor);
  return after;
}

function appendEvent(
  draft: AccountDraft,
  type: 'webhook.created' | 'webhook.disabled' | 'webhook.deleted',
  webhook: WebhookDocument,
  actor: Actor,
): void {
  draft.append({ type, actor, data: { webhook: shownWebhook(webhook) } });
}

function noSuchWebhook(): AppError {
  return new AppError('not_found', NO_SUCH_WEBHOOK_MESSAGE);
}
