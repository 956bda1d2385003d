import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLogger } from '@waymark/service-kit';
import fc from 'fast-check';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { Database } from '../src/database/database.ts';
import { newLinkId } from '../src/database/ids.ts';
import { type HostKeyRange, hostKeyRange } from '../src/links/link-keys.ts';
import { LinkScope } from '../src/links/link-scope.ts';
import { SearchTexts } from '../src/search/search-texts.ts';
import { Service, type TestAccount } from './support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await Service.start();
  await service.database.whenUpgraded();
});
afterAll(() => service.close());

const logger = createLogger({ service: 'links-svc', level: 'silent' });
const open = (maxBytes?: number) =>
  new SearchTexts({ database: service.database, logger, ...(maxBytes !== undefined && { maxBytes }) });

const searchFor = (terms: readonly string[], states: readonly string[]) => ({
  terms,
  states,
  hashtags: [] as string[],
  hosts: undefined as HostKeyRange | undefined,
});

/** Searches once the texts of the account are in memory. */
async function find(
  texts: SearchTexts,
  account: TestAccount,
  terms: string[],
  { isPublicKey = false, hashtags = [] as string[], domain }: Partial<Filters> = {},
) {
  const scope = new LinkScope(isPublicKey ? account.public : account.live);
  const hosts = domain === undefined ? undefined : hostKeyRange(domain);
  return vi.waitFor(
    async () => {
      const found = await texts.find(scope, { ...searchFor(terms, scope.states(undefined, 'false')), hashtags, hosts });
      expect(found).not.toBeNull();
      return found!;
    },
    { timeout: 20_000, interval: 20 },
  );
}

interface Filters {
  isPublicKey: boolean;
  hashtags: string[];
  domain: string | undefined;
}

interface Step extends Filters {
  kind: 'search' | 'create' | 'update' | 'delete';
  replica: number;
  target: number;
  host: string;
  title: string;
  archived: boolean;
  visibility: 'public' | 'private';
  terms: string[];
}
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('search', 'search', 'search', 'create', 'update', 'update', 'delete'),
  replica: fc.nat({ max: 2 }),
  target: fc.nat({ max: 15 }),
  isPublicKey: fc.boolean(),
  hashtags: fc.subarray(['a', 'é'], { maxLength: 2 }),
  domain: fc.constantFrom(undefined, undefined, 'example.com', 'shop.example.com'),
  host: fc.constantFrom('example.com', 'shop.example.com', 'myexample.com'),
  title: fc.constantFrom('ab', 'aab', 'ba b', 'é夏😀', '夏b', ''),
  archived: fc.boolean(),
  visibility: fc.constantFrom('public', 'public', 'private'),
  terms: fc.subarray(['a', 'b', 'ab', 'é', '夏', '😀', 'example.com/'], { minLength: 1 }),
});

function isOfDomain(url: string, domain: string | undefined): boolean {
  const { hostname } = new URL(url);
  return domain === undefined || hostname === domain || hostname.endsWith(`.${domain}`);
}

test('a search in memory finds what the database holds at that moment, on every replica and for both keys', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }), async (steps) => {
      const account = await service.createAccount();
      const replicas = [open(), open(), open()];
      const ids: string[] = [];
      for (const step of steps) {
        const { kind, replica, target, isPublicKey, terms, title, archived, visibility, hashtags, domain, host } = step;
        const id = ids[target % Math.max(1, ids.length)];
        const fields = { title, archived, visibility, hashtags, destination_url: `https://${host}/` };
        if (kind === 'create') ids.push((await service.createLink(account.live, fields)).id);
        else if (kind === 'update' && id !== undefined) await service.update(account.live, id, fields);
        else if (kind === 'delete' && id !== undefined) await service.delete(account.live, id);
        else if (kind === 'search') {
          const stored = await service.database.links.find({ account_id: account.id }).sort({ _id: 1 }).toArray();
          const expected = stored
            .filter((link) => !link.archived && !(isPublicKey && link.hidden))
            .filter((link) => hashtags.every((hashtag) => link.hashtags.includes(hashtag)))
            .filter(({ destination_url }) => isOfDomain(destination_url, domain))
            .filter((link) => terms.every((term) => link.search_text.includes(term)));
          expect(await find(replicas[replica]!, account, terms, step)).toEqual(expected.map(({ _id }) => _id));
        }
      }
    }),
    { numRuns: 12 },
  );
});

