import fc from 'fast-check';
import type { Document } from 'mongodb';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { Database } from '../src/database/database.ts';
import type { LinkDocument } from '../src/database/documents/link.ts';
import { newLinkId } from '../src/database/ids.ts';
import { eventId } from '../src/events/event.ts';
import { EventsStore } from '../src/events/events.store.ts';
import { AccountLogs } from '../src/follower/account-logs.store.ts';
import { LinkScope } from '../src/links/link-scope.ts';
import { LinkLists } from '../src/lists/link-lists.store.ts';
import { LinkMatcher } from '../src/search/link-matcher.ts';
import { SearchTexts } from '../src/search/search-texts.store.ts';
import { SEARCHED_LINK } from '../src/search/text-blocks.ts';
import { mongodbUrl } from './support/mongodb-url.ts';
import { randomRuns } from './support/random-runs.ts';
import { Service, type TestAccount } from './support/service.ts';
import { documentOf, writeLinks } from './support/write-links.ts';

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => service.close());

const openOn = (database: Database, maxBytes?: number) =>
  new SearchTexts(database, new AccountLogs(database, new EventsStore(database)), maxBytes);
const open = (maxBytes?: number) => openOn(service.database, maxBytes);

/** What {@link find} returns if the texts are not in memory. */
const NOT_IN_MEMORY: readonly string[] = ['not in memory'];
const WITHOUT_FILTERS = { hashtags: [], hosts: undefined, ids: undefined, expiry: undefined };

/** Searches the texts in memory for links that are not archived. */
function find(texts: SearchTexts, account: TestAccount, terms: string[], isPublicKey = false) {
  const scope = new LinkScope(isPublicKey ? account.public : account.live);
  const search = { terms, states: scope.states(undefined, 'false'), ...WITHOUT_FILTERS };
  return texts.find(scope, search, async () => NOT_IN_MEMORY);
}

/** Searches the texts in memory once they are loaded. */
function findLoaded(...search: Parameters<typeof find>): Promise<readonly string[]> {
  const loaded = async () => {
    const found = await find(...search);
    expect(found).not.toBe(NOT_IN_MEMORY);
    return found;
  };
  return vi.waitFor(loaded, { timeout: 30_000 });
}

/** Returns the ids of the first links that a list has, in ascending order. */
async function list(
  texts: SearchTexts,
  account: TestAccount,
  terms: string[],
  { isPublicKey = false, hashtags = [], domain }: Partial<Filters> = {},
) {
  const scope = new LinkScope(isPublicKey ? account.public : account.live);
  const lists = new LinkLists(service.database, texts);
  const query = { page: 1, per: 100, sort: 'created_at', dir: 'asc', archived: 'false' } as const;
  const { links, total } = await lists.page(
    scope,
    { ...query, ...(domain !== undefined && { domain }) },
    { terms, hashtags, slug: undefined },
  );
  return { ids: links.map(({ _id }) => _id), total };
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
  title: fc.constantFrom('ab', 'aab', 'ba b', 'é夏😀', '夏b', 'a.b*', 'a\\b|(c)', ''),
  archived: fc.boolean(),
  visibility: fc.constantFrom('public', 'public', 'private'),
  terms: fc.subarray(['a', 'b', 'ab', 'é', '夏', '😀', 'example.com/', '.', '*', '\\b|', '(c)'], { minLength: 1 }),
});

function isOfDomain(url: string, domain: string | undefined): boolean {
  const { hostname } = new URL(url);
  return domain === undefined || hostname === domain || hostname.endsWith(`.${domain}`);
}

/** How much the clocks of the replicas are ahead. */
const CLOCKS_MS = [0, 3_600_000, -3_600_000];

