import { AppError, selectionOf } from '@waymark/contract';
import type { Logger } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import { Gauge, type Registry } from 'prom-client';
import type { AccountDraft } from '../changes/account-draft.ts';
import { allReads } from '../changes/all-of.ts';
import type { Change } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { JobDocument } from '../database/documents/job.ts';
import type { Lease } from '../database/documents/job-queue.ts';
import type { HostsStore } from '../hosts/hosts.store.ts';
import { LeasedWork } from '../leases/leased-work.ts';
import { LINK_CHANGE_BYTES } from '../links/link-changes.ts';
import { chooseHost } from '../links/link-host.ts';
import type { LinksStore } from '../links/links.store.ts';
import type { ListsService } from '../lists/lists.service.ts';
import type { ShortUrls } from '../slugs/short-urls.ts';
import { setHolder } from './job-queue.ts';
import { adding, doing, ending, type PartWork, type StepResult } from './job-steps.ts';
import type { JobsStore } from './jobs.store.ts';
import { deletion, edit, type PartItem, undoing } from './part-items.ts';
import { workOnRows } from './row-items.ts';

export interface JobRunnerDeps {
  jobs: JobsStore;
  lists: Pick<ListsService, 'ids'>;
  links: Pick<LinksStore, 'idsOfImportedRows'>;
  changes: Pick<ChangeQueue, 'run'>;
  hosts: Pick<HostsStore, 'idsOf'>;
  shortUrls: Pick<ShortUrls, 'isShortUrl'>;
  logger: Logger;
  registry: Registry;
}

const LEASE_BYTES = 256;
/** How often a step may fail by a fault of the service before its job fails. An outage is none. */
const FAULTS_MAX = 3;
const FAULTS_KEPT = 1_000;

/** Runs the jobs of all accounts, shared with the other replicas: one job of an account at a time, in its order. */
export class JobRunner {
  readonly #deps: JobRunnerDeps;
  readonly #work: LeasedWork;
  /** How often each job failed by a fault of the service. */
  readonly #faults = new LRUCache<string, number>({ max: FAULTS_KEPT });
  /** The jobs of all accounts that are not over, at the last look. */
  #unfinished = 0;

