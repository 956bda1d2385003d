import { AppError, selectionOf } from '@waymark/contract';
import type { Logger } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import { Gauge, type Registry } from 'prom-client';
import type { AccountDraft } from '../changes/account-draft.ts';
import { allReads } from '../changes/all-of.ts';
import type { Change } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { JobDocument } from '../database/documents/job.ts';
import type { Lease } from '../database/documents/lease.ts';
import type { HostsStore } from '../hosts/hosts.store.ts';
import { LeasedWork } from '../leases/leased-work.ts';
import { LINK_CHANGE_BYTES } from '../links/link-changes.ts';
import { chooseHost } from '../links/link-host.ts';
import type { LinksStore } from '../links/links.store.ts';
import type { ListsService } from '../lists/lists.service.ts';
import type { ShortUrls } from '../slugs/short-urls.ts';
import { type HeldJob, releaseQueue, takeQueue } from './job-queue.ts';
import { adding, doing, ending, type FoundLinks, type PartWork, type StepResult } from './job-steps.ts';
import type { JobsStore } from './jobs.store.ts';
import { deletion, edit, type PartItem, undoing } from './part-items.ts';
import { workOnRows } from './row-items.ts';

export interface JobRunnerDeps {
  jobs: JobsStore;
  lists: Pick<ListsService, 'scan'>;
  links: Pick<LinksStore, 'idsOfImportedRows'>;
  changes: Pick<ChangeQueue, 'run'>;
  hosts: Pick<HostsStore, 'idsOf'>;
  shortUrls: Pick<ShortUrls, 'isShortUrl'>;
  logger: Logger;
  registry: Registry;
  /** See {@link LeasedWork}. */
  stopwatch: (() => number) | undefined;
}

const LEASE_BYTES = 256;
/** How often a step may fail by a fault of the service before its job fails. An outage is none. */
const FAULTS_MAX = 3;
const FAULTS_KEPT = 1_000;
const FAULTS_NOTICE = 'An internal error stopped the job three times. Its cause is in the log of links-svc.';
/** A step that finds links ends after this many, or after this long. Both only say how often the position is stored. */
const FOUND_MAX = 2_000;
const FIND_STEP_MS = 500;

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
      stopwatch: deps.stopwatch,
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
  async #runAll({ _id: accountId, beat }: Lease, end: AbortSignal): Promise<void> {
    const { jobs, changes } = this.#deps;
    const { holder } = this.#work;
    try {
      if (!(await changes.run(ofQueue(accountId, (draft) => takeQueue(draft, { seenBeat: beat, holder }))))) return;
      while (!end.aborted) {
        const job = await jobs.next(accountId, holder);
        if (job === null) return;
        await this.#run({ job, holder }, end);
      }
      await changes.run(ofQueue(accountId, (draft) => releaseQueue(draft, holder)));
    } catch (error) {
      // The account is being deleted, and its jobs with it.
      if (error instanceof AppError && error.code === 'unauthenticated') return;
      throw error;
    }
  }

  /** Runs a job until it is over, this replica has lost it, or `end` aborts. */
  async #run({ job, holder }: HeldJob, end: AbortSignal): Promise<void> {
    try {
      let current: StepResult = job;
      while (current !== null && current.finished_at === null && !end.aborted) {
        const held: HeldJob = { job: current, holder };
        current = current.found ? await this.#doPart(held) : await this.#findLinks(held);
      }
      if (current?.finished_at === null) return;
      this.#faults.delete(job._id);
      if (current?.state === 'failed') await this.#deps.jobs.deleteRest(current);
    } catch (error) {
      const notice = isRefusal(error) ? error.message : this.#noteFault(job, error);
      if (notice !== null) await this.#fail({ job, holder }, notice);
      if (!isRefusal(error)) throw error;
    }
  }

  /** Puts links that the job's filter finds into parts, from where the job looked last. */
  async #findLinks(held: HeldJob): Promise<StepResult> {
    const { lists, changes } = this.#deps;
    const { account_id, scope, key, filter, last_id } = held.job;
    if (filter!.ids !== undefined)
      return changes.run(
        adding(held, { ids: [...new Set(filter!.ids)].sort(), archived: 0, lastId: '', isLast: true }),
      );
    const selection = selectionOf(filter!);
    const untilMs = performance.now() + FIND_STEP_MS;
    const ids: string[] = [];
    let found: FoundLinks;
    let archived = 0;
    let lastId = last_id;
    do {
      found = await lists.scan({ accountId: account_id, scope, key }, selection, lastId);
      ids.push(...found.ids);
      archived += found.archived;
      lastId = found.lastId;
    } while (!found.isLast && ids.length < FOUND_MAX && performance.now() < untilMs);
    return changes.run(adding(held, { ...found, ids, archived }));
  }

  /** Does the next part of a job. */
  async #doPart(held: HeldJob): Promise<StepResult> {
    const { changes } = this.#deps;
    const { job } = held;
    if (job.position >= job.parts) return changes.run(ending(held, { state: 'done' }));
    return changes.run(doing(held, await this.#partWork(job)));
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

  /**
   * Counts a fault of the service. Returns a notice for a job that had so many that it fails, so that it does not keep
   * others waiting, or null. An outage is no fault: the job goes on when it has ended.
   */
  #noteFault({ _id }: JobDocument, error: unknown): string | null {
    if (error instanceof AppError && error.code !== 'internal') return null;
    const faults = (this.#faults.get(_id) ?? 0) + 1;
    this.#faults.set(_id, faults);
    return faults < FAULTS_MAX ? null : FAULTS_NOTICE;
  }

  async #fail(held: HeldJob, notice: string): Promise<void> {
    const failed = await this.#deps.changes.run(ending(held, { state: 'failed', notice }));
    this.#faults.delete(held.job._id);
    if (failed !== null) await this.#deps.jobs.deleteRest(failed);
  }
}

/** Returns true if an error says what is wrong with the job. So it would come again. */
function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.httpStatus < 500 && error.code !== 'unauthenticated';
}

function workOnLinks(items: readonly PartItem[], { change }: JobDocument): PartWork {
  return {
    items,
    unlisted: 0,
    reads: () => ({
      ...allReads(items.map((item) => item.reads?.() ?? {})),
      links: items.map(({ id }) => id),
    }),
    bytes: items.length * (LINK_CHANGE_BYTES + 2 * JSON.stringify(change ?? '').length),
  };
}

/** Returns a change of the lease on the queue of an account. */
function ofQueue<Result>(accountId: string, decide: (draft: AccountDraft) => Result): Change<Result> {
  return { accountId, size: 1, bytes: LEASE_BYTES, reads: () => ({ jobQueues: [accountId] }), decide };
}
