import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import { runWithoutDeadline } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import { Counter, Gauge, type Registry } from 'prom-client';
import { isDuplicateKey, isOutage, isUnanswered, translateOutage, wasUndone } from '../database/database-errors.ts';
import { operationTimeMs } from '../database/operation-options.ts';
import { DocumentMissed } from '../database/write-all.ts';
import { type Change, RepeatChange } from './change.ts';
import type { Committed } from './transaction.ts';
import { type Group, type WaitingChange, WaitingChanges } from './waiting-changes.ts';

export interface ChangeQueueOptions {
  /** Runs changes in one transaction (`runChanges`). */
  runChanges(changes: readonly Change<unknown>[], now: Date): Promise<Committed>;
  registry: Registry;
  /** Receives what this replica has committed. */
  onCommitted(committed: Committed): void;
  /** The clock, in milliseconds. */
  now(): number;
}

/** How many transactions run at once. One place of them is for accounts that share a transaction. */
const TRANSACTIONS_MAX = 8;
/** The next shared transaction starts when the last one has ended, or takes longer than this. */
const SLOW_AFTER_MS = 100;
/** The longest pause before a transaction is repeated. Pauses are random, so that two replicas do not meet again. */
const PAUSE_MAX_MS = 100;
const FIRST_PAUSE_MS = 5;
/** From so many conflicts on, an account shares no transaction. Each conflict adds one, and each commit removes one. */
const ALONE_FROM = 2;
const CONFLICTS_MAX = 4;
/** How many accounts with conflicts are remembered. */
const REMEMBERED_MAX = 10_000;

/**
 * The queue of all changes of this replica. What waits while a transaction runs goes into the next one together, a change
 * of each account in turn. An account has one transaction at a time, so its changes keep their order. If another replica
 * interferes, or the database keeps a document locked, the changes go back into the queue for a pause, and those of other
 * accounts run meanwhile (ADR 50).
 */
