import type { Filter } from 'mongodb';
import { eventIdOf } from '../activity/event-ids.ts';
import type { Database } from '../database/database.ts';
import type { Lease } from '../database/documents/lease.ts';
import type { WebhookDocument } from '../database/documents/webhook.ts';
import { linkIdRange } from '../database/ids.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';

/** How many documents one query reads. */
const AT_A_TIME = 1_000;
const LEASE = { projection: { holder: 1, beat: 1, account_id: 1, position: 1 } };

/** What the holder of a lease writes. */
export type DeliveryFields = Pick<
  WebhookDocument,
  | 'replay_after'
  | 'test_id'
  | 'position'
  | 'clicks_after'
  | 'clicks_due_at'
  | 'retries'
  | 'stalled'
  | 'failing_since'
  | 'deliveries'
  | 'notice'
  | 'due_at'
>;
export type StoredSecrets = Pick<WebhookDocument, '_id' | 'account_id' | 'key_id' | 'secrets' | 'request_id'>;
export type LeasedWebhook = Lease & Pick<WebhookDocument, 'account_id' | 'position'>;

/** Reads webhooks, and writes what deliveries change. Every method throws `unavailable` in an outage. */
export class WebhooksStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns a webhook of the account, or null. */
  async find(accountId: string, _id: string): Promise<WebhookDocument | null> {
    return this.#database.run(() => this.#webhooks.findOne({ _id, account_id: accountId }, BOUNDED));
  }

  /** Returns the webhooks of an account, oldest first. */
  async listOf(accountId: string): Promise<WebhookDocument[]> {
    const ofAccount = { _id: linkIdRange(accountId) };
    return this.#database.run(() => this.#webhooks.find(ofAccount, BOUNDED_FIND).sort({ _id: 1 }).toArray());
  }

  /** Returns the enabled webhooks of these accounts that have not read all events and are not stalled. */
  async behind(accountIds: readonly string[]): Promise<LeasedWebhook[]> {
    const found: LeasedWebhook[] = [];
    for (let from = 0; from < accountIds.length; from += AT_A_TIME) {
      const ids = accountIds.slice(from, from + AT_A_TIME);
      const options = { projection: { events_key: 1, revision: 1, change_id: 1, webhooks: 1 }, ...BOUNDED_FIND };
      const accounts = await this.#database.run(() =>
        this.#database.collections.accounts.find({ _id: { $in: ids } }, options).toArray(),
      );
      const ends = new Map(accounts.map((account) => [account._id, eventIdOf(account, account)]));
      const webhookIds = accounts.flatMap(({ webhooks = [] }) => webhooks);
      for (let first = 0; first < webhookIds.length; first += AT_A_TIME) {
        const some = { _id: { $in: webhookIds.slice(first, first + AT_A_TIME) }, enabled: true, stalled: false };
        const webhooks = await this.#database.run(() =>
          this.#webhooks.find<LeasedWebhook>(some, { ...LEASE, ...BOUNDED_FIND }).toArray(),
        );
        found.push(...webhooks.filter(({ account_id, position }) => position !== ends.get(account_id)));
      }
    }
    return found;
  }

  /** Returns webhooks that have work besides new events, the longest due first. */
  async due(now: Date): Promise<LeasedWebhook[]> {
    const isDue = { $gt: new Date(0), $lte: now };
    const options = { ...LEASE, ...BOUNDED_FIND, limit: AT_A_TIME };
    const due = await this.#database.run(() =>
      this.#webhooks.find<LeasedWebhook>({ due_at: isDue }, options).sort({ due_at: 1 }).toArray(),
    );
    const clicked = await this.#database.run(() =>
      this.#webhooks.find<LeasedWebhook>({ clicks_at: isDue, enabled: true }, options).sort({ clicks_at: 1 }).toArray(),
    );
    return [...due, ...clicked];
  }

  /** Notes that links of these accounts were clicked, so that their webhooks for clicks look for them. */
  async markClicked(accountIds: readonly string[], clicks_at: Date): Promise<void> {
    const options = { projection: { webhooks: 1 }, ...BOUNDED_FIND };
    const accounts = await this.#database.run(() =>
      this.#database.collections.accounts.find({ _id: { $in: [...accountIds] } }, options).toArray(),
    );
    const ids = accounts.flatMap(({ webhooks = [] }) => webhooks);
    if (ids.length === 0) return;
    const unmarked = { _id: { $in: ids }, clicks_at: null, clicks_after: { $gt: '' } };
    await this.#database.run(() => this.#webhooks.updateMany(unmarked, { $set: { clicks_at } }, BOUNDED));
  }

  /** Notes that the holder looks for clicks now. Later ones are noted again. */
  async unmarkClicked({ _id, holder }: WebhookDocument, now: Date): Promise<void> {
    await this.#update({ _id, holder }, { clicks_at: null, clicks_due_at: now, due_at: now });
  }

  /** Yields all webhooks, in pieces. */
  async *all(filter: Filter<WebhookDocument> = {}): AsyncGenerator<StoredSecrets[]> {
    for (let last = ''; ; ) {
      const projection = { account_id: 1, key_id: 1, secrets: 1, request_id: 1 };
      const found = await this.#database.run(() =>
        this.#webhooks
          .find<StoredSecrets>({ ...filter, _id: { $gt: last } }, { projection, ...BOUNDED_FIND, limit: AT_A_TIME })
          .sort({ _id: 1 })
          .toArray(),
      );
      yield found;
      if (found.length < AT_A_TIME) return;
      last = found.at(-1)!._id;
    }
  }

  /** Yields the webhooks whose secrets another key encrypts, in pieces. */
  async *encryptedWithOther(keyId: string): AsyncGenerator<StoredSecrets[]> {
    yield* this.all({ key_id: { $lt: keyId } });
    yield* this.all({ key_id: { $gt: keyId } });
  }

  /** Takes a lease that is as it was seen, and returns the webhook. Returns null if it is not. */
  async take({ _id, beat }: Lease, holder: string, newBeat: string): Promise<WebhookDocument | null> {
    const isTaken = await this.#update({ _id, beat }, { holder, beat: newBeat });
    return isTaken ? this.held(_id, holder) : null;
  }

  /** Returns the webhook if this replica holds it, or null. */
  async held(_id: string, holder: string): Promise<WebhookDocument | null> {
    return this.#database.run(() => this.#webhooks.findOne({ _id, holder }, BOUNDED));
  }

  /** Writes fields of a webhook that this replica holds, if no request has changed it since. Returns false otherwise. */
  async save({ _id, holder, request_id }: WebhookDocument, fields: Partial<DeliveryFields & Lease>): Promise<boolean> {
    return this.#update({ _id, holder, request_id }, fields);
  }

  /** Replaces the secrets of a webhook by the same under another key, unless a request changes it meanwhile. */
  async setSecrets(
    { _id, request_id }: Pick<WebhookDocument, '_id' | 'request_id'>,
    secrets: Pick<WebhookDocument, 'secrets' | 'key_id'>,
  ): Promise<void> {
    await this.#update({ _id, request_id }, secrets);
  }

  /** Removes every webhook of an account. */
  async deleteAllOf(accountId: string): Promise<void> {
    await this.#database.run(() => this.#webhooks.deleteMany({ _id: linkIdRange(accountId) }, BOUNDED));
  }

  async #update(filter: Partial<WebhookDocument>, $set: Partial<WebhookDocument>): Promise<boolean> {
    const { matchedCount } = await this.#database.run(() => this.#webhooks.updateOne(filter, { $set }, BOUNDED));
    return matchedCount === 1;
  }

  get #webhooks() {
    return this.#database.collections.webhooks;
  }
}
