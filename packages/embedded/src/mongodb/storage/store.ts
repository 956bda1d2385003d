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
 * The LMDB environment of one server and the single door for writes.
 *
 * Durability: `write` resolves after LMDB committed, so what was acknowledged is in the operating system's page cache
 * and survives the death of this process at any moment, SIGKILL included. It is not flushed to the disk (`noSync`): a
 * crash of the whole machine may lose the last seconds. The embedded server is for development and tests, where a
 * flush for each write would cost a hundred times the write itself and protect nothing that matters there.
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

  /** Opens (or creates) the store in a folder. One process at a time may have it open. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.root = open({ path: folder, noSync: true, noMemInit: true, maxDbs: 8 });
    this.documents = this.root.openDB({ name: 'documents', encoding: 'binary', keyEncoding: 'binary' });
    this.entries = this.root.openDB({ name: 'entries', encoding: 'binary', keyEncoding: 'binary' });
    this.sessions = this.root.openDB({ name: 'sessions', encoding: 'binary' });
    this.catalog = new Catalog(this.root.openDB({ name: 'catalog', encoding: 'binary' }), this);
  }

  /**
   * Runs a job that may write, alone and in one transaction that is all or nothing, and resolves once it is committed.
   * Jobs that arrive in the same turn of the event loop share one commit. A job that throws a CommandError must have
   * written only what shall stay; any other error rolls its writes back.
   */
  write<T>(run: () => T): Promise<T> {
    if (this.closed) return Promise.reject(new CommandError(1, 'the server is shutting down'));
    return new Promise<T>((resolve, reject) => {
      this.jobs.push({ run, resolve, reject });
      if (this.jobs.length === 1) setImmediate(() => this.flush());
    });
  }

  /** Finishes what was accepted and closes the files. */
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
            if (!(error instanceof CommandError)) throw error; // leaves the transaction: nothing of it is kept
            outcomes.push({ error });
          }
        }
      });
    } catch (error) {
      this.catalog.reload();
      // One job's failure is not the others': they run again, each in a transaction of its own.
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