export class ChangeQueue {
  readonly #options: ChangeQueueOptions;
  readonly #waiting = new WaitingChanges();
  /** The conflicts that accounts had lately. */
  readonly #conflicts = new LRUCache<string, number>({ max: REMEMBERED_MAX });
  readonly #repeated: Counter;
  readonly #running = new Set<Group>();
  /** The one of them that is shared and not slow yet. */
  #shared: Group | undefined;
  #isStarting = false;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: ChangeQueueOptions) {
    this.#options = options;
    const { registry } = options;
    const waiting = this.#waiting;
    new Gauge({
      name: 'changes_waiting',
      help: 'Operations that wait for the next transaction.',
      registers: [registry],
      collect() {
        this.set(waiting.operations);
      },
    });
    this.#repeated = new Counter({
      name: 'change_transactions_repeated_total',
      help: 'Transactions that were repeated because another one came first.',
      registers: [registry],
    });
  }

  /**
   * Runs a change in a transaction and returns its result once that is committed. It waits for a transaction for at most
   * {@link operationTimeMs}.
   * @throws {AppError} what the change decided; `unauthenticated` if the account does not exist any more; `unavailable` in
   *   an outage, after which the change may be done or not, and if it would wait too long or too much waits, when nothing
   *   is done.
   */
  run<Result>(change: Change<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#waiting.isFull(change)) return reject(new AppError('unavailable', BUSY_MESSAGE));
      const one: WaitingChange = {
        change,
        timer: setTimeout(() => this.#timeOut(one), operationTimeMs()),
        isOver: false,
        tries: 0,
        isSuspect: false,
        resolve: resolve as (result: unknown) => void,
        reject,
      };
      this.#waiting.add(one);
      this.#idle ??= Promise.withResolvers();
      this.#startSoon();
    });
  }

  /** Waits for the changes that run or wait. */
  async close(): Promise<void> {
    await this.#idle?.promise;
  }

  /** Starts what may start, after this turn of the event loop, so that all its changes share a transaction. */
  #startSoon(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    const start = () => {
      this.#isStarting = false;
      this.#start();
    };
    // A transaction serves several requests, not only the one that is served now.
    runWithoutDeadline(() => setImmediate(start));
  }

  #start(): void {
    const isAlone = (accountId: string) => (this.#conflicts.get(accountId) ?? 0) >= ALONE_FROM;
    while (this.#running.size < TRANSACTIONS_MAX) {
      const shared = this.#shared === undefined;
      const alone = this.#running.size - (shared ? 0 : 1) < TRANSACTIONS_MAX - 1;
      const group = this.#waiting.take({ shared, alone }, isAlone);
      if (group === null) break;
      void this.#run(group);
    }
    if (!this.#waiting.isIdle) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  async #run(group: Group): Promise<void> {
    this.#running.add(group);
    if (!group.isAlone) this.#shared = group;
    const slow = setTimeout(() => {
      if (this.#endShared(group)) this.#start();
    }, SLOW_AFTER_MS);
    const committed = await this.#commit(group).catch((error: unknown) => {
      this.#fail(group, error);
      return null;
    });
    if (committed !== null) this.#succeed(group, committed);
    clearTimeout(slow);
    this.#running.delete(group);
    this.#endShared(group);
    this.#start();
  }

  /** Lets the next shared transaction start. Returns false if it may already. */
  #endShared(group: Group): boolean {
    if (this.#shared !== group) return false;
    this.#shared = undefined;
    return true;
  }

  /** Runs the transaction. If changes must look at other documents, it begins again at once. */
  async #commit({ changes }: Group): Promise<Committed> {
    for (;;) {
      try {
        const now = new Date(this.#options.now());
        return await this.#options.runChanges(
          changes.map(({ change }) => change),
          now,
        );
      } catch (error) {
        if (!(error instanceof RepeatChange) || changes.some(({ isOver }) => isOver)) throw error;
        this.#repeated.inc();
      }
    }
  }

  #succeed({ changes, accountIds }: Group, committed: Committed): void {
    this.#options.onCommitted(committed);
    for (const [position, { timer, resolve, reject }] of changes.entries()) {
      clearTimeout(timer);
      const outcome = committed.outcomes[position]!;
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.result);
    }
    for (const id of accountIds) this.#countConflicts(id, -1);
    this.#waiting.release(accountIds);
  }

  #fail(group: Group, error: unknown): void {
    const { changes, accountIds, isAlone } = group;
    const isSlow = !isAlone && this.#shared !== group;
    if (isSlow) for (const id of accountIds) this.#countConflicts(id, ALONE_FROM);
    if (cameSecond(error)) {
      if (!isSlow && !isUnanswered(error) && !(error instanceof RepeatChange))
        for (const id of accountIds) this.#countConflicts(id, 1);
      this.#repeated.inc();
      const tries = 1 + Math.max(...changes.map((one) => one.tries));
      this.#putBack(changes, { tries, cause: error });
      setTimeout(() => this.#release(accountIds), Math.random() * pauseOf(tries));
    } else if (changes.length > 1 && !(error instanceof AppError || isOutage(error))) {
      // One change that cannot be written must not fail the others.
      this.#putBack(changes, { isSuspect: true });
      this.#waiting.release(accountIds);
    } else {
      for (const one of changes) end(one, translateOutage(error));
      this.#waiting.release(accountIds);
    }
  }

  #putBack(changes: readonly WaitingChange[], state: Partial<WaitingChange>): void {
    for (const one of changes) Object.assign(one, state);
    for (const one of changes) if (one.isOver) end(one, timedOut(one));
    this.#waiting.putBack(changes.filter(({ isOver }) => !isOver));
  }

  #release(accountIds: readonly string[]): void {
    this.#waiting.release(accountIds);
    this.#start();
  }

  #timeOut(one: WaitingChange): void {
    one.isOver = true;
    if (!this.#waiting.remove(one)) return;
    end(one, timedOut(one));
    this.#startSoon();
  }

  #countConflicts(accountId: string, by: number): void {
    const conflicts = Math.min((this.#conflicts.get(accountId) ?? 0) + by, CONFLICTS_MAX);
    if (conflicts > 0) this.#conflicts.set(accountId, conflicts);
    else this.#conflicts.delete(accountId);
  }
}

function end({ timer, reject }: WaitingChange, error: unknown): void {
  clearTimeout(timer);
  reject(error);
}

function timedOut({ cause }: WaitingChange): unknown {
  return isOutage(cause) ? translateOutage(cause) : new AppError('unavailable', BUSY_MESSAGE, { cause });
}

function pauseOf(tries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), PAUSE_MAX_MS);
}

/** Returns true if another transaction came first, or if the change wants to look at other documents. */
function cameSecond(error: unknown): boolean {
  return error instanceof DocumentMissed || error instanceof RepeatChange || isDuplicateKey(error) || wasUndone(error);
}
