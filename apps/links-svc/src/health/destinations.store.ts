import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { CheckedHostDocument, CheckStep, DestinationDocument } from '../database/documents/destination.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import type { Known } from './health.ts';

/** What follows a check: what is known by then, and when the next one is due. */
export interface Checked {
  known: Known;
  next: Date;
}

const NEVER = new Date(0);
const DELETED_AT_A_TIME = 1_000;

/** Returns the id of the destination with this URL. */
export function destinationId(url: string): string {
  return createHash('sha256').update(url).digest('base64url');
}

/** Returns the name that counts requests to the host of a URL. */
export function hostToAsk(url: string): string {
  return new URL(url).hostname;
}

/** The destinations that are checked, and their hosts. Every method throws `unavailable` in an outage. */
export class DestinationsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the destinations with these URLs that are known, by their URLs. */
  async find(urls: readonly string[]): Promise<Map<string, DestinationDocument>> {
    const found = await this.#database.run(() =>
      this.#destinations.find({ _id: { $in: urls.map(destinationId) } }, BOUNDED_FIND).toArray(),
    );
    return new Map(found.map((one) => [one.url, one]));
  }

  /** Notes that links of an account with clicks have these destinations. A new one, which is not `known`, is due at once. */
  async want(
    accountId: string,
    urls: readonly string[],
    { known, now }: { known: ReadonlyMap<string, DestinationDocument>; now: Date },
  ): Promise<void> {
    if (urls.length === 0) return;
    const isOfAnother = (url: string) => known.has(url) && known.get(url)!.account_id !== accountId;
    await this.#database.run(() =>
      this.#destinations.bulkWrite(
        urls.map((url) => ({
          updateOne: {
            filter: { _id: destinationId(url) },
            update: isOfAnother(url)
              ? { $set: { wanted_at: now, account_id: null } }
              : {
                  $set: { wanted_at: now },
                  $setOnInsert: { url, host: hostToAsk(url), check_at: now, account_id: accountId },
                },
            upsert: !isOfAnother(url),
          },
        })),
        { ordered: false, ...BOUNDED },
      ),
    );
  }

  /** Removes the destinations that no other account has had, and the hosts that have no other ones. */
  async deleteAllOf(accountId: string): Promise<void> {
    for (;;) {
      const found = await this.#database.run(() =>
        this.#destinations.find({ account_id: accountId }, { ...BOUNDED_FIND, limit: DELETED_AT_A_TIME }).toArray(),
      );
      if (found.length === 0) return;
      const ofAccount = { _id: { $in: found.map(({ _id }) => _id) }, account_id: accountId };
      await this.#database.run(() => this.#destinations.deleteMany(ofAccount, BOUNDED));
      for (const host of new Set(found.flatMap((one) => [one.host, hostToAsk(one.url)])))
        if ((await this.firstOn(host)) === null)
          await this.#database.run(() => this.#hosts.deleteOne({ _id: host }, BOUNDED));
    }
  }

  /** Removes the destinations that no link with clicks has had since then. */
  async forgetUnwanted(since: Date): Promise<void> {
    await this.#database.run(() => this.#destinations.deleteMany({ wanted_at: { $lt: since } }, BOUNDED));
  }

  /** Makes hosts due at these times, unless they are due before. */
  async makeDue(times: ReadonlyMap<string, Date>): Promise<void> {
    const names = [...times.keys()];
    if (names.length === 0) return;
    const hosts = await this.#database.run(() => this.#hosts.find({ _id: { $in: names } }, BOUNDED_FIND).toArray());
    const known = new Map(hosts.map(({ _id, due_at }) => [_id, due_at]));
    const late = names.filter((name) => !((known.get(name)?.getTime() ?? Infinity) <= times.get(name)!.getTime()));
    if (late.length === 0) return;
    await this.#database.run(() =>
      this.#hosts.bulkWrite(
        late.map((_id) => ({
          updateOne: {
            filter: { _id },
            update: { $set: { due_at: times.get(_id)! }, $setOnInsert: { free_at: NEVER } },
            upsert: true,
          },
        })),
        { ordered: false, ...BOUNDED },
      ),
    );
  }

  /** Returns up to `limit` hosts that are due and may get a request, the longest due first. */
  async dueHosts(now: Date, limit: number): Promise<CheckedHostDocument[]> {
    return this.#database.run(() =>
      this.#hosts
        .find({ due_at: { $lte: now }, free_at: { $lte: now } }, BOUNDED_FIND)
        .sort({ due_at: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Takes the turn of a host until `until`. Returns false if another replica has it. */
  async takeTurn({ _id, free_at }: CheckedHostDocument, until: Date): Promise<boolean> {
    const { modifiedCount } = await this.#database.run(() =>
      this.#hosts.updateOne({ _id, free_at }, { $set: { free_at: until, due_at: until } }, BOUNDED),
    );
    return modifiedCount === 1;
  }

  /** Returns the destination on a host that is due first, or null. */
  async firstOn(host: string): Promise<DestinationDocument | null> {
    return this.#database.run(() => this.#destinations.findOne({ host }, { sort: { check_at: 1 }, ...BOUNDED }));
  }

  /** Sets when a host that has had its turn is free again, and when it is due. */
  async endTurn(_id: string, times: Pick<CheckedHostDocument, 'due_at' | 'free_at'>): Promise<void> {
    await this.#database.run(() => this.#hosts.updateOne({ _id }, { $set: times }, BOUNDED));
  }

  /** Forgets a host without destinations. */
  async forgetHost({ _id, due_at }: CheckedHostDocument): Promise<void> {
    await this.#database.run(() => this.#hosts.deleteOne({ _id, due_at }, BOUNDED));
  }

  /** Sets the next request of a check. */
  async setStep(_id: string, step: CheckStep, check_at: Date): Promise<void> {
    await this.#update(_id, { $set: { step, host: hostToAsk(step.url), check_at } });
  }

  /** Tries the request of a check again later. */
  async postpone(_id: string, check_at: Date): Promise<void> {
    await this.#update(_id, { $set: { check_at } });
  }

  /** Ends a check. */
  async endCheck({ _id, url }: DestinationDocument, { known, next }: Checked): Promise<void> {
    const { health, failing_since } = known;
    await this.#update(_id, {
      $set: {
        ...{ host: hostToAsk(url), check_at: next },
        ...(health !== undefined && { health }),
        ...(failing_since !== undefined && { failing_since }),
      },
      $unset: {
        step: '',
        ...(health === undefined && { health: '' as const }),
        ...(failing_since === undefined && { failing_since: '' as const }),
      },
    });
  }

  async #update(_id: string, update: object): Promise<void> {
    await this.#database.run(() => this.#destinations.updateOne({ _id }, update, BOUNDED));
  }

  get #destinations() {
    return this.#database.collections.destinations;
  }

  get #hosts() {
    return this.#database.collections.checkedHosts;
  }
}
