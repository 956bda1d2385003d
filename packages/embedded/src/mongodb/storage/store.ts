import { ABORT } from 'lmdb';
import { CommandError, transientError } from '../errors.ts';
import { View } from './view.ts';

interface Job {
  run: () => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

/** A transaction that stays open across turns of the event loop. */
export interface OpenTransaction {
  /** Makes the changes visible and lasting. If it rejects, nothing was changed. */
  commit(): Promise<void>;
  /** Discards the changes. */
  abort(): Promise<void>;
}

/** How long a transaction waits for other transactions. It is shorter than their lifetime, so that deadlocks end. */
const MAX_WAIT_MS = 3000;

/**
 * The LMDB environment of one server. It has one writer at a time: either a transaction, from `begin` to its end, or
 * the jobs of `write`. Readers use the committed view and never wait.
 *
 * Durability: `write` and `commit` resolve after LMDB has committed, so an acknowledged write is in the operating
 * system's page cache and survives the death of this process at any moment, even by SIGKILL. It is not flushed to disk
 * (`noSync`): a crash of the whole machine may lose the last seconds. The embedded server is for development and tests,
 * where a flush for each write would be expensive and protect nothing of value.
 */
export class Store {
  /** What is committed, for readers. */
  readonly committed: View;
  /** What the writer sees and changes. Only inside `write`, and between `begin` and the end of the transaction. */
  readonly working: View;
  private readonly snapshots: View;
  private jobs: Job[] = [];
  private waiting: (() => void)[] = [];
  private held: OpenTransaction | undefined;
  private closed = false;

  /** Opens (or creates) the store in an existing folder. Only one process at a time may have it open. */
  constructor(folder: string) {
    this.working = new View(folder, true);
    this.committed = new View(folder, false);
    this.snapshots = new View(folder, false);
  }

  /** Returns a view of what is committed now, which must be ended before the store is closed. */
  snapshot(): View {
    return this.snapshots.snapshot();
  }

  /**
   * Runs a job that may write, with no other job at the same time, in an atomic transaction, and resolves after the
   * commit. It waits while a transaction of `begin` is open. Jobs that wait together share one commit. The writes of a
   * job that throws a CommandError are kept; any other error rolls them back.
   */
  write<T>(run: () => T): Promise<T> {
    if (this.closed) return Promise.reject(shuttingDown());
    return new Promise<T>((resolve, reject) => {
      this.jobs.push({ run, resolve, reject });
      if (this.jobs.length === 1) setImmediate(() => this.next());
    });
  }

  /**
   * Waits until no other transaction is open, and opens one. Nobody else writes until it ends, so what it reads cannot
   * change. Throws WriteConflict (112) if it waits too long.
   */
  begin(): Promise<OpenTransaction> {
    if (this.closed) return Promise.reject(shuttingDown());
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        try {
          resolve(this.open());
        } catch (error) {
          reject(error);
          this.next();
        }
      };
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((other) => other !== start);
        reject(transientError(112, 'Write conflict: other transactions are open, and the wait was too long'));
      }, MAX_WAIT_MS);
      this.waiting.push(start);
      this.next();
    });
  }

  /** Finishes accepted jobs, aborts the open transaction and closes the files. */
  async close(): Promise<void> {
    this.closed = true;
    await this.held?.abort();
    this.next();
    await this.working.root.close();
    await this.committed.root.close();
    await this.snapshots.root.close();
  }

  /** Lets the jobs write that wait, then the next transaction. */
  private next(): void {
    if (this.held) return;
    const { jobs } = this;
    this.jobs = [];
    if (jobs.length > 0) this.commit(jobs);
    this.waiting.shift()?.();
  }

  private open(): OpenTransaction {
    if (this.closed) throw shuttingDown();
    let end!: (outcome: typeof ABORT | undefined) => void;
    const outcome = new Promise<typeof ABORT | undefined>((resolve) => {
      end = resolve;
    });
    // LMDB commits or aborts when the callback's promise resolves.
    const ended = this.working.root.transactionSync(() => outcome);
    const finish = async (how: typeof ABORT | undefined) => {
      end(how);
      try {
        await ended;
        if (how === ABORT) this.forgetChanges();
        else this.publish();
      } catch (error) {
        this.forgetChanges();
        throw error;
      } finally {
        this.held = undefined;
        this.next();
      }
    };
    this.held = { commit: () => finish(undefined), abort: () => finish(ABORT) };
    return this.held;
  }

  private commit(jobs: readonly Job[]): void {
    const outcomes: { value?: unknown; error?: unknown }[] = [];
    try {
      this.working.root.transactionSync(() => {
        for (const job of jobs) {
          try {
            outcomes.push({ value: job.run() });
          } catch (error) {
            if (!(error instanceof CommandError)) throw error; // aborts the transaction
            outcomes.push({ error });
          }
        }
      });
    } catch (error) {
      this.forgetChanges();
      // One failed job must not affect the others: each runs again in its own transaction.
      if (jobs.length > 1) for (const job of jobs) this.commit([job]);
      else jobs[0]?.reject(error);
      return;
    }
    this.publish();
    jobs.forEach((job, at) => {
      const outcome = outcomes[at] as { value?: unknown; error?: unknown };
      if (outcome.error !== undefined) job.reject(outcome.error);
      else job.resolve(outcome.value as never);
    });
  }

  /** Lets readers see what was committed. */
  private publish(): void {
    this.committed.root.resetReadTxn();
    if (!this.working.catalog.isChanged) return;
    this.working.catalog.isChanged = false;
    this.committed.catalog.reload();
  }

  private forgetChanges(): void {
    if (this.working.catalog.isChanged) this.working.catalog.reload();
  }
}

const shuttingDown = () => new CommandError(91, 'the server is shutting down');