test('a search in memory finds a link that is added with an old creation time', async () => {
  const account = await service.createAccount();
  const headers = { 'idempotency-key': 'once' };
  const link = { destination_url: 'https://example.com/', title: 'late' };
  const { body } = await service.create(account.live, link, headers);
  await service.delete(account.live, body.id);
  await service.database.deletedLinks.deleteMany({ account_id: account.id });
  const oldId = newLinkId(account.id, 1.7e12);
  await service.database.idempotency.updateOne(
    { account_id: account.id },
    { $set: { link_id: oldId }, $unset: { answer: '' } },
  );
  const texts = open();
  expect(await find(texts, account, ['late'])).toEqual([]);
  expect((await service.create(account.live, link, headers)).body.id).toBe(oldId);
  expect(await find(texts, account, ['late'])).toEqual([oldId]);
});

test('the first searches of an account share one load of its texts', async () => {
  const account = await service.createAccount();
  const { id } = await service.createLink(account.live, { title: 'first' });
  const [texts, scope] = [open(), new LinkScope(account.live)];
  await nextTurn();
  const searches = Array.from({ length: 5 }, () =>
    texts.find(scope, searchFor(['first'], scope.states(undefined, 'any'))),
  );
  expect(await Promise.all(searches)).toEqual(searches.map(() => [id]));
});

test('an account that does not fit into memory is left to the database', async () => {
  const [small, large] = [await service.createAccount(), await service.createAccount()];
  const { id } = await service.createLink(small.live, { title: 'x' });
  for (let n = 0; n < 4; n++) await service.createLink(large.live, { note: 'x'.repeat(5_000) });
  const texts = open(10_000);
  const scope = new LinkScope(large.live);
  for (let n = 0; n < 5; n++) {
    expect(await texts.find(scope, searchFor(['x'], scope.states(undefined, 'any')))).toBeNull();
    // Accounts are loaded one after the other.
    expect(await find(texts, small, ['x'])).toEqual([id]);
  }
});

/** Adds links with nothing but what a search reads. */
async function addTexts(
  { id }: TestAccount,
  count: number,
  search_text: string,
  { createdAtMs = 1.7e12, ...more }: { createdAtMs?: number; changed_at?: Date } = {},
): Promise<void> {
  const links = Array.from({ length: count }, () => {
    const _id = newLinkId(id, createdAtMs);
    const filtered = { state: 'public', hashtags: [], host_key: 'com.example..' };
    return { _id, account_id: id, slug_key: _id, search_text, ...filtered, revision: 0, ...more };
  });
  for (let from = 0; from < count; from += 2_000)
    await service.database.links.insertMany(links.slice(from, from + 2_000) as never[]);
}

/** Returns texts in memory, and counts the links that they read from the database with their texts. */
function openCounting() {
  const counted = { texts: 0 };
  const database = new Database({
    url: `${inject('mongodbUrl')}${inject('mongodbUrl').includes('?') ? '&' : '?'}monitorCommands=true`,
    database: service.databaseName,
    onClient: (client) =>
      client.on('commandSucceeded', ({ reply }) => {
        const { firstBatch = [], nextBatch = [] } = (reply as Document).cursor ?? {};
        counted.texts += [...firstBatch, ...nextBatch].filter((one) => 'search_text' in one).length;
      }),
  });
  return { texts: new SearchTexts({ database, logger }), counted, database };
}

