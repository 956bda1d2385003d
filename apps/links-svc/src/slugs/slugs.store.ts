import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { KeyedMutex, type Logger } from '@waymark/service-kit';
import type { Database } from '../database/database.ts';
import { duplicatePositions, isDuplicateKey } from '../database/database-errors.ts';
import { BOUNDED, BOUNDED_FIND, OPERATION_TIMEOUT_MS } from '../database/operation-options.ts';
import {
  ABANDONED_AFTER_MS,
  newClaimId,
  REUSED_AFTER_MS,
  type SlugDocument,
  type SlugHolder,
  slugDocument,
  WRITTEN_WITHIN_MS,
} from './slug.ts';

/** The claim of one link. */
export type Claim = Pick<SlugDocument, '_id' | 'account_id' | 'claim_id' | 'claimed_at'>;

/**
 * A link that is read to decide on its claim. Only a majority knows that a link is gone for good: a deletion that the
 * rest never saw is rolled back when another server becomes primary.
 */
const FOR_GOOD = { readConcern: { level: 'majority' }, ...BOUNDED_FIND } as const;
const ATTEMPTS = 5;

/** The claims on slugs (ADR 41). Every method throws `unavailable` in an outage. */
export class SlugsStore {
  readonly #database: Database;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #running = new KeyedMutex();

  constructor(database: Database, logger: Pick<Logger, 'warn'>) {
    this.#database = database;
    this.#logger = logger;
  }

  /**
   * Claims the slug that the link is about to get. Returns null if it is taken.
   *
   * This process claims a slug once at a time: concurrent inserts of one key can block each other on a server on
   * PostgreSQL, which resolves only one such deadlock each second. Other replicas can still collide, and `Database.run`
   * retries what is undone. The wait is part of the operation's time. The lock is held until the server has responded,
   * even if the caller has timed out.
   */
  async claim(link: SlugHolder): Promise<Claim | null> {
    return this.#database.run(() => this.#running.run(link.slug_key, OPERATION_TIMEOUT_MS, () => this.#claim(link)));
  }

  /** Claims different slugs in one write. Returns a claim for each link, or null if its slug has a claim already. */
  async claimMany(links: readonly SlugHolder[]): Promise<(Claim | null)[]> {
    const claimedAt = new Date();
    const claims = links.map((link) => slugDocument(link, claimedAt));
    try {
      await this.#database.run(() => this.#database.slugs.insertMany(claims, { ordered: false, ...BOUNDED }));
      return claims;
    } catch (error) {
      const refused = duplicatePositions(error);
      return claims.map((claim, position) => (refused.has(position) ? null : claim));
    }
  }

  /**
   * Returns the claims of links on their slugs, to release them once the links have changed their slugs or are gone. A
   * claim that was used again is excluded, because a write of another attempt may be on its way: it is released when it
   * is abandoned. Read the claim before a change of the slug: afterwards, it may belong to a change back.
   */
  async findClaims(links: readonly Pick<SlugHolder, '_id' | 'slug_key'>[]): Promise<Claim[]> {
    const filter = {
      _id: { $in: links.map(({ slug_key }) => slug_key) },
      link_id: { $in: links.map(({ _id }) => _id) },
      shared: { $exists: false },
    };
    const found = await this.#database.run(() => this.#database.slugs.find(filter, BOUNDED).toArray());
    // The filter also finds the claim of one of these links on the slug of another one.
    const keyOf = new Map(links.map(({ _id, slug_key }) => [_id, slug_key]));
    return found.filter(({ _id, link_id }) => keyOf.get(link_id) === _id);
  }

  /**
   * Releases the claims of links that have changed their slugs or are gone. The work of the caller is done, so a failure
   * is only logged: the sweeper finds the claims.
   */
  async releaseAfterWrite(claims: readonly Claim[]): Promise<void> {
    try {
      await this.release(claims);
    } catch (err) {
      this.#logger.warn({ err }, 'could not release slugs; they are released when they are found abandoned');
    }
  }

