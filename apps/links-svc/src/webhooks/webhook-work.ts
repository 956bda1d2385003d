import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AccountEvent,
  AppError,
  CLICKS_OF_DELIVERY_MAX,
  CLICKS_TYPE,
  DELIVERIES_MAX,
  eventTypesOfWebhook,
  type RawClick,
  WEBHOOK_TEST_TYPE,
} from '@waymark/contract';
import type { EventsService } from '../activity/events.service.ts';
import type { Lease } from '../database/documents/lease.ts';
import type { Retry, StoredDelivery, WebhookDocument } from '../database/documents/webhook.ts';
import type { Sight } from '../links/link-scope.ts';
import type { ClickFeed, ClickPage } from './click-feed.ts';
import { deliveryId } from './webhook.ts';
import { signedHeaders, type WebhookSecrets } from './webhook-secrets.ts';
import type { Sent, WebhookSender } from './webhook-sender.ts';
import type { WebhooksService } from './webhooks.service.ts';
import type { DeliveryFields, WebhooksStore } from './webhooks.store.ts';

export interface WebhookWorkDeps {
  webhooks: Pick<WebhooksStore, 'save' | 'held' | 'unmarkClicked'>;
  service: Pick<WebhooksService, 'disable'>;
  events: Pick<EventsService, 'read' | 'find'>;
  clicks: Pick<ClickFeed, 'read' | 'end'>;
  secrets: Pick<WebhookSecrets, 'decrypt'>;
  sender: Pick<WebhookSender, 'send'>;
  /** The pause before each retry, in seconds (WEBHOOK_RETRIES). */
  pauses: readonly number[];
  now: () => number;
  /** Aborts the requests that run. They are sent again. */
  shutdown: AbortSignal;
  count: (outcome: DeliveryOutcome) => void;
}

/** `given_up` is a failure that was the last one, `dropped` an event that the webhook must not see any more. */
export type DeliveryOutcome = 'done' | 'failed' | 'given_up' | 'dropped';

/** An event, or some clicks, that are sent, for the how manieth time. */
type Attempt = Pick<AccountEvent, 'id' | 'created_at' | 'data'> & { type: string; number: number };

/** How many requests of a webhook run at once, and while it fails. */
const CONCURRENCY = 4;
const CONCURRENCY_FAILING = 1;
/** How many events wait for a retry. If more fail, further events wait in the log, and the next one is tried now and then. */
const RETRIES_MAX = 100;
const PROBE_EVERY_MS = 60_000;
/** What was sent since the state was saved last is sent again after a kill. */
const SAVE_EVERY_MS = 1_000;
const DISABLED_AFTER_DAYS = 5;
const DISABLED_AFTER_MS = DISABLED_AFTER_DAYS * 86_400_000;
/** A pause is longer by up to this part of it, so that receivers do not get all retries at once. */
const JITTER = 0.1;
/** So long the first click waits for others. Replicas look for work every second, so it is sent within 10 seconds. */
const CLICKS_WAIT_MS = 9_000;
/** How long to wait if analytics-svc does not return clicks. */
const CLICKS_RETRY_MS = 10_000;
const GONE = 410;
const NO_KEY_REASON = 'No signing key of this service decrypts its secret. Rotate the secret.';

/** Delivers the events of one webhook, as long as this replica has its lease. */
export class WebhookWork {
  readonly #deps: WebhookWorkDeps;
  /** What clients ask for. */
  #webhook: WebhookDocument;
  /** What this replica writes. */
  #state: Pick<DeliveryFields, 'retries' | 'failing_since' | 'deliveries' | 'notice' | 'test_id'>;
  /** The id after which to read on. */
  #readTo: string;
  /** The events that are sent for the first time, in their order, each with the id before it. */
  readonly #firsts = new Map<string, string>();
  /** The cursor after which to read clicks. Those before it were sent, or are `retries`. */
  #clicksAfter: string | null;
  /** When to look for clicks. Null if there are none for now. */
  #clicksAt: number | null;
  /** True if reading was set back, and later events are still being sent. */
  #isSetBack = false;
  /** When to try the next event although there is no room for another retry. */
  #probeAt: number;
  #disabledReason: string | null = null;
  #error: unknown;
  readonly #running = new Map<string, Promise<void>>();