const MOMENT_OF_IMPORT = {
  'with their creation times': async () => ({ changed_at: await service.database.time() }),
  'without creation times': async () => ({ createdAtMs: Date.now() }),
};
test.each(Object.entries(MOMENT_OF_IMPORT))(
  'searches right after an import of links %s find what the database holds, and read only new texts',
  async (_name, moment) => {
    const account = await service.createAccount();
    await addTexts(account, 6_000, 'x', await moment());
    const { texts, counted, database } = openCounting();
    await database.whenUpgraded();
    await nextTurn();
    const scope = new LinkScope(account.live);
    const searches = async () => {
      counted.texts = 0;
      const searched = Array.from({ length: 4 }, () =>
        texts.find(scope, searchFor(['x'], scope.states(undefined, 'false'))),
      );
      const [first, ...others] = (await Promise.all(searched)).map((found) => found?.length);
      expect(others).toEqual([first, first, first]);
      return { found: first, texts: counted.texts };
    };
    expect(await searches()).toEqual({ found: 6_000, texts: 6_000 });
    expect(await searches()).toEqual({ found: 6_000, texts: 0 });
    // A change is read by itself, perhaps with the newest links.
    const expectFound = async (found: number) => {
      const searched = await searches();
      expect(searched).toMatchObject({ found });
      expect(searched.texts).toBeLessThanOrEqual(1_001);
    };
    const { id } = await service.createLink(account.live, { title: 'x' });
    await expectFound(6_001);
    await service.update(account.live, id, { archived: true });
    await expectFound(6_000);
    await service.update(account.live, id, { archived: false });
    await expectFound(6_001);
    await service.delete(account.live, id);
    await expectFound(6_000);
    expect(await searches()).toEqual({ found: 6_000, texts: 0 });
    for (const total of [9_000, 12_000]) {
      await addTexts(account, 3_000, 'x', await moment());
      expect(await searches()).toMatchObject({ found: total });
    }
    // In the background, the texts are loaded again.
    await vi.waitFor(() => expect(counted.texts).toBeGreaterThan(12_000));
    await addTexts(account, 5_500, 'x', await moment());
    expect(await searches()).toMatchObject({ found: 17_500 });
    await database.close();
  },
);

test('a load reads all links, also if their texts are too long for a full piece', async () => {
  const account = await service.createAccount();
  await addTexts(account, 600, '😀'.repeat(9_000));
  expect(await find(open(), account, ['😀'])).toHaveLength(600);
});

test('until the links are upgraded, the database searches at once', async () => {
  const account = await service.createAccount();
  const upgrade = vi.spyOn(service.database, 'whenUpgraded').mockReturnValue(new Promise(() => {}));
  const scope = new LinkScope(account.live);
  const searched = open().find(scope, searchFor(['x'], scope.states(undefined, 'any')));
  upgrade.mockRestore();
  expect(await Promise.race([searched, nextTurn('waits')])).toBeNull();
});

test('searches of two large accounts all succeed, and a small account waits for none of them', async () => {
  const large = [await service.createAccount(), await service.createAccount()];
  const small = await service.createAccount();
  const { id } = await service.createLink(small.live, { title: 'x' });
  for (const account of large) await addTexts(account, 20_000, `${'x'.repeat(300)} y`);
  const texts = open();
  for (const account of [...large, small]) await find(texts, account, ['x']);
  const ended: string[] = [];
  const search = async (account: TestAccount, terms: string[]) => {
    const scope = new LinkScope(account.live);
    const found = await texts.find(scope, searchFor(terms, scope.states(undefined, 'any')));
    ended.push(account.id);
    return found;
  };
  // Different ones, because the matches of a repeated search are kept.
  const searches = large.flatMap((account) =>
    Array.from({ length: 8 }, (_, n) => search(account, ['y', 'x'.repeat(n + 1), ' '])),
  );
  await vi.waitFor(() => expect(ended.length).toBeGreaterThan(0), { interval: 1 });
  expect(await search(small, ['x'])).toEqual([id]);
  expect(ended.length).toBeLessThan(searches.length);
  for (const found of await Promise.all(searches)) expect(found).toHaveLength(20_000);
});

test('two accounts that fit only one at a time do not eject each other', async () => {
  const accounts = [await service.createAccount(), await service.createAccount()];
  for (const account of accounts) await addTexts(account, 10, 'x'.repeat(1_000));
  const texts = open(20_000);
  await find(texts, accounts[0]!, ['x']);
  for (let n = 0; n < 3; n++) {
    const [first, second] = await Promise.all(
      accounts.map((account) => {
        const scope = new LinkScope(account.live);
        return texts.find(scope, searchFor(['x'], scope.states(undefined, 'any')));
      }),
    );
    expect([first?.length, second]).toEqual([10, null]);
  }
});
