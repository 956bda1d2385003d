import type { AccountIdentity } from '@waymark/auth';
import { JOBS_LISTED_MAX } from '@waymark/contract';
import type { Filter } from 'mongodb';
import type { Database } from '../database/database.ts';
import type { JobDocument, JobPartDocument, JobUndoDocument, Refusal } from '../database/documents/job.ts';
import type { JobQueueDocument } from '../database/documents/job-queue.ts';
import { linkIdRange } from '../database/ids.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import { partId, partsFrom, visibleJobs } from './job.ts';

/** How many queues a replica looks at. Those beyond them have their turn when these have ended. */
const QUEUES_MAX = 1_000;
/** A part has up to 100 links, each with a reason. */
const PARTS_AT_A_TIME = 5;

/** Reads jobs, and removes what nobody needs; changes write them. Every method throws `unavailable` in an outage. */
export class JobsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the job with this id, or null if there is none that the identity sees. */
  async find(identity: AccountIdentity, id: string): Promise<JobDocument | null> {
    return this.#findOne({ ...visibleJobs(identity), _id: id });
  }

  /** Returns the newest jobs that the identity sees. */
  async list(identity: AccountIdentity): Promise<JobDocument[]> {
    const visible = visibleJobs(identity);
    const filter = { ...visible, _id: linkIdRange(identity.accountId) };
    const hint = visible.scope === undefined ? '_id_' : 'scope';
    return this.#database.run(() =>
      this.#database.collections.jobs
        .find(filter, { ...BOUNDED_FIND, limit: JOBS_LISTED_MAX, hint })
        .sort({ _id: -1 })
        .toArray(),
    );
  }

  /** Returns the queues of all accounts. */
  async queues(): Promise<JobQueueDocument[]> {
    return this.#database.run(() =>
      this.#database.collections.jobQueues.find({}, { ...BOUNDED_FIND, limit: QUEUES_MAX }).toArray(),
    );
  }

  /** Returns the first job in the queue of an account, if this replica holds the queue, or null. */
  async next(accountId: string, holder: string): Promise<JobDocument | null> {
    const queue = await this.#database.run(() =>
      this.#database.collections.jobQueues.findOne({ _id: accountId, holder }, BOUNDED),
    );
    return queue === null ? null : this.#findOne({ _id: queue.jobs[0]! });
  }

  /** Returns how many jobs of an account are not over. */
  async unfinished(accountId: string): Promise<number> {
    const queue = await this.#database.run(() =>
      this.#database.collections.jobQueues.findOne({ _id: accountId }, BOUNDED),
    );
    return queue?.jobs.length ?? 0;
  }

  /** Adds a part of a job that has not begun. In an outage the driver may repeat it, so it is no insertion. */
  async addPart({ _id, ...part }: JobPartDocument): Promise<void> {
    await this.#database.run(() =>
      this.#database.collections.jobParts.updateOne({ _id }, { $set: part }, { ...BOUNDED, upsert: true }),
    );
  }

  /** Returns a part of a job, or null if it is done and no link was refused. */
  async part(jobId: string, position: number): Promise<JobPartDocument | null> {
    const _id = partId(jobId, position);
    return this.#database.run(() => this.#database.collections.jobParts.findOne({ _id }, BOUNDED));
  }

  /** Returns what undoes a part of a job, or null if it changed nothing. */
  async undo(jobId: string, position: number): Promise<JobUndoDocument | null> {
    const _id = partId(jobId, position);
    return this.#database.run(() => this.#database.collections.jobUndo.findOne({ _id }, BOUNDED));
  }

  /** Yields the links that a job refused so far, in pieces. No cursor is held in between. */
  async *refused({ _id }: JobDocument): AsyncGenerator<Refusal[]> {
    for (let range = partsFrom(_id, 0); ; ) {
      const parts = await this.#database.run(() =>
        this.#database.collections.jobParts
          .find({ _id: range }, { ...BOUNDED_FIND, limit: PARTS_AT_A_TIME })
          .sort({ _id: 1 })
          .toArray(),
      );
      yield parts.flatMap(({ refused }) => refused);
      if (parts.length < PARTS_AT_A_TIME) return;
      range = { ...range, $gt: parts.at(-1)!._id };
    }
  }

  /** Removes the parts of a job that nobody will do. */
  async deleteRest({ _id, position }: Pick<JobDocument, '_id' | 'position'>): Promise<void> {
    await this.#database.run(() =>
      this.#database.collections.jobParts.deleteMany({ _id: partsFrom(_id, position) }, BOUNDED),
    );
  }

  /** Removes every job of an account. */
  async deleteAllOf(accountId: string): Promise<void> {
    const { jobQueues, jobs, jobParts, jobUndo } = this.#database.collections;
    const ofAccount = { _id: linkIdRange(accountId) };
    await this.#database.run(() => jobQueues.deleteOne({ _id: accountId }, BOUNDED));
    await this.#database.run(() => jobs.deleteMany(ofAccount, BOUNDED));
    await this.#database.run(() => jobParts.deleteMany(ofAccount, BOUNDED));
    await this.#database.run(() => jobUndo.deleteMany(ofAccount, BOUNDED));
  }

  #findOne(filter: Filter<JobDocument>): Promise<JobDocument | null> {
    return this.#database.run(() => this.#database.collections.jobs.findOne(filter, BOUNDED));
  }
}
