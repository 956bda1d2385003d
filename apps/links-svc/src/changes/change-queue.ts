import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import { runWithoutDeadline } from '@waymark/service-kit';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import { isDuplicateKey, isOutage, translateOutage, wasUndone } from '../database/database-errors.ts';
import { operationTimeMs } from '../database/operation-options.ts';
import { type Change, RepeatChange } from './change.ts';
import { type Committed, RevisionTaken, runChanges } from './transaction.ts';

export interface ChangeQueueOptions {
  database: Database;
  registry: Registry;
  /** Receives what this replica has committed. */
  onCommitted(committed: Committed): void;
  /** The clock, in milliseconds. */
  now(): number;
}

interface Waiting {
  change: Change<unknown>;
  /** The queue gives up a change that still waits then. */
  timer: NodeJS.Timeout;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The bounds of one transaction. */
const OPERATIONS_MAX = 200;
const ACCOUNTS_MAX = 16;
const BYTES_MAX = 4 * 1_024 * 1_024;
/** The bounds of what may wait, for one account and for all. What is beyond them is refused at once. */
const WAITING_OF_ACCOUNT = { operations: 5_000, bytes: 16 * 1_024 * 1_024 };
const WAITING_OF_ALL = { operations: 20_000, bytes: 64 * 1_024 * 1_024 };
/** The longest pause before a transaction is repeated. Pauses are random, so that two replicas do not meet again. */
const PAUSE_MAX_MS = 100;
const FIRST_PAUSE_MS = 5;

/**
 * The queue of all changes of this replica. It runs one transaction at a time; what waits meanwhile goes into the next one
 * together, a change of each account in turn. A transaction that another replica interferes with is repeated from its
 * reads (ADR 50).
 */
export class ChangeQueue {
  readonly #options: ChangeQueueOptions;
  /** The waiting changes by account. The account whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #load = new Map<string, { operations: number; bytes: number }>();
  readonly #loadOfAll = { operations: 0, bytes: 0 };
  readonly #repeated: Counter;
  #running: Promise<void> | undefined;

  constructor(options: ChangeQueueOptions) {
    this.#options = options;
    const { registry } = options;
    const load = this.#loadOfAll;
    new Gauge({
      name: 'changes_waiting',
      help: 'Operations that wait for the next transaction.',
      registers: [registry],
      collect() {
        this.set(load.operations);
      },
    });
    this.#repeated = new Counter({
      name: 'change_transactions_repeated_total',
      help: 'Transactions that were repeated because another one came first.',
      registers: [registry],
    });
  }

  /**
   * Runs a change in a transaction and returns its result once that is committed.
   * @throws {AppError} what the change decided; `unauthenticated` if the account does not exist any more; `unavailable` in
   *   an outage, after which the change may be done or not, and if too much waits, when nothing is done.
   */
  run<Result>(change: Change<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#isFull(change)) return reject(new AppError('unavailable', BUSY_MESSAGE));
      const waiting: Waiting = {
        change,
        timer: setTimeout(() => this.#giveUp(waiting), operationTimeMs()),
        resolve: resolve as (result: unknown) => void,
        reject,
      };
      const ofAccount = this.#waiting.get(change.accountId);
      if (ofAccount === undefined) this.#waiting.set(change.accountId, [waiting]);
      else ofAccount.push(waiting);
      this.#addLoad(change, 1);
      // It serves all requests, not this one alone.
      this.#running ??= runWithoutDeadline(() => this.#runAll());
    });
  }