  constructor(deps: JobRunnerDeps) {
    this.#deps = deps;
    this.#work = new LeasedWork({
      list: async () => {
        const queues = await deps.jobs.queues();
        this.#unfinished = queues.reduce((sum, { jobs }) => sum + jobs.length, 0);
        return queues;
      },
      work: (lease, end) => this.#runAll(lease, end),
      onError: (err) => deps.logger.warn({ err }, 'a job could not go on; trying again'),
    });
    const gauge = (name: string, help: string, value: () => number) =>
      new Gauge({
        name,
        help,
        registers: [deps.registry],
        collect() {
          this.set(value());
        },
      });
    gauge('jobs_unfinished', 'Jobs of all accounts that wait or run.', () => this.#unfinished);
    gauge('jobs_running', 'Jobs that this replica runs.', () => this.#work.running);
  }

  /** Starts to run jobs, until it is closed. */
  start(): { close(): Promise<void> } {
    this.#work.start();
    return { close: () => this.#work.close() };
  }

  /** Notices a new job at once. */
  wake(): void {
    this.#work.wake();
  }

  /** Runs the jobs of an account until none is left or `end` aborts. */
  async #runAll({ _id: accountId, revision }: Lease, end: AbortSignal): Promise<void> {
    const { jobs, changes } = this.#deps;
    const { holder } = this.#work;
    try {
      if (!(await changes.run(changingHolder(accountId, (draft) => setHolder(draft, { revision }, holder))))) return;
      while (!end.aborted) {
        const job = await jobs.next(accountId, holder);
        if (job === null) return;
        await this.#run(job, end);
      }
      await changes.run(changingHolder(accountId, (draft) => setHolder(draft, { holder }, null)));
    } catch (error) {
      // The account is being deleted, and its jobs with it.
      if (error instanceof AppError && error.code === 'unauthenticated') return;
      throw error;
    }
  }

  /** Runs a job until it is over, this replica has lost it, or `end` aborts. */
  async #run(job: JobDocument, end: AbortSignal): Promise<void> {
    try {
      let current: StepResult = job;
      while (current !== null && current.finished_at === null && !end.aborted)
        current = current.found ? await this.#doPart(current) : await this.#findLinks(current, end);
      if (current?.finished_at === null) return;
      this.#faults.delete(job._id);
      if (current?.state === 'failed') await this.#deps.jobs.deleteRest(current);
    } catch (error) {
      await this.#noteFault(job, error);
      throw error;
    }
  }

  /** Puts the links that the job's filter finds into parts. If it was interrupted, it goes on after the last one. */
  async #findLinks(job: JobDocument, end: AbortSignal): Promise<StepResult> {
    const { lists, changes } = this.#deps;
    const { holder } = this.#work;
    const identity = { accountId: job.account_id, scope: job.scope };
    let current: JobDocument = job;
    let ids: string[] = [];
    for await (const next of lists.ids(identity, selectionOf(job.filter!), job.last_id)) {
      if (ids.length > 0) {
        const added = await changes.run(adding(current, ids, false, holder));
        if (added === null || added.finished_at !== null || end.aborted) return added;
        current = added;
      }
      ids = next;
    }
    return changes.run(adding(current, ids, true, holder));
  }

  /** Does the next part of a job. */
  async #doPart(job: JobDocument): Promise<StepResult> {
    const { changes } = this.#deps;
    const { holder } = this.#work;
    if (job.position >= job.parts) return changes.run(ending(job, 'done', holder));
    return changes.run(doing(job, await this.#partWork(job), holder));
  }

  async #partWork(job: JobDocument): Promise<PartWork> {
    const { jobs, hosts, shortUrls } = this.#deps;
    if (job.undo_of !== undefined) {
      const { links } = (await jobs.undo(job.undo_of, job.position)) ?? { links: [] };
      return workOnLinks(links.map(undoing), job);
    }
    const { ids, rows } = (await jobs.part(job._id, job.position)) ?? { ids: [] };
    if (job.kind === 'import') {
      // Without its rows, the part must not count as done.
      if (rows === undefined) throw new Error(`part ${job.position} of job ${job._id} is missing`);
      return workOnRows(rows, job, this.#deps);
    }
    const { change } = job;
    const host = change?.host === undefined ? undefined : await chooseHost(hosts, job.account_id, change.host);
    return workOnLinks(
      ids.map((id) => (change === undefined ? deletion(id) : edit(id, change, host, shortUrls))),
      job,
    );
  }

  /** Counts a fault of the service. After a few, the job fails, so that it does not keep others waiting. */
  async #noteFault(job: JobDocument, error: unknown): Promise<void> {
    if (error instanceof AppError) return;
    const faults = (this.#faults.get(job._id) ?? 0) + 1;
    this.#faults.set(job._id, faults);
    if (faults < FAULTS_MAX) return;
    this.#faults.delete(job._id);
    const failed = await this.#deps.changes.run(ending(job, 'failed', this.#work.holder));
    if (failed !== null) await this.#deps.jobs.deleteRest(failed);
  }
}

function workOnLinks(items: readonly PartItem[], { change }: JobDocument): PartWork {
  return {
    items,
    reads: () => ({
      ...allReads(items.map((item) => item.reads?.() ?? {})),
      links: items.map(({ id }) => id),
    }),
    bytes: items.length * (LINK_CHANGE_BYTES + 2 * JSON.stringify(change ?? '').length),
  };
}

function changingHolder(accountId: string, decide: (draft: AccountDraft) => boolean): Change<boolean> {
  return { accountId, size: 1, bytes: LEASE_BYTES, reads: () => ({ jobQueues: [accountId] }), decide };
}
