import { randomUUID } from 'node:crypto';
import { AppError } from '@waymark/contract';
import type { Logger } from '@waymark/service-kit';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Lease } from '../database/documents/lease.ts';
import { accountIdOfLinkId } from '../database/ids.ts';
import type { LogConsumer } from '../follower/log-follower.ts';
import { LeasedWork } from '../leases/leased-work.ts';
import type { WebhookSender } from './webhook-sender.ts';
import { WebhookWork, type WebhookWorkDeps } from './webhook-work.ts';
import type { WebhooksStore } from './webhooks.store.ts';

export interface WebhookDeliveriesDeps extends Omit<WebhookWorkDeps, 'webhooks' | 'sender' | 'shutdown' | 'count'> {
  webhooks: Pick<WebhooksStore, 'behind' | 'due' | 'all' | 'take' | 'held' | 'save' | 'markClicked' | 'unmarkClicked'>;
  sender: Pick<WebhookSender, 'send' | 'close'>;
  logger: Logger;
  registry: Registry;
  /** See {@link LeasedWork}. */
  stopwatch: (() => number) | undefined;
}

/** How many webhooks a replica works on at once. Each has a few requests at most, which bounds those of the process. */
const CONCURRENCY = 128;

/**
 * Delivers events to the webhooks of all accounts, shared with the other replicas. A webhook that has nothing to send costs
 * nothing: the log says which accounts changed, and `due_at` which webhooks have something else to do.
 */
export class WebhookDeliveries implements LogConsumer {
  readonly #deps: WebhookDeliveriesDeps;
  readonly #work: LeasedWork;
  readonly #workDeps: WebhookWorkDeps;
  readonly #shutdown = new AbortController();
  /** The accounts that may have webhooks that are behind. */
  readonly #changed = new Set<string>();
  /** True if it is not known which accounts have changed. */
  #mayAllBeBehind = true;

  constructor(deps: WebhookDeliveriesDeps) {
    const { logger, registry } = deps;
    const outcomes = new Counter({
      name: 'webhook_deliveries_total',
      help: 'Attempts to deliver an event to a webhook, and events that were dropped because it must not see them.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.#deps = deps;
    this.#workDeps = {
      ...deps,
      shutdown: this.#shutdown.signal,
      count: (outcome) => outcomes.inc({ outcome }),
    };
    const work = new LeasedWork({
      list: () => this.#list(),
      work: (lease, ending) => this.#deliver(lease, ending),
      onError: (err) => logger.warn({ err }, 'a webhook could not go on; trying again'),
      stopwatch: deps.stopwatch,
      concurrency: CONCURRENCY,
    });
    this.#work = work;
    new Gauge({
      name: 'webhooks_running',
      help: 'Webhooks to which this replica delivers events.',
      registers: [registry],
      collect() {
        this.set(work.running);
      },
    });
  }

  /**
   * Starts to deliver, until it is closed. Requests that run then have most of the deadline to end. Those that are aborted
   * are sent again.
   */
  start(): { close(deadlineMs?: number): Promise<void> } {
    this.#work.start();
    return {
      close: async (deadlineMs = 0) => {
        const timer = setTimeout(() => this.#shutdown.abort(), deadlineMs / 2);
        await this.#work.close();
        clearTimeout(timer);
        await this.#deps.sender.close();
      },
    };
  }

  /** Notices at once what a request has asked of a webhook. */
  wake(): void {
    this.#work.wake();
  }

  /** Notes that these links were clicked. */
  async clicked(linkIds: readonly string[]): Promise<void> {
    const { webhooks, now } = this.#deps;
    await webhooks.markClicked([...new Set(linkIds.map(accountIdOfLinkId))], new Date(now()));
  }

  apply(accountId: string): void {
    this.#changed.add(accountId);
  }

  beginAgain(accountId: string | 'all'): void {
    if (accountId === 'all') this.#mayAllBeBehind = true;
    else this.#changed.add(accountId);
  }

  /** Returns the webhooks that have work. */
  async #list(): Promise<readonly Lease[]> {
    const { webhooks, now } = this.#deps;
    if (this.#mayAllBeBehind) {
      this.#mayAllBeBehind = false;
      try {
        for await (const some of webhooks.all()) for (const { account_id } of some) this.#changed.add(account_id);
      } catch (error) {
        this.#mayAllBeBehind = true;
        throw error;
      }
    }
    const changed = [...this.#changed];
    this.#changed.clear();
    const behind = await webhooks.behind(changed).catch((error) => {
      for (const accountId of changed) this.#changed.add(accountId);
      throw error;
    });
    for (const { account_id } of behind) this.#changed.add(account_id);
    const due = await webhooks.due(new Date(now()));
    return [...new Map([...behind, ...due].map((webhook) => [webhook._id, webhook])).values()];
  }

  async #deliver(lease: Lease, ending: AbortSignal): Promise<void> {
    const { webhooks } = this.#deps;
    const webhook = await webhooks.take(lease, this.#work.holder, randomUUID());
    if (webhook === null) return;
    try {
      await new WebhookWork(webhook, this.#workDeps).run(ending);
    } catch (error) {
      // The webhook or its account is being deleted.
      if (error instanceof AppError && ['not_found', 'unauthenticated'].includes(error.code)) return;
      throw error;
    }
  }
}