test('a search finds what the database holds at that moment, on every replica, whatever its clock, and for both keys', async () => {
  const { now } = Date;
  let aheadMs = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }), async (steps) => {
      const account = await service.createAccount();
      // Texts of the last one never fit.
      const replicas = [open(), open(), open(1)];
      const links = new Map<string, LinkDocument>();
      const write = async (before: LinkDocument | null, after: LinkDocument | null) => {
        await writeLinks(service.database, account.id, [{ before, after }]);
        if (before !== null) links.delete(before._id);
        if (after !== null) links.set(after._id, after);
      };
      for (const step of steps) {
        const { kind, replica, target, isPublicKey, terms, title, archived, visibility, hashtags, domain, host } = step;
        const link = [...links.values()][target % Math.max(1, links.size)];
        const fields = { title, archived, visibility, hashtags, destination_url: `https://${host}/` };
        aheadMs = CLOCKS_MS[replica]!;
        if (kind === 'create') await write(null, documentOf(account.id, fields, new Date(Date.now())));
        else if (kind === 'search') {
          const expected = [...links.values()]
            .filter((link) => !link.archived && !(isPublicKey && link.hidden))
            .filter((link) => hashtags.every((hashtag) => link.hashtags.includes(hashtag)))
            .filter(({ destination_url }) => isOfDomain(destination_url, domain))
            .filter((link) => terms.every((term) => link.search_text.includes(term)));
          const ids = expected.map(({ _id }) => _id).sort();
          // The second time, its matches may be kept.
          for (const _time of [1, 2])
            expect(await list(replicas[replica]!, account, terms, step)).toEqual({ ids, total: ids.length });
        } else if (link !== undefined) {
          const { created_at, _id } = link;
          await write(link, kind === 'delete' ? null : documentOf(account.id, { ...link, ...fields }, created_at, _id));
        }
        aheadMs = 0;
      }
    }),
    { numRuns: randomRuns(6) },
  );
});

/** Adds links with nothing but what a search reads. Returns their ids. */
async function addTexts({ id }: TestAccount, count: number, search_text: string, createdAtMs = 1.7e12) {
  const changes = Array.from({ length: count }, () => {
    const _id = newLinkId(id, createdAtMs);
    const filtered = { state: 'public', hashtags: [], host_key: 'com.example..' };
    const after = { _id, account_id: id, slug_key: _id, search_text, ...filtered } as unknown as LinkDocument;
    return { before: null, after };
  });
  for (let from = 0; from < count; from += 2_000)
    await writeLinks(service.database, id, changes.slice(from, from + 2_000));
  return changes.map(({ after }) => after).sort((a, b) => (a._id < b._id ? -1 : 1));
}

/** Returns texts in memory, and counts the links that they read from the database with their texts. */
function openCounting(maxBytes?: number) {
  const counted = { texts: 0 };
  const database = new Database({
    url: `${mongodbUrl()}${mongodbUrl().includes('?') ? '&' : '?'}monitorCommands=true`,
    database: service.databaseName,
    onClient: (client) =>
      client.on('commandSucceeded', ({ reply }) => {
        const { firstBatch = [], nextBatch = [] } = (reply as Document).cursor ?? {};
        counted.texts += [...firstBatch, ...nextBatch].filter((one) => 'search_text' in one).length;
      }),
  });
  return { texts: openOn(database, maxBytes), counted, close: () => database.close() };
}

test('an account that does not fit into memory is searched by the database, and others keep their texts', async () => {
  const [small, large] = [await service.createAccount(), await service.createAccount()];
  const [link] = await addTexts(small, 1, 'x');
  const links = await addTexts(large, 4, 'x'.repeat(5_000));
  const { texts, counted, close } = openCounting(15_000);
  for (let n = 1; n <= 5; n++) {
    expect(await list(texts, large, ['x'])).toEqual({ ids: links.map(({ _id }) => _id), total: 4 });
    expect(await list(texts, small, ['x'])).toEqual({ ids: [link!._id], total: 1 });
  }
  // The first search tries to load them.
  expect(counted.texts).toBe(links.length + 1);
  await close();
});

test('two accounts that fit only one at a time do not eject each other', async () => {
  const accounts = [await service.createAccount(), await service.createAccount()];
  for (const account of accounts) await addTexts(account, 10, 'x'.repeat(1_000));
  const { texts, counted, close } = openCounting(25_000);
  expect(await find(texts, accounts[0]!, ['x'])).toHaveLength(10);
  for (let n = 0; n < 3; n++)
    for (const { total } of await Promise.all(accounts.map((account) => list(texts, account, ['x']))))
      expect(total).toBe(10);
  expect(await find(texts, accounts[0]!, ['x'])).toHaveLength(10);
  expect(counted.texts).toBe(10 + 10);
  await close();
});

/** Returns the texts and how often a search has tested some of them since it was last asked. */
function openTested() {
  const tested = vi.spyOn(LinkMatcher.prototype, 'idsIn');
  const texts = open();
  const search = async (account: TestAccount, terms: string[], isPublicKey = false) => {
    tested.mockClear();
    const { length: found } = await find(texts, account, terms, isPublicKey);
    return { found, isKept: tested.mock.calls.length === 0 };
  };
  return { texts, search };
}