  /** Waits for the changes that run or wait. */
  async close(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    // Changes of the same turn of the event loop share a transaction.
    await new Promise(setImmediate);
    while (this.#waiting.size > 0) await this.#runGroup(this.#nextGroup());
    this.#running = undefined;
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const committed = await this.#commit(group.map(({ change }) => change));
      this.#options.onCommitted(committed);
      for (const [position, { resolve, reject }] of group.entries()) {
        const outcome = committed.outcomes[position]!;
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.result);
      }
    } catch (error) {
      if (group.length === 1 || isForAll(error)) for (const { reject } of group) reject(translateOutage(error));
      // One change that cannot be written must not fail the others.
      else for (const one of group) await this.#runGroup([one]);
    }
  }

  /** Runs a transaction, and repeats it while others come first. */
  async #commit(changes: readonly Change<unknown>[]): Promise<Committed> {
    const untilMs = performance.now() + operationTimeMs();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
      try {
        return await runChanges(this.#options.database, changes, new Date(this.#options.now()));
      } catch (error) {
        if (!cameSecond(error)) throw error;
        if (performance.now() > untilMs)
          throw isOutage(error) ? error : new AppError('unavailable', BUSY_MESSAGE, { cause: error });
        this.#repeated.inc();
        await sleep(Math.random() * pauseMs);
      }
    }
  }

  /** Takes the next changes out of the queue, one of each account in turn. */
  #nextGroup(): Waiting[] {
    const accounts: [string, Waiting[]][] = [];
    for (const entry of this.#waiting) if (accounts.push(entry) === ACCOUNTS_MAX) break;
    const group: Waiting[] = [];
    let operations = 0;
    let bytes = 0;
    for (let isFull = false, turn = 0; !isFull && accounts.some(([, waiting]) => turn < waiting.length); turn++) {
      for (const [, waiting] of accounts) {
        const next = waiting[turn];
        if (next === undefined || isFull) continue;
        isFull =
          group.length > 0 && (operations + next.change.size > OPERATIONS_MAX || bytes + next.change.bytes > BYTES_MAX);
        if (isFull) continue;
        group.push(next);
        operations += next.change.size;
        bytes += next.change.bytes;
      }
    }
    for (const one of group) this.#remove(one);
    // The others have their turn first.
    for (const [accountId, waiting] of accounts) {
      if (!this.#waiting.delete(accountId) || waiting.length === 0) continue;
      this.#waiting.set(accountId, waiting);
    }
    return group;
  }

  #giveUp(waiting: Waiting): void {
    this.#remove(waiting);
    waiting.reject(new AppError('unavailable', BUSY_MESSAGE));
  }

  #remove(waiting: Waiting): void {
    const { change, timer } = waiting;
    clearTimeout(timer);
    const ofAccount = this.#waiting.get(change.accountId)!;
    ofAccount.splice(ofAccount.indexOf(waiting), 1);
    if (ofAccount.length === 0) this.#waiting.delete(change.accountId);
    this.#addLoad(change, -1);
  }

  #isFull({ accountId, size, bytes }: Change<unknown>): boolean {
    const exceeds = (load: { operations: number; bytes: number }, max: typeof load) =>
      load.operations > 0 && (load.operations + size > max.operations || load.bytes + bytes > max.bytes);
    const ofAccount = this.#load.get(accountId) ?? { operations: 0, bytes: 0 };
    return exceeds(ofAccount, WAITING_OF_ACCOUNT) || exceeds(this.#loadOfAll, WAITING_OF_ALL);
  }

  #addLoad({ accountId, size, bytes }: Change<unknown>, sign: 1 | -1): void {
    const ofAccount = this.#load.get(accountId) ?? { operations: 0, bytes: 0 };
    this.#load.set(accountId, ofAccount);
    for (const load of [ofAccount, this.#loadOfAll]) {
      load.operations += sign * size;
      load.bytes += sign * bytes;
    }
    if (ofAccount.operations === 0) this.#load.delete(accountId);
  }
}

/** Returns true if the error does not come from one of the changes. */
function isForAll(error: unknown): boolean {
  return error instanceof AppError || isOutage(error);
}

/** Returns true if another transaction came first, or if the change wants to look at other documents. */
function cameSecond(error: unknown): boolean {
  return error instanceof RevisionTaken || error instanceof RepeatChange || isDuplicateKey(error) || wasUndone(error);
}
