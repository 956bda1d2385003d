import { setTimeout as sleep } from 'node:timers/promises';
import { type AccountIdentity, requireNeed } from '@waymark/auth';
import {
  AppError,
  isOver,
  JOB_NOT_FOUND_MESSAGE,
  JOB_WAIT_MS,
  type Job,
  type JobInput,
  type JobKind,
  type Link,
  type Need,
} from '@waymark/contract';
import { timeLeftMs } from '@waymark/service-kit';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { Change } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { JobDocument, ReadFile, Refusal } from '../database/documents/job.ts';
import { newJobId } from '../database/ids.ts';
import type { HostsStore } from '../hosts/hosts.store.ts';
import { jobFingerprintOf } from '../idempotency/idempotency.ts';
import type { IdempotentRequests } from '../idempotency/idempotent-requests.ts';
import { toLink } from '../links/link.ts';
import { chooseHost, linkHostOf } from '../links/link-host.ts';
import { LinkScope } from '../links/link-scope.ts';
import type { LinksStore } from '../links/links.store.ts';
import type { ListsService } from '../lists/lists.service.ts';
import { checkDestinations } from '../slugs/destinations.ts';
import type { ShortUrls } from '../slugs/short-urls.ts';
import { type BegunJob, beginJob, type NewJob } from './begin-job.ts';
import { seesJob, toJob } from './job.ts';
import { checkScopeOfJobChange } from './job-change-scope.ts';
import { endJob, requireRoom } from './job-queue.ts';
import type { JobRunner } from './job-runner.ts';
import { titleOf, undoTitleOf } from './job-title.ts';
import type { JobsStore } from './jobs.store.ts';

export interface JobsServiceDeps {
  jobs: JobsStore;
  links: Pick<LinksStore, 'findMany'>;
  changes: Pick<ChangeQueue, 'run'>;
  idempotency: IdempotentRequests;
  runner: Pick<JobRunner, 'wake'>;
  lists: Pick<ListsService, 'checkSearch'>;
  hosts: Pick<HostsStore, 'idsOf'>;
  shortUrls: Pick<ShortUrls, 'isShortUrl'>;
  /** The beginning of every short URL, without a slash at the end. */
  publicUrl: string;
  /** The clock, in milliseconds. */
  now(): number;
}

/** About how many bytes a change of a job writes besides what was sent. */
const CHANGE_BYTES = 2_048;
const REFUSALS_SHOWN = 20;

/** What it takes to undo a job: the undo of an import deletes links. */
const UNDO_NEED_OF: Record<JobKind, Need> = {
  edit: 'update',
  import: 'delete',
  // Neither can be undone.
  delete: 'account',
  undo: 'account',
};
/** What it takes to cancel a job: as much as to begin it. */
const NEED_OF: Record<JobKind, Need> = {
  edit: 'update',
  delete: 'delete',
  import: 'create',
  undo: ['update', 'delete'],
};
const FIRST_LOOK_MS = 20;
const LOOK_MAX_MS = 250;

/** The start of a job, as a client asks for it. */
interface Start {
  identity: AccountIdentity;
  /** Begins the job. */
  change: Change<BegunJob>;
  /** A hash of what was sent, which a repetition has too. */
  fingerprint: string;
  idempotencyKey: string | undefined;
}

/** An import whose file was read and stored. */
export interface StoredImport {
  id: string;
  parts: number;
  rows: number;
  title: string;
  file: ReadFile;
  /** A hash of what was sent. */
  fingerprint: string;
}

/** A job, and what it refused or would change. */
export interface JobDetails {
  job: Job;
  refusals: Refusal[];
  examples: Link[];
}

/** The use cases of jobs, for an identity. Every method throws `unavailable` in an outage. */
export class JobsService {
  readonly #deps: JobsServiceDeps;