test('the matches of a search are kept until the account changes, on each replica', async () => {
  const account = await service.createAccount();
  const links = await addTexts(account, 10, 'x');
  const replicas = [openTested(), openTested()];
  const searches = async (isPublicKey = false) => {
    const found = [];
    for (const { search } of [...replicas, ...replicas]) found.push(await search(account, ['x'], isPublicKey));
    return found;
  };
  const once = (found: number) => [false, false, true, true].map((isKept) => ({ found, isKept }));
  expect(await searches()).toEqual(once(10));
  expect(await searches(true)).toEqual(once(10));
  const hidden = { ...links[0]!, state: 'private' };
  await writeLinks(service.database, account.id, [{ before: links[0]!, after: hidden }]);
  expect(await searches(true)).toEqual(once(9));
  await writeLinks(service.database, account.id, [{ before: hidden, after: links[0]! }]);
  expect(await searches(true)).toEqual(once(10));
  await writeLinks(service.database, account.id, [{ before: links[1]!, after: null }]);
  expect(await searches()).toEqual(once(9));
  expect(await searches(true)).toEqual(once(9));
});

test('a key gets no matches that were kept for another one, also if both search the same states', async () => {
  const account = await service.createAccount();
  await addTexts(account, 3, 'x');
  const { texts, search } = openTested();
  const tested = vi.mocked(LinkMatcher.prototype.idsIn);
  for (const identity of [account.live, account.public]) {
    tested.mockClear();
    const search = { terms: ['x'], states: ['public'], ...WITHOUT_FILTERS };
    expect(await texts.find(new LinkScope(identity), search, async () => NOT_IN_MEMORY)).toHaveLength(3);
    expect(tested).toHaveBeenCalled();
  }
  const other = await service.createAccount();
  expect(await search(other, ['x'])).toEqual({ found: 0, isKept: true });
});

test('the matches of four searches are kept, whatever they find', async () => {
  const account = await service.createAccount();
  await addTexts(account, 3, 'abcde');
  const { search } = openTested();
  for (const term of ['a', 'b', 'c', 'd', 'z']) expect(await search(account, [term])).toMatchObject({ isKept: false });
  for (const term of ['b', 'c', 'd', 'z']) expect(await search(account, [term])).toMatchObject({ isKept: true });
  expect(await search(account, ['a'])).toEqual({ found: 3, isKept: false });
});

test('the first search of a large account waits for no load, which sees what changes meanwhile', async () => {
  const account = await service.createAccount();
  const links = Array.from({ length: 1_500 }, () => documentOf(account.id, { title: 'x.y' }, new Date(1.7e12)));
  await writeLinks(
    service.database,
    account.id,
    links.map((after) => ({ before: null, after })),
  );
  const { links: collection } = service.database.collections;
  const open = collection.find.bind(collection);
  const held = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  vi.spyOn(collection, 'find').mockImplementation((filter = {}, options = {}) => {
    const cursor = open(filter, options);
    if (options.projection !== SEARCHED_LINK) return cursor as never;
    began.resolve();
    const hasNext = cursor.hasNext.bind(cursor);
    cursor.hasNext = () => held.promise.then(hasNext);
    return cursor as never;
  });
  const total = async (isPublicKey: boolean) =>
    (await service.list(isPublicKey ? account.public : account.live, { q: 'x.y' })).body.total;
  expect(await total(true)).toBe(1_500);
  await began.promise;
  const { created_at, _id } = links[1]!;
  const hidden = documentOf(account.id, { ...links[1]!, visibility: 'private' }, created_at, _id);
  await writeLinks(service.database, account.id, [
    { before: links[0]!, after: null },
    { before: links[1]!, after: hidden },
  ]);
  const tested = vi.spyOn(LinkMatcher.prototype, 'idsIn');
  const totals = Promise.all([total(false), total(true)]);
  held.resolve();
  expect(await totals).toEqual([1_499, 1_498]);
  expect(tested).toHaveBeenCalled();
});

