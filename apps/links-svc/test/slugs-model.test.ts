import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@waymark/contract';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import { Database } from '../src/database/database.ts';
import { newAccountId, newLinkId } from '../src/database/ids.ts';
import { derivedFields, type LinkDocument } from '../src/links/link.ts';
import { LinkScope } from '../src/links/link-scope.ts';
import { LinksStore } from '../src/links/links.store.ts';
import { findForRedirects } from '../src/redirects/redirects.store.ts';
import { SlugsStore } from '../src/slugs/slugs.store.ts';
import { FakeCollection } from './support/fake-collection.ts';
import { type Decide, type Fate, FaultyDatabase } from './support/faulty-database.ts';
import { linkDocument } from './support/link-document.ts';
import { dropDatabase } from './support/service.ts';

// ADR 41: whichever statements of concurrent operations fail, get lost or arrive late, a link that exists owns its slug,
// no slug has two owners, and a slug without a link can be used again. For long runs, set SLUG_RUNS=200000.

const DATABASE = `waymark_test_${randomBytes(6).toString('hex')}`;
const SLUGS = ['a', 'b'];
const MINUTE_MS = 60_000;

let real: Database;
beforeAll(async () => {
  real = new Database({ url: inject('mongodbUrl'), database: DATABASE });
  await real.whenUpgraded();
});
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  await real.close();
  await dropDatabase(inject('mongodbUrl'), DATABASE);
});

/** A database in memory, which is fast enough for thousands of runs. */
const inMemory = {
  links: new FakeCollection(['account_id', 'slug_key']),
  slugs: new FakeCollection(),
  run: (operation: () => Promise<unknown>) => operation(),
  time: async () => new Date(),
} as unknown as Database;

interface Operation {
  kind: 'create' | 'create again' | 'create both' | 'change' | 'delete' | 'delete all';
  account: number;
  slug: string;
  /** Selects one of the links of the account that were ever created. */
  target: number;
  replica: number;
}

interface Round {
  /** They run concurrently. */
  operations: Operation[];
  /** Whether late statements arrive afterwards. */
  delivers: boolean;
  /** The time that passes afterwards. */
  pauseMs: number;
}

const round: fc.Arbitrary<Round> = fc.record({
  operations: fc.array(
    fc.record({
      kind: fc.constantFrom(
        'create',
        'create',
        'create again',
        'create both',
        'change',
        'change',
        'delete',
        'delete all',
      ),
      account: fc.nat({ max: 1 }),
      slug: fc.constantFrom('a', 'a', 'b'),
      target: fc.nat({ max: 2 }),
      replica: fc.nat({ max: 1 }),
    }),
    { minLength: 1, maxLength: 3 },
  ) as fc.Arbitrary<Operation[]>,
  delivers: fc.boolean(),
  pauseMs: fc.constantFrom(0, 1, 12_000, 12_000, 31 * MINUTE_MS),
});

const fates = fc.infiniteStream(
  fc.oneof(
    { weight: 10, arbitrary: fc.constant<Fate>('works') },
    { weight: 1, arbitrary: fc.constantFrom<Fate>('not sent', 'response lost') },
    { weight: 2, arbitrary: fc.constant<Fate>('late') },
  ),
);

/** The operations of links, as a replica performs them. */
class Replica {
  readonly #links: LinksStore;

  constructor(db: Database) {
    this.#links = new LinksStore(db, new SlugsStore(db, { warn: () => {} }));
  }

  create(accountId: string, id: string, slug: string): Promise<boolean> {
    return this.#links.insert(linkDocument(accountId, id, slug));
  }

  async change(accountId: string, id: string, slug: string): Promise<void> {
    const scope = scopeOf(accountId);
    const link = await this.#links.find(scope, id);
    if (link === null || link.slug_key === slug) return;
    const fields = { ...derivedFields({ ...link, slug }), slug, updated_at: new Date() };
    await this.#links.update(scope, link, fields);
  }

  async delete(accountId: string, id: string): Promise<void> {
    const scope = scopeOf(accountId);
    const link = await this.#links.find(scope, id);
    if (link !== null) await this.#links.delete(scope, link);
  }

  async createBoth(accountId: string, ids: readonly string[]): Promise<void> {
    await this.#links.insertMany(SLUGS.map((slug, at) => linkDocument(accountId, ids[at]!, slug)));
  }

  /** Deletes the links of the account, as a bulk deletion and the deletion of the account do. */
  async deleteAll(accountId: string): Promise<void> {
    const scope = scopeOf(accountId);
    const links = await this.#links.some(scope, 10);
    if (links.length > 0) await this.#links.deleteMany(scope, links);
  }
}

/** Lets statements run one at a time, in an order that the choices determine. */
class Turns {
  readonly #choices: Iterator<number>;
  readonly #waiting: (() => void)[] = [];

  constructor(choices: Iterator<number>) {
    this.#choices = choices;
  }

  /** Resolves when it is the turn of the caller. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Gives turns until the work has ended and nobody is busy: a statement of an operation that has failed is not left to
   * the next round, where it would arrive after half an hour.
   */
  async until(work: Promise<unknown>, isBusy: () => boolean): Promise<void> {
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    while (!ended || isBusy()) {
      await nextTurn();
      const [chosen] = this.#waiting.splice(
        (this.#choices.next().value as number) % Math.max(1, this.#waiting.length),
        1,
      );
      chosen?.();
    }
    await work;
  }
}