  /**
   * Releases claims whose links do not have the slugs, if nobody used them again. No write of a link with one of these
   * slugs may be on its way.
   */
  async release(claims: readonly Claim[]): Promise<void> {
    if (claims.length === 0) return;
    const filter = {
      _id: { $in: claims.map(({ _id }) => _id) },
      claim_id: { $in: claims.map(({ claim_id }) => claim_id) },
      shared: { $exists: false },
    };
    await this.#database.run(() => this.#database.slugs.deleteMany(filter, BOUNDED));
  }

  /** Releases a claim whose link the database refused to write, unless another link of the account has the slug. */
  async releaseRefused(claim: Claim): Promise<void> {
    if (!(await this.#database.run(() => this.#isUsed(claim.account_id, claim._id)))) await this.release([claim]);
  }

  /**
   * Releases the abandoned claims among the next `limit` claims after this slug key. Returns the last key, or null if
   * there are no more.
   */
  async releaseAbandoned(afterKey: string, limit: number): Promise<string | null> {
    const { slugs, links } = this.#database;
    return this.#database.run(async () => {
      const claims = await slugs
        .find({ _id: { $gt: afterKey } }, BOUNDED_FIND)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      const old = claims.filter((claim) => ageOf(claim) > ABANDONED_AFTER_MS);
      const holders = await links
        .find(
          {
            account_id: { $in: [...new Set(old.map(({ account_id }) => account_id))] },
            _id: { $in: old.map(({ link_id }) => link_id) },
          },
          { projection: { account_id: 1, slug_key: 1 }, ...FOR_GOOD },
        )
        .toArray();
      const used = new Set(holders.map(({ account_id, slug_key }) => `${account_id} ${slug_key}`));
      for (const claim of old) {
        if (used.has(`${claim.account_id} ${claim._id}`)) continue;
        if (!(await this.#isUsed(claim.account_id, claim._id))) await this.#forget(claim);
      }
      return claims.length < limit ? null : claims.at(-1)!._id;
    });
  }

  async #claim(link: SlugHolder): Promise<Claim | null> {
    const { slugs } = this.#database;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const added = slugDocument(link, new Date());
      if (await this.#insert(added)) return added;
      const claim = await slugs.findOne({ _id: link.slug_key }, BOUNDED);
      if (claim === null) continue;
      // The claim is read before its link: whoever uses it again meanwhile changes `claim_id`.
      if (await this.#isUsed(claim.account_id, claim._id)) return null;
      if (ageOf(claim) > ABANDONED_AFTER_MS) {
        await this.#forget(claim);
        continue;
      }
      if (claim.account_id !== link.account_id) return null;
      if (claim.link_id !== link._id && ageOf(claim) < REUSED_AFTER_MS) return null;
      const use = { link_id: link._id, claim_id: newClaimId(), claimed_at: new Date() };
      const { matchedCount } = await slugs.updateOne(
        { _id: claim._id, claim_id: claim.claim_id },
        { $set: { ...use, shared: true } },
        BOUNDED,
      );
      if (matchedCount > 0) return { ...claim, ...use };
    }
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE, {
      cause: new Error(`the claim of a slug changed ${ATTEMPTS} times meanwhile`),
    });
  }

  async #insert(claim: SlugDocument): Promise<boolean> {
    try {
      await this.#database.slugs.insertOne(claim, BOUNDED);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Returns true if a link of the account has the slug. */
  async #isUsed(account_id: string, slug_key: string): Promise<boolean> {
    const link = await this.#database.links.findOne({ account_id, slug_key }, { projection: { _id: 1 }, ...FOR_GOOD });
    return link !== null;
  }

  /** Removes an abandoned claim, unless it was used again meanwhile. */
  async #forget({ _id, claim_id }: SlugDocument): Promise<void> {
    await this.#database.slugs.deleteOne({ _id, claim_id }, BOUNDED);
  }
}

/** @throws {AppError} `unavailable` if it is too late to write a link with this slug. Call it just before the write. */
export function checkInTime(claim: Claim): void {
  if (ageOf(claim) > WRITTEN_WITHIN_MS)
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE, {
      cause: new Error('a slug was claimed too long ago to write its link'),
    });
}

function ageOf({ claimed_at }: Claim): number {
  return Date.now() - claimed_at.getTime();
}