  constructor(webhook: WebhookDocument, deps: WebhookWorkDeps) {
    const { position, retries, failing_since, deliveries, notice, test_id, stalled, due_at } = webhook;
    this.#deps = deps;
    this.#webhook = webhook;
    this.#state = { retries, failing_since, deliveries, notice, test_id };
    this.#readTo = position;
    this.#clicksAfter = webhook.clicks_after;
    this.#clicksAt = webhook.clicks_due_at?.getTime() ?? null;
    this.#probeAt = stalled && due_at !== null ? due_at.getTime() : 0;
    this.#adopt(webhook);
  }

  /**
   * Sends what there is to send now, until nothing is left or `ending` aborts, and gives the lease back. Stops once another
   * replica has it.
   */
  async run(ending: AbortSignal): Promise<void> {
    let saveAt = performance.now() + SAVE_EVERY_MS;
    try {
      for (;;) {
        if (this.#error !== undefined) throw this.#error;
        if (!ending.aborted && this.#disabledReason === null) await this.#start();
        if (this.#running.size === 0) {
          if (this.#disabledReason !== null) {
            await this.#save({});
            await this.#disable(this.#disabledReason);
          } else if (await this.#save({ holder: null })) return;
          if (!(await this.#refresh())) return;
          continue;
        }
        await this.#whileRunning(saveAt - performance.now());
        if (performance.now() < saveAt) continue;
        await this.#save({});
        if (!(await this.#refresh())) return;
        saveAt = performance.now() + SAVE_EVERY_MS;
      }
    } finally {
      await Promise.all(this.#running.values());
    }
  }

  /** Waits until an attempt ends, at most so long. */
  async #whileRunning(ms: number): Promise<void> {
    const pause = new AbortController();
    const pausing = sleep(Math.max(0, ms), undefined, { signal: pause.signal }).catch(() => {});
    await Promise.race([pausing, ...this.#running.values()]);
    pause.abort();
  }

  /** Starts as many attempts as there may be now. */
  async #start(): Promise<void> {
    const { test_id } = this.#state;
    if (test_id !== null && this.#free > 0 && !this.#running.has(test_id)) {
      const created_at = new Date(this.#deps.now()).toISOString();
      this.#run(test_id, () => this.#send({ id: test_id, type: WEBHOOK_TEST_TYPE, created_at, data: {}, number: 1 }));
    }
    if (!this.#webhook.enabled) return;
    for (const { event_id, attempts, due_at } of this.#state.retries) {
      if (this.#free <= 0 || due_at.getTime() > this.#deps.now()) break;
      if (!this.#running.has(event_id)) this.#run(event_id, () => this.#sendAgain(event_id, attempts + 1));
    }
    await this.#startClicks();
    if (this.#isSetBack && this.#firsts.size > 0) return;
    this.#isSetBack = false;
    await this.#startFirsts();
  }

  /** Returns how many events may be sent for the first time. */
  get #room(): number {
    const room = RETRIES_MAX - this.#state.retries.length - this.#firsts.size;
    const isProbe = room <= 0 && this.#firsts.size === 0 && this.#probeAt <= this.#deps.now();
    return Math.min(this.#free, isProbe ? 1 : room);
  }

  /** Sends some clicks if there are enough, or if the first one has waited long enough. */
  async #startClicks(): Promise<void> {
    const { webhooks, now } = this.#deps;
    const after = this.#clicksAfter;
    if (after === null) return;
    if (this.#webhook.clicks_at !== null) {
      await webhooks.unmarkClicked(this.#webhook, new Date(now()));
      this.#webhook = { ...this.#webhook, clicks_at: null };
      this.#clicksAt = now();
    }
    if (this.#clicksAt === null || this.#clicksAt > now() || this.#room <= 0) return;
    const page = await this.#readClicks(after);
    if (page === null) return;
    const { clicks, next, more } = page;
    const waitsUntil = sendAt(clicks, now());
    if (waitsUntil > now()) {
      this.#clicksAt = waitsUntil;
      return;
    }
    this.#clicksAfter = clicks.at(-1)?.cursor ?? next;
    this.#clicksAt = more ? now() : null;
    if (clicks.length === 0) return;
    const id = clicksId(after, this.#clicksAfter);
    this.#retryAt(id, 0, now());
    // After a kill, the same clicks are sent with the same id.
    if (await this.#save({})) this.#run(id, () => this.#send(clicksAttempt(id, page, 1)));
  }

  /** Returns the next clicks, or null if it must wait for them. */
  async #readClicks(after: string): Promise<ClickPage | null> {
    const { clicks, now } = this.#deps;
    try {
      return await clicks.read(this.#sight, { after }, CLICKS_OF_DELIVERY_MAX);
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid') {
        this.#clicksAfter = await clicks.end(this.#webhook.account_id).catch(() => after);
        this.#state.notice = 'Clicks are gone that could not be sent before. It goes on with those from now on.';
      }
      this.#clicksAt = now() + CLICKS_RETRY_MS;
      return null;
    }
  }

  async #startFirsts(): Promise<void> {
    const limit = this.#room;
    if (limit <= 0) return;
    const { events, next } = await this.#read(limit);
    for (const event of events) {
      // After a replay, some may wait for a retry already.
      if (!this.#running.has(event.id) && this.#retryOf(event.id) === undefined) {
        this.#firsts.set(event.id, this.#readTo);
        this.#run(event.id, () => this.#send({ ...event, number: 1 }));
      }
      this.#readTo = event.id;
    }
    this.#readTo = next;
  }

  /** Reads the next events, or the oldest ones if those have expired. */
  async #read(limit: number): Promise<{ events: AccountEvent[]; next: string }> {
    const query = { types: eventTypesOfWebhook(this.#webhook.types), limit };
    try {
      return await this.#deps.events.read(this.#sight, { ...query, after: this.#readTo });
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'invalid')) throw error;
    }
    const oldest = await this.#deps.events.read(this.#sight, query);
    const since = oldest.events[0]?.created_at ?? new Date(this.#deps.now()).toISOString();
    this.#state.notice = `Events before ${since} had expired before they could be sent.`;
    return oldest;
  }

  async #sendAgain(eventId: string, number: number): Promise<void> {
    const attempt = await this.#attemptAgain(eventId, number);
    if (attempt === 'later') return this.#retryAt(eventId, number - 1, this.#deps.now() + CLICKS_RETRY_MS);
    if (attempt !== null) return this.#send(attempt);
    this.#finish(eventId);
    this.#deps.count('dropped');
  }

  /** Returns what to send again, or null if it has expired, or if the webhook must not see it any more. */
  async #attemptAgain(eventId: string, number: number): Promise<Attempt | 'later' | null> {
    const { events, clicks } = this.#deps;
    const sent = clicksOfId(eventId);
    if (sent === null) {
      const event = await events.find(this.#sight, eventId);
      const isWanted = event !== null && eventTypesOfWebhook(this.#webhook.types).includes(event.type);
      return isWanted ? { ...event, number } : null;
    }
    if (this.#clicksAfter === null) return null;
    try {
      const page = await clicks.read(this.#sight, sent, CLICKS_OF_DELIVERY_MAX);
      return page.clicks.length === 0 ? null : clicksAttempt(eventId, page, number);
    } catch (error) {
      return error instanceof AppError && error.code === 'invalid' ? null : 'later';
    }
  }

  async #send(attempt: Attempt): Promise<void> {
    const { secrets, sender, shutdown, now } = this.#deps;
    const { _id, url } = this.#webhook;
    const { id, type, created_at, data, number } = attempt;
    const at = new Date(now());
    const keys = secrets.decrypt(this.#webhook, at);
    if (keys === null) {
      this.#record({ event_id: id, type, attempt: number, status: null, duration_ms: 0, at, error: NO_KEY_REASON });
      if (type === WEBHOOK_TEST_TYPE) this.#finish(id);
      this.#disabledReason = NO_KEY_REASON;
      return;
    }
    const body = JSON.stringify({ type, timestamp: created_at, data });
    const headers = signedHeaders(keys, deliveryId(_id, id), at, body);
    const began = performance.now();
    const sent = await sender.send(url, headers, body, shutdown);
    // What was aborted is sent again.
    if (sent === null) return;
    const { status, error } = sent;
    const duration_ms = Math.round(performance.now() - began);
    this.#record({ event_id: id, type, attempt: number, status, duration_ms, at, error });
    if (error !== null) return this.#fail(attempt, sent);
    this.#finish(id);
    this.#state.failing_since = null;
    this.#deps.count('done');
  }

  #record(delivery: StoredDelivery): void {
    this.#state.deliveries = [delivery, ...this.#state.deliveries].slice(0, DELIVERIES_MAX);
  }

  #fail({ id, type, number }: Attempt, { status, retryAfterMs }: Sent): void {
    const { now, pauses, count } = this.#deps;
    const before = this.#firsts.get(id);
    const sentClicks = clicksOfId(id);
    const pauseMs = (pauses[number - 1] ?? 0) * 1_000 * (1 + JITTER * Math.random());
    const isLast = number > pauses.length || type === WEBHOOK_TEST_TYPE;
    this.#finish(id);
    if (!isLast && this.#state.retries.length < RETRIES_MAX) {
      this.#retryAt(id, number, now() + Math.max(pauseMs, retryAfterMs));
    } else if (!isLast) {
      this.#readTo = before ?? this.#readTo;
      if (sentClicks !== null && this.#clicksAfter !== null) {
        this.#clicksAfter = sentClicks.after;
        this.#clicksAt = now();
      }
      this.#probeAt = now() + Math.max(PROBE_EVERY_MS, retryAfterMs);
    }
    count(isLast ? 'given_up' : 'failed');
    if (type === WEBHOOK_TEST_TYPE) return;
    this.#state.failing_since ??= new Date(now());
    if (status === GONE) this.#disabledReason = 'The receiver answered 410, which means that it is gone.';
    else if (now() - this.#state.failing_since.getTime() >= DISABLED_AFTER_MS)
      this.#disabledReason = `Every delivery has failed for ${DISABLED_AFTER_DAYS} days.`;
  }

  /** Notes that an event is to be sent again at a time. */
  #retryAt(event_id: string, attempts: number, atMs: number): void {
    this.#finish(event_id);
    this.#state.retries = [...this.#state.retries, { event_id, attempts, due_at: new Date(atMs) }].sort(
      (a, b) => a.due_at.getTime() - b.due_at.getTime(),
    );
  }

  /** Notes that an event needs no attempt any more, or that it has another place from now on. */
  #finish(eventId: string): void {
    this.#firsts.delete(eventId);
    if (this.#state.test_id === eventId) this.#state.test_id = null;
    this.#state.retries = this.#state.retries.filter(({ event_id }) => event_id !== eventId);
  }

  #retryOf(eventId: string): Retry | undefined {
    return this.#state.retries.find(({ event_id }) => event_id === eventId);
  }

  #run(eventId: string, work: () => Promise<void>): void {
    const running = work()
      .catch((error) => {
        this.#error = error;
      })
      .finally(() => this.#running.delete(eventId));
    this.#running.set(eventId, running);
  }

  async #disable(reason: string): Promise<void> {
    const { _id, account_id } = this.#webhook;
    await this.#deps.service.disable(account_id, _id, reason);
    this.#disabledReason = null;
  }

  /** Saves the state. Returns false if this replica has lost the webhook, or a request has changed it. */
  async #save(lease: Partial<Lease>): Promise<boolean> {
    const { retries, test_id } = this.#state;
    const { enabled } = this.#webhook;
    const stalled = retries.length >= RETRIES_MAX;
    const dueAt = Math.min(
      ...(enabled ? retries.slice(0, 1).map(({ due_at }) => due_at.getTime()) : []),
      ...(enabled && stalled ? [this.#probeAt] : []),
      ...(enabled && this.#clicksAt !== null && !stalled ? [this.#clicksAt] : []),
      ...(test_id === null ? [] : [this.#deps.now()]),
    );
    return this.#deps.webhooks.save(this.#webhook, {
      ...this.#state,
      position: this.#position,
      clicks_after: this.#clicksAfter,
      clicks_due_at: this.#clicksAt === null ? null : new Date(this.#clicksAt),
      replay_after: null,
      stalled,
      due_at: Number.isFinite(dueAt) ? new Date(dueAt) : null,
      beat: randomUUID(),
      ...lease,
    });
  }

  /** Takes over what clients have asked for since. Returns false if this replica has lost the webhook. */
  async #refresh(): Promise<boolean> {
    const { _id, holder } = this.#webhook;
    const webhook = await this.#deps.webhooks.held(_id, holder!);
    if (webhook !== null) this.#adopt(webhook);
    return webhook !== null;
  }

  #adopt(webhook: WebhookDocument): void {
    if (webhook.request_id !== this.#webhook.request_id) {
      this.#state.test_id = webhook.test_id;
      if (webhook.enabled && !this.#webhook.enabled) this.#state.failing_since = null;
    }
    if (webhook.clicks_after === null) {
      this.#clicksAfter = null;
      this.#clicksAt = null;
    } else if (this.#clicksAfter === null) {
      this.#clicksAfter = webhook.clicks_after;
      this.#clicksAt = this.#deps.now();
    }
    if (webhook.replay_after !== null) {
      this.#readTo = webhook.replay_after;
      this.#isSetBack = true;
      this.#probeAt = 0;
    }
    this.#webhook = webhook;
  }

  /** The id up to which every event is done or waits for a retry. */
  get #position(): string {
    const [firstBefore = this.#readTo] = this.#isSetBack ? [] : this.#firsts.values();
    return firstBefore;
  }

  get #free(): number {
    const limit = this.#state.failing_since === null ? CONCURRENCY : CONCURRENCY_FAILING;
    return limit - this.#running.size;
  }

  get #sight(): Sight {
    const { account_id, scope, hashtag } = this.#webhook;
    return { accountId: account_id, scope, key: { hashtag } };
  }
}

/** Returns the time from which to send clicks. Clocks may differ, and a click from the future does not wait. */
function sendAt(clicks: readonly RawClick[], now: number): number {
  const first = Math.min(...clicks.map(({ clicked_at }) => Date.parse(clicked_at)));
  return clicks.length === CLICKS_OF_DELIVERY_MAX || first > now ? now : first + CLICKS_WAIT_MS;
}

/** Returns the id of clicks that are sent together: the cursor before them, and that of the last one. */
function clicksId(after: string, upTo: string): string {
  return `clicks:${after}:${upTo}`;
}

function clicksOfId(id: string): { after: string; upTo: string } | null {
  const [, after, upTo] = /^clicks:(.*):(.*)$/.exec(id) ?? [];
  return after === undefined || upTo === undefined ? null : { after, upTo };
}

/** In a later attempt, clicks of links that were hidden since are missing. */
function clicksAttempt(id: string, { clicks }: ClickPage, number: number): Attempt {
  return { id, type: CLICKS_TYPE, created_at: clicks.at(-1)!.clicked_at, data: { clicks }, number };
}
