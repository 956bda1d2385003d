import { randomUUID } from 'node:crypto';
import type { AccountDocument } from '../database/documents/account.ts';
import type { ClickLimitDocument } from '../database/documents/click-limit.ts';
import type { DeletedLinkDocument } from '../database/documents/deleted-link.ts';
import type { EventDocument, NewEvent } from '../database/documents/event.ts';
import type { HostDocument } from '../database/documents/host.ts';
import type { IdempotencyDocument } from '../database/documents/idempotency.ts';
import type { JobDocument, JobPartDocument, JobUndoDocument } from '../database/documents/job.ts';
import type { JobQueueDocument } from '../database/documents/job-queue.ts';
import type { LinkDocument } from '../database/documents/link.ts';
import type { LinkExpiryDocument } from '../database/documents/link-expiry.ts';
import type { PasskeyDocument } from '../database/documents/passkey.ts';
import type { RedirectDocument } from '../database/documents/redirect.ts';
import type { ReleasedHostDocument } from '../database/documents/released-host.ts';
import type { SavedFiltersDocument } from '../database/documents/saved-filters.ts';
import type { SessionDocument } from '../database/documents/session.ts';
import type { WebhookDocument } from '../database/documents/webhook.ts';
import { eventId, positionOf } from '../events/event.ts';
import { DraftDocuments } from './draft-documents.ts';
import { UndoLog } from './undo-log.ts';

/** The documents that the changes of one transaction share. */
export class Documents {
  /** Undoes what a change that failed did to these documents and to the accounts. */
  readonly undo = new UndoLog();
  readonly redirects = new DraftDocuments<RedirectDocument>(this.undo);
  readonly links = new DraftDocuments<LinkDocument>(this.undo);
  readonly clickLimits = new DraftDocuments<ClickLimitDocument>(this.undo);
  readonly linkExpiries = new DraftDocuments<LinkExpiryDocument>(this.undo);
  readonly deletedLinks = new DraftDocuments<DeletedLinkDocument>(this.undo);
  readonly idempotency = new DraftDocuments<IdempotencyDocument>(this.undo);
  readonly savedFilters = new DraftDocuments<SavedFiltersDocument>(this.undo);
  readonly sessions = new DraftDocuments<SessionDocument>(this.undo);
  readonly hosts = new DraftDocuments<HostDocument>(this.undo);
  readonly releasedHosts = new DraftDocuments<ReleasedHostDocument>(this.undo);
  /** The names of hosts, of those that were asked for, that links of their account used when they were read. */
  readonly usedHosts = new Set<string>();
  readonly passkeys = new DraftDocuments<PasskeyDocument>(this.undo);
  readonly webhooks = new DraftDocuments<WebhookDocument>(this.undo);
  readonly jobQueues = new DraftDocuments<JobQueueDocument>(this.undo);
  readonly jobs = new DraftDocuments<JobDocument>(this.undo);
  readonly jobParts = new DraftDocuments<JobPartDocument>(this.undo);
  readonly jobUndo = new DraftDocuments<JobUndoDocument>(this.undo);

  /** Returns true if a link uses a host whose links were asked for, or one of the same transaction does. */
  isHostInUse({ _id, host }: HostDocument): boolean {
    return this.usedHosts.has(host) || this.links.find(({ host_id }) => host_id === _id) !== null;
  }
}

/** The fields of an account that a change can set. The others follow from what it does. */
export type AccountFields = Partial<
  Pick<
    AccountDocument,
    | 'plan'
    | 'keys'
    | 'revocations'
    | 'sign_outs'
    | 'hosts'
    | 'passkeys'
    | 'webhooks'
    | 'deleting_at'
    | 'idempotency_bytes'
  >
>;

/** An account in a transaction, and the documents that its changes read and write. */
export class AccountDraft {
  readonly documents: Documents;
  /** The account as it was read. */
  readonly #before: AccountDocument;
  #account: AccountDocument;
  readonly #events: EventDocument[] = [];
  readonly #writeId = randomUUID();
  readonly #eventsLifetimeMs: number;
  /** The time of the transaction. */
  readonly now: Date;

  constructor(account: AccountDocument, documents: Documents, now: Date, eventsLifetimeMs: number) {
    this.#before = account;
    this.#account = account;
    this.documents = documents;
    this.now = now;
    this.#eventsLifetimeMs = eventsLifetimeMs;
  }

  /** Returns the account as it is now. */
  get account(): Readonly<AccountDocument> {
    return this.#account;
  }

  /** Returns the account as it was read. */
  get before(): Readonly<AccountDocument> {
    return this.#before;
  }

  /** Returns the account as it is once its write is committed. */
  get after(): AccountDocument {
    return { ...this.#account, write_id: this.#writeId };
  }

  /** Returns true if the account is to be written. */
  get isWritten(): boolean {
    return this.write() !== null;
  }

  /** Returns the events that were added to its log. */
  get events(): readonly EventDocument[] {
    return this.#events;
  }

  /** Returns where its log stood before the transaction, and where it stands after it. */
  get positions() {
    return { accountId: this.#account._id, before: positionOf(this.#before), after: positionOf(this.#account) };
  }

  /** Changes fields of the account. */
  set(fields: AccountFields): void {
    this.#replace(fields);
  }

  /** Counts links of a state, more or fewer. */
  count(state: string, by: 1 | -1): void {
    const { counts } = this.#account;
    this.#replace({ counts: { ...counts, [state]: (counts[state] ?? 0) + by } });
  }

  /** Notes that the change alters which links are hidden, and from whom. */
  changeHidden(): void {
    this.#replace({ hidden_change_id: randomUUID() });
  }

  /** Adds an event to the log of the account. */
  append(event: NewEvent): void {
    const change_id = randomUUID();
    this.#replace({ revision: this.#account.revision + 1, change_id });
    this.documents.undo.record(() => this.#events.pop());
    this.#events.push({
      _id: eventId(this.#account._id, this.#account.revision),
      account_id: this.#account._id,
      change_id,
      created_at: this.now,
      expires_at: new Date(this.now.getTime() + this.#eventsLifetimeMs),
      ...event,
    });
  }

  #replace(fields: Partial<AccountDocument>): void {
    const before = this.#account;
    this.documents.undo.record(() => {
      this.#account = before;
    });
    this.#account = { ...before, ...fields };
  }

  /**
   * Returns the write of the account, or null if nothing changed. It does nothing if the account is not as it was read, like
   * the insertion of an event whose revision is taken.
   */
  write() {
    const { _id, revision, write_id } = this.#before;
    const set: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(this.#account))
      if (value !== this.#before[name as keyof AccountDocument]) set[name] = value;
    if (Object.keys(set).length === 0) return null;
    const update = { $set: { ...set, write_id: this.#writeId }, $currentDate: { changed_at: true as const } };
    return { updateOne: { filter: { _id, revision, write_id }, update } };
  }
}