test('searches read only the texts of links that changed, however many changed at once', async () => {
  const account = await service.createAccount();
  const links = await addTexts(account, 1_000, 'x');
  const { texts, counted, close } = openCounting();
  const searches = async () => {
    counted.texts = 0;
    const found = await Promise.all(Array.from({ length: 4 }, () => findLoaded(texts, account, ['x'])));
    expect(new Set(found.map(({ length }) => length)).size).toBe(1);
    return { found: found[0]!.length, texts: counted.texts };
  };
  expect(await searches()).toEqual({ found: 1_000, texts: 1_000 });
  expect(await searches()).toEqual({ found: 1_000, texts: 0 });
  const change = (before: LinkDocument | null, after: LinkDocument | null) =>
    writeLinks(service.database, account.id, [{ before, after }]);
  const archived = { ...links[1]!, state: 'archived public' };
  await change(links[0]!, null);
  await change(links[1]!, archived);
  expect(await searches()).toEqual({ found: 998, texts: 1 });
  await change(archived, links[1]!);
  await change(links[1]!, archived);
  await change(archived, links[1]!);
  expect(await searches()).toEqual({ found: 999, texts: 1 });
  // With a creation time between those of the others, as in an import.
  await addTexts(account, 300, 'x');
  expect(await searches()).toEqual({ found: 1_299, texts: 300 });
  await addTexts(account, 300, 'x', Date.now());
  expect(await searches()).toEqual({ found: 1_599, texts: 300 });
  // So many are loaded again with all others.
  await addTexts(account, 5_100, 'x');
  expect(await searches()).toEqual({ found: 6_699, texts: 6_699 });
  await close();
});

test('texts are loaded again if the log does not have all events since', async () => {
  const account = await service.createAccount();
  await addTexts(account, 10, 'x');
  const texts = open();
  expect(await find(texts, account, ['x'])).toHaveLength(10);
  await addTexts(account, 3, 'x');
  await service.database.collections.events.deleteOne({ _id: eventId(account.id, 12) });
  expect(await find(texts, account, ['x'])).toHaveLength(13);
});

test('a load reads all links, also if their texts are too long for a full piece', async () => {
  const account = await service.createAccount();
  await addTexts(account, 600, '😀'.repeat(9_000));
  const texts = open();
  // On a busy machine, the load goes on after the first search.
  await vi.waitFor(async () => expect(await find(texts, account, ['😀'])).toHaveLength(600), { timeout: 30_000 });
});

test('a small account waits neither for the loads nor for the searches of large ones, which all succeed', async () => {
  const large = [await service.createAccount(), await service.createAccount()];
  const small = [await service.createAccount(), await service.createAccount()];
  for (const account of small) await addTexts(account, 1, 'x');
  for (const account of large) await addTexts(account, 10_000, `${'x'.repeat(300)} y`);
  const texts = open();
  const ended: string[] = [];
  const search = async (account: TestAccount, terms: string[]) => {
    const found = await findLoaded(texts, account, terms);
    ended.push(account.id);
    return found;
  };
  const loads = large.map((account) => search(account, ['x']));
  expect(await search(small[0]!, ['x'])).toHaveLength(1);
  expect(ended).toHaveLength(1);
  await Promise.all(loads);
  const searches = large.flatMap((account) =>
    Array.from({ length: 8 }, (_, n) => search(account, ['y', 'x'.repeat(200 + n), ' '])),
  );
  await vi.waitFor(() => expect(ended.length).toBeGreaterThan(3), { timeout: 30_000, interval: 1 });
  expect(await search(small[1]!, ['x'])).toHaveLength(1);
  expect(ended.length).toBeLessThan(3 + searches.length);
  for (const found of await Promise.all(searches)) expect(found).toHaveLength(10_000);
});

test('other work runs many times during a search of texts that are made to be slow, loaded or changed since', async () => {
  const account = await service.createAccount();
  // The terms share a byte with each other character of the texts, which have all terms but one at their end.
  const terms = Array.from({ length: 10 }, (_, n) => String.fromCharCode(0x9e06 + n));
  const text = '\u9e05'.repeat(4_000) + terms.slice(0, -1).join('');
  const texts = open();
  let turns = 0;
  let isSearching = true;
  const count = () => {
    turns += 1;
    if (isSearching) setImmediate(count);
  };
  for (const n of [1, 2]) {
    await addTexts(account, 100, text);
    await find(texts, account, ['x']);
    turns = 0;
    isSearching = true;
    setImmediate(count);
    const searches = ['\u9e20', '\u9e21', '\u9e22', '\u9e23'].map((missing) =>
      find(texts, account, [...terms.slice(0, -1), missing]),
    );
    for (const found of await Promise.all(searches)) expect(found).toEqual([]);
    isSearching = false;
    expect(turns).toBeGreaterThan(4 * 5 * n);
  }
});