  constructor(deps: JobsServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Begins a job on the links that its filter finds, and waits up to four seconds for its end. With an
   * `Idempotency-Key`, a repetition within a day returns the same job in its current state.
   * @throws {AppError} `forbidden` for what the scope does not allow, `invalid`, `rate_limited` if too many jobs wait.
   */
  async start(identity: AccountIdentity, input: JobInput, idempotencyKey?: string): Promise<Job> {
    const { change, ...rest } = input;
    requireNeed(identity, input.kind === 'edit' ? 'update' : 'delete');
    checkScopeOfJobChange(identity, change ?? {});
    checkDestinations(change ?? {}, this.#deps.shortUrls);
    await this.#deps.lists.checkSearch(identity, rest.filter.q);
    linkHostOf(await chooseHost(this.#deps.hosts, identity.accountId, change?.host));
    const work = { ...rest, title: titleOf(input), ...(change !== undefined && { change }) };
    return this.#start({
      identity,
      change: this.#beginning({ id: this.#newId(identity), identity, work }),
      fingerprint: jobFingerprintOf(input),
      idempotencyKey,
    });
  }

  /** @throws {AppError} `rate_limited` if too many jobs of the account wait. */
  async requireRoom({ accountId }: AccountIdentity): Promise<void> {
    requireRoom(await this.#deps.jobs.unfinished(accountId));
  }

  /**
   * Begins an import whose rows are stored under the id of the job, and returns the job without waiting for its end. With an
   * `Idempotency-Key`, a repetition within a day returns the same job in its current state.
   * @throws {AppError} `rate_limited` if too many jobs wait. `unavailable` if it is unknown whether the import has begun.
   */
  async startImport(
    identity: AccountIdentity,
    { id, parts, rows, title, file, fingerprint }: StoredImport,
    idempotencyKey?: string,
  ): Promise<Job> {
    const work = { kind: 'import', dry_run: false, title, file, parts, found: true, matched: rows } as const;
    const change = this.#beginning({ id, identity, work });
    const begun = await this.#once({ identity, change, fingerprint, idempotencyKey });
    this.#deps.runner.wake();
    return this.get(identity, begun.id);
  }

  /**
   * Returns a job.
   * @throws {AppError} `not_found`.
   */
  async get(identity: AccountIdentity, id: string): Promise<Job> {
    return toJob(await this.#find(identity, id), identity);
  }

  /**
   * Returns a job with its first refusals and, of a dry run, the first links that it would change, as they are now.
   * @throws {AppError} `not_found`.
   */
  async details(identity: AccountIdentity, id: string): Promise<JobDetails> {
    const job = await this.#find(identity, id);
    const refusals: Refusal[] = [];
    for await (const rows of (await this.refused(identity, id)).rows) {
      refusals.push(...rows);
      if (refusals.length >= REFUSALS_SHOWN) break;
    }
    const found = await this.#deps.links.findMany(new LinkScope(identity), job.examples ?? []);
    return {
      job: toJob(job, identity),
      refusals: refusals.slice(0, REFUSALS_SHOWN),
      examples: found.map((link) => toLink(link, this.#deps.publicUrl)),
    };
  }

  /** Returns the jobs of the last 30 days, newest first. */
  async list(identity: AccountIdentity): Promise<Job[]> {
    return (await this.#deps.jobs.list(identity)).map((job) => toJob(job, identity));
  }

  /**
   * Ends a job. What it did stays.
   * @throws {AppError} `not_found`, or `invalid` if it is over.
   */
  async cancel(identity: AccountIdentity, id: string): Promise<Job> {
    const { changes, jobs } = this.#deps;
    const job = await this.#find(identity, id);
    const cancelled = await changes.run<JobDocument>({
      accountId: job.account_id,
      size: 1,
      bytes: CHANGE_BYTES,
      reads: () => ({ jobQueues: [job.account_id], jobs: [id] }),
      decide: (draft) => {
        const current = foundJob(draft, identity, id);
        requireNeed(identity, NEED_OF[current.kind]);
        if (isOver(current.state)) throw new AppError('invalid', 'This job is over; it cannot be cancelled.');
        return endJob(draft, current, { state: 'cancelled' });
      },
    });
    // The job is cancelled in any case, and an index deletes what is left.
    await jobs.deleteRest(cancelled).catch(() => {});
    return toJob(cancelled, identity);
  }

  /**
   * Begins a job that undoes another one, and waits for it like {@link start}.
   * @throws {AppError} `not_found`, `invalid` if the job cannot be undone, `rate_limited` if too many jobs wait.
   */
  async undo(identity: AccountIdentity, id: string, idempotencyKey?: string): Promise<Job> {
    await this.#find(identity, id);
    const { accountId } = identity;
    const newId = this.#newId(identity);
    const change: Change<BegunJob> = {
      accountId,
      size: 1,
      bytes: CHANGE_BYTES,
      reads: () => ({ jobQueues: [accountId], jobs: [id] }),
      decide: (draft) => {
        const undone = foundJob(draft, identity, id);
        requireNeed(identity, UNDO_NEED_OF[undone.kind]);
        checkUndo(undone, draft.now);
        const { created, changed, position } = undone;
        const title = undoTitleOf(undone.title ?? undone.kind);
        const work = { kind: 'undo', dry_run: false, title, undo_of: id, found: true, parts: position } as const;
        // It may be refused, so it comes before the mark.
        const begun = beginJob(draft, { id: newId, identity, work: { ...work, matched: created + changed } });
        draft.documents.jobs.put({ ...undone, undo_until: null });
        return begun;
      },
    };
    return this.#start({ identity, change, fingerprint: jobFingerprintOf({ kind: 'undo', id }), idempotencyKey });
  }

  /**
   * Yields what a job refused so far, in pieces, with the kind of the job: links, without those that the identity does
   * not see by now, or rows of its file.
   * @throws {AppError} `not_found`.
   */
  async refused(identity: AccountIdentity, id: string): Promise<{ kind: JobKind; rows: AsyncIterable<Refusal[]> }> {
    const job = await this.#find(identity, id);
    const { jobs, links } = this.#deps;
    const scope = new LinkScope(identity);
    async function* visible(): AsyncGenerator<Refusal[]> {
      for await (const rows of jobs.refused(job)) {
        if (scope.seesAll || job.kind === 'import') yield rows;
        else {
          const found = await links.findMany(
            scope,
            rows.map((row) => row.id),
          );
          const ids = new Set(found.map(({ _id }) => _id));
          yield rows.filter((row) => ids.has(row.id));
        }
      }
    }
    return { kind: job.kind, rows: visible() };
  }

  /** Begins a job, and waits for its end. */
  async #start(start: Start): Promise<Job> {
    const leftMs = timeLeftMs(JOB_WAIT_MS + LOOK_MAX_MS) - LOOK_MAX_MS;
    const untilMs = performance.now() + Math.min(JOB_WAIT_MS, leftMs);
    const { id } = await this.#once(start);
    this.#deps.runner.wake();
    return this.#waitFor(start.identity, id, untilMs);
  }

  /** Begins a job. A repetition with the same `Idempotency-Key` returns the job that has begun. */
  async #once({ identity, change, fingerprint, idempotencyKey: key }: Start): Promise<BegunJob> {
    const { changes, idempotency } = this.#deps;
    if (key === undefined) return changes.run(change);
    const prepare = async () => change;
    const { answer } = await idempotency.once(identity, { key, fingerprint, password: null, prepare });
    if ('error' in answer) throw new AppError(answer.error.code, answer.error.message);
    return answer.result;
  }

  /** Returns the change that begins a job. */
  #beginning(job: NewJob): Change<BegunJob> {
    const { accountId } = job.identity;
    return {
      accountId,
      size: 1,
      bytes: CHANGE_BYTES + JSON.stringify(job.work).length,
      reads: () => ({ jobQueues: [accountId] }),
      decide: (draft) => beginJob(draft, job),
    };
  }

  #newId({ accountId }: AccountIdentity): string {
    return newJobId(accountId, this.#deps.now());
  }

  /** Returns a job once it is over, or as it is when the time has run out. */
  async #waitFor(identity: AccountIdentity, id: string, untilMs: number): Promise<Job> {
    let job = await this.#find(identity, id);
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LOOK_MAX_MS)) {
      if (isOver(job.state) || performance.now() + pauseMs >= untilMs) return toJob(job, identity);
      await sleep(pauseMs);
      // The job has begun: a look that takes too long is no reason to fail the request.
      const found = await Promise.race([this.#find(identity, id), sleep(Math.max(0, untilMs - performance.now()))]);
      if (found === undefined) return toJob(job, identity);
      job = found;
    }
  }

  async #find(identity: AccountIdentity, id: string): Promise<JobDocument> {
    const job = await this.#deps.jobs.find(identity, id);
    if (job === null) throw notFound();
    return job;
  }
}

/** @throws {AppError} `not_found` if the identity does not see the job, which a transaction has read. */
function foundJob({ documents }: AccountDraft, identity: AccountIdentity, id: string): JobDocument {
  const job = documents.jobs.get(id);
  if (job === null || !seesJob(identity, job)) throw notFound();
  return job;
}

/** @throws {AppError} `invalid` if a job cannot be undone. */
function checkUndo({ kind, state, dry_run, created, changed, undo_until }: JobDocument, now: Date): void {
  const refuse = (message: string) => new AppError('invalid', message);
  if (kind === 'delete') throw refuse('A deletion cannot be undone.');
  if (kind === 'undo') throw refuse('An undo cannot be undone.');
  if (!isOver(state)) throw refuse('This job is not over; cancel it first.');
  if (dry_run) throw refuse('This job was a dry run; it changed nothing.');
  if (created + changed === 0) throw refuse('This job changed nothing.');
  if (undo_until === null) throw refuse('This job was undone already.');
  if (undo_until <= now) throw refuse(`This job could be undone until ${undo_until.toISOString()}.`);
}

function notFound(): AppError {
  return new AppError('not_found', JOB_NOT_FOUND_MESSAGE);
}