const scopeOf = (accountId: string) => new LinkScope({ accountId, scope: 'full_access' });

/** Returns all links, after a check that each owns its slug alone. */
async function checkedLinks(database: Database, accounts: readonly string[]): Promise<LinkDocument[]> {
  const links = await database.links.find({ account_id: { $in: [...accounts] } }).toArray();
  const claims = await database.slugs.find({ _id: { $in: SLUGS } }).toArray();
  const ownerOf = new Map(claims.map(({ _id, account_id }) => [_id, account_id]));
  const keys = links.map(({ slug_key }) => slug_key);
  expect(new Set(keys).size, 'each slug has one link').toBe(keys.length);
  for (const { slug_key, account_id } of links) expect(ownerOf.get(slug_key), `owner of ${slug_key}`).toBe(account_id);
  const redirects = await findForRedirects(database)(SLUGS);
  expect([...redirects].map(([slug, { id }]) => [slug, id]).sort()).toEqual(
    links.map(({ slug_key, _id }) => [slug_key, _id]).sort(),
  );
  return links;
}

async function checkRandomOperations(database: Database, numRuns: number): Promise<{ worked: number; failed: number }> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  let worked = 0;
  let failed = 0;
  const faulty = new FaultyDatabase(database);
  const replicas = [new Replica(faulty.database), new Replica(faulty.database)];
  const slugs = new SlugsStore(database, { warn: () => {} });
  const flawless = new Replica(database);
  await fc.assert(
    fc.asyncProperty(
      fc.array(round, { minLength: 3, maxLength: 8 }),
      fates,
      fc.infiniteStream(fc.nat()),
      fc.boolean(),
      async (rounds, fate, choices, sweeps) => {
        await database.slugs.deleteMany({ _id: { $in: SLUGS } });
        const accounts = [newAccountId(Date.now()), newAccountId(Date.now())];
        const made: string[][] = [[], []];
        const turns = new Turns(choices);
        const decide: Decide = async () => {
          await turns.next();
          return fate.next().value;
        };
        faulty.restart(decide);
        const perform = async ({ kind, account, slug, target, replica }: Operation) => {
          const accountId = accounts[account]!;
          const existing = made[account]![target % Math.max(1, made[account]!.length)];
          if (kind === 'create') {
            const id = newLinkId(accountId, Date.now());
            made[account]!.push(id);
            await replicas[replica]!.create(accountId, id, slug);
          } else if (kind === 'create both') {
            const ids = SLUGS.map(() => newLinkId(accountId, Date.now()));
            made[account]!.push(...ids);
            await replicas[replica]!.createBoth(accountId, ids);
          } else if (kind === 'delete all') {
            for (const id of made[account]!) deleted.add(id);
            await replicas[replica]!.deleteAll(accountId);
          } else if (existing === undefined) return;
          else if (kind === 'create again') {
            // Only a creation whose outcome is unknown is repeated, and not after its link was deleted.
            if (!deleted.has(existing)) await replicas[replica]!.create(accountId, existing, slug);
          } else if (kind === 'change') await replicas[replica]!.change(accountId, existing, slug);
          else {
            deleted.add(existing);
            await replicas[replica]!.delete(accountId, existing);
          }
        };
        const deleted = new Set<string>();
        for (const { operations, delivers, pauseMs } of rounds) {
          const running = operations.map((operation) =>
            perform(operation).then(
              () => {
                worked += 1;
              },
              (error: unknown) => {
                if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
                failed += 1;
              },
            ),
          );
          await turns.until(Promise.all(running), () => faulty.isBusy);
          await checkedLinks(database, accounts);
          // A statement arrives within half an hour or never.
          if (delivers || pauseMs > 15 * MINUTE_MS) await faulty.deliverLate();
          await checkedLinks(database, accounts);
          vi.setSystemTime(Date.now() + pauseMs);
        }

        await faulty.deliverLate();
        vi.setSystemTime(Date.now() + 31 * MINUTE_MS);
        const links = await checkedLinks(database, accounts);
        const used = new Set(links.map(({ slug_key }) => slug_key));
        if (sweeps) {
          for (let after: string | null = ''; after !== null; ) after = await slugs.releaseAbandoned(after, 2);
          const claims = await database.slugs.find({ _id: { $in: SLUGS } }).toArray();
          expect(claims.map(({ _id }) => _id).sort()).toEqual([...used].sort());
        }
        const other = newAccountId(Date.now());
        for (const slug of SLUGS)
          expect(await flawless.create(other, newLinkId(other, Date.now()), slug)).toBe(!used.has(slug));
        await checkedLinks(database, [...accounts, other]);
        await database.links.deleteMany({ account_id: { $in: [...accounts, other] } });
      },
    ),
    { numRuns },
  );
  return { worked, failed };
}

test.each([
  ['in memory', () => inMemory, Number(process.env.SLUG_RUNS ?? 2_000)],
  ['in the database', () => real, 15],
])(
  'no slug is lost and none has two owners, whatever happens to the statements of concurrent operations: %s',
  async (_, databaseOf, runs) => {
    const { worked, failed } = await checkRandomOperations(databaseOf(), runs);
    expect(worked).toBeGreaterThan(runs);
    expect(failed).toBeGreaterThan(0);
  },
  120_000 + Number(process.env.SLUG_RUNS ?? 0) * 2,
);
