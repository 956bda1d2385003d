import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import type { Lease, LeaseDocument } from '../database/documents/lease.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';

/** The beat of a lease that nobody has had yet. */
const NEVER_HELD = '';

/** The leases on work that has no other document. Every method throws `unavailable` in an outage. */
export class LeasesStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the leases with these names. */
  async list(names: readonly string[]): Promise<Lease[]> {
    const found = await this.#database.run(() =>
      this.#leases.find({ _id: { $in: [...names] } }, BOUNDED_FIND).toArray(),
    );
    return names.map((_id) => found.find((lease) => lease._id === _id) ?? { _id, holder: null, beat: NEVER_HELD });
  }

  /** Takes a lease that is as it was seen. Returns false if it is not. */
  async take({ _id, beat }: Lease, holder: string): Promise<boolean> {
    const taken: LeaseDocument = { _id, holder, beat: randomUUID() };
    if (beat !== NEVER_HELD) return this.#update({ _id, beat }, { holder, beat: taken.beat });
    try {
      await this.#database.run(() => this.#leases.insertOne(taken, BOUNDED));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Renews leases. Returns the names of those that this replica still holds. */
  async renew(names: readonly string[], holder: string): Promise<readonly string[]> {
    const held = { _id: { $in: [...names] }, holder };
    const { matchedCount } = await this.#database.run(() =>
      this.#leases.updateMany(held, { $set: { beat: randomUUID() } }, BOUNDED),
    );
    if (matchedCount === names.length) return names;
    const found = await this.#database.run(() => this.#leases.find(held, BOUNDED_FIND).toArray());
    return found.map(({ _id }) => _id);
  }

  /** Gives a lease back, if this replica holds it. */
  async release(_id: string, holder: string): Promise<void> {
    await this.#update({ _id, holder }, { holder: null });
  }

  async #update(filter: Partial<LeaseDocument>, $set: Partial<LeaseDocument>): Promise<boolean> {
    const { matchedCount } = await this.#database.run(() => this.#leases.updateOne(filter, { $set }, BOUNDED));
    return matchedCount === 1;
  }

  get #leases() {
    return this.#database.collections.leases;
  }
}
