import { mkdirSync } from 'node:fs';
import { type Database, open, type RootDatabase } from 'lmdb';
import { CommandError } from '../errors.ts';
import { Catalog } from './catalog.ts';

interface Job {
  run: () => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

/**
 * The LMDB environment of one server. All writes go through `write`.
 *
 * Durability: `write` resolves after LMDB has committed, so an acknowledged write is in the operating system's page
 * cache and survives the death of this process at any moment, even by SIGKILL. It is not flushed to disk (`noSync`): a
 * crash of the whole machine may lose the last seconds. The embedded server is for development and tests, where a flush
 * for each write would be expensive and protect nothing of value.
 */
export class Store {
  readonly documents: Database<Buffer, Buffer>;
  readonly entries: Database<Buffer, Buffer>;
  /** One record for each session that wrote: the last transaction number and its reply. */
  readonly sessions: Database<Buffer, string>;
  readonly catalog: Catalog;
  private readonly root: RootDatabase;
  private jobs: Job[] = [];
  private closed = false;

  /** Opens (or creates) the store in a folder. Only one process at a time may have it open. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.root = open({ path: folder, noSync: true, noMemInit: true, maxDbs: 8 });
    this.documents = this.root.openDB({ name: 'documents', encoding: 'binary', keyEncoding: 'binary' });
    this.entries = this.root.openDB({ name: 'entries', encoding: 'binary', keyEncoding: 'binary' });
    this.sessions = this.root.openDB({ name: 'sessions', encoding: 'binary' });
    this.catalog = new Catalog(this.root.openDB({ name: 'catalog', encoding: 'binary' }), this);
  }

  /**
   * Runs a job that may write, with no other job at the same time, in an atomic transaction, and resolves after the
   * commit. Jobs that arrive in the same turn of the event loop share one commit. The writes of a job that throws a
   * CommandError are kept; any other error rolls them back.
   */
  write<T>(run: () => T): Promise<T> {
    if (this.closed) return Promise.reject(new CommandError(91, 'the server is shutting down'));
    return new Promise<T>((resolve, reject) => {
      this.jobs.push({ run, resolve, reject });
      if (this.jobs.length === 1) setImmediate(() => this.flush());
    });
  }

  /** Finishes accepted jobs and closes the files. */
  async close(): Promise<void> {
    this.closed = true;
    this.flush();
    await this.root.close();
  }

  private flush(): void {
    const { jobs } = this;
    this.jobs = [];
    if (jobs.length > 0) this.commit(jobs);
  }

  private commit(jobs: readonly Job[]): void {
    const outcomes: { value?: unknown; error?: unknown }[] = [];
    try {
      this.root.transactionSync(() => {
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
      this.catalog.reload();
      // One failed job must not affect the others: each runs again in its own transaction.
      if (jobs.length > 1) for (const job of jobs) this.commit([job]);
      else jobs[0]?.reject(error);
      return;
    }
    jobs.forEach((job, at) => {
      const outcome = outcomes[at] as { value?: unknown; error?: unknown };
      if (outcome.error !== undefined) job.reject(outcome.error);
      else job.resolve(outcome.value as never);
    });
  }
}
