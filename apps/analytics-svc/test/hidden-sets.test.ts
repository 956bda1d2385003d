import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { AnalyticsQuery } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFindLinkNumbers, type FindLinkNumbers } from '../src/analytics/link-numbers.ts';
import { COMPLETE_DAY } from '../src/database/hidden-sets.ts';
import { numberList } from '../src/database/literals.ts';
import { buildHiddenSet } from '../src/hidden-sets/build-hidden-set.ts';
import type { Viewer } from '../src/hidden-sets/hidden-set.ts';
import { createHiddenSetsStore, type HiddenSetsStore, type StoredSet } from '../src/hidden-sets/hidden-sets.store.ts';
import {
  account as accountIdentity,
  type FakeLinks,
  LINKS_SERVICE,
  openTestDatabase,
  record,
  signer,
  startFakeLinks,
  startService,
  type TestDatabase,
  type TestService,
} from './harness.ts';
import { analyticsOf, DAY_MS, type Device, type ModelClick, model, sentClick } from './model.ts';

let db: TestDatabase;
let links: FakeLinks;
let replicas: TestService[];
let store: HiddenSetsStore;
let findLinkNumbers: FindLinkNumbers;
beforeAll(async () => {
  db = await openTestDatabase();
  links = await startFakeLinks();
  const env = { ...db.env, LINKS_GRPC: links.address };
  replicas = [await startService(env), await startService(env)];
  store = createHiddenSetsStore(db.database);
  findLinkNumbers = createFindLinkNumbers(db.database);
});
afterAll(async () => {
  for (const replica of replicas ?? []) await replica.close();
  await links?.close();
  await db?.close();
});

const never = new AbortController().signal;
const DEVICES: Device[] = ['desktop', 'mobile', 'tablet', 'other'];
const SOURCES = ['direct', 'google.com', 'newsletter'];

/** Creates an account with many links. `isHidden` says which of them are hidden, by index. */
function openAccount(linkCount: number, isHidden: (link: number) => boolean) {
  const accountId = randomUUID();
  const linkId = (link: number) => `${accountId}-${String(link).padStart(4, '0')}`;
  const clicks: ModelClick[] = [];
  const viewer: Viewer = { accountId, scope: 'public_links_only' };
  const hide = (hidden: (link: number) => boolean) => {
    for (let link = 0; link < linkCount; link++) {
      const known = links.links.get(linkId(link));
      links.links.set(linkId(link), { accountId, deleted: false, ...known, hidden: hidden(link) });
    }
    links.revision++;
  };
  hide(isHidden);
  return {
    accountId,
    viewer,
    linkId,
    hide,
    /** Stores `count` clicks on links from `first` on, over some days and all devices and sources. */
    async click(first: number, count: number) {
      const now = Date.now();
      const some = Array.from(
        { length: count },
        (_, n): ModelClick => ({
          // Some links get many more clicks: with too many ties, the top links would not be those of the model.
          link: (first + (n % 2 === 0 ? n / 2 : n % 79)) % linkCount,
          atMs: now - ((n * 7) % 40) * DAY_MS - n * 60_000,
          device: DEVICES[n % DEVICES.length]!,
          source: SOURCES[(n >> 2) % SOURCES.length]!,
        }),
      );
      clicks.push(...some);
      await record(
        replicas[count % 2]!.client,
        some.map((click) => sentClick(click, accountId, linkId)),
      );
    },
    async remove(first: number, count: number) {
      const linkIds = Array.from({ length: count }, (_, n) => linkId(first + n));
      for (const id of linkIds) links.links.get(id)!.deleted = true;
      links.revision++;
      return () => purge(accountId, linkIds);
    },
    /** Checks all figures, for both keys and through both replicas. */
    async expectFigures() {
      for (const scope of ['public_links_only', 'full_access'] as const) {
        const seen = clicks.filter(({ link }) => {
          const { hidden, deleted } = links.links.get(linkId(link))!;
          return !deleted && (scope === 'full_access' || !hidden);
        });
        for (const [index, query] of QUERIES.entries()) {
          const { from, to, ...figures } = await analyticsOf(replicas[index % 2]!, query, accountId, scope);
          expect(figures, JSON.stringify({ scope, query })).toEqual(model(seen, query, to, linkId));
        }
      }
    },
  };
}

const QUERIES: AnalyticsQuery[] = [
  { days: 30, tz: 'UTC' },
  { days: 30, tz: 'Asia/Kathmandu' },
  { days: 365, tz: 'America/New_York', source: 'google.com' },
  { days: 365, tz: 'UTC' },
  { days: 1, tz: 'UTC' },
];

async function purge(accountId: string, linkIds: string[]) {
  await replicas[0]!.client.purgeLinks(
    { accountId, linkIds },
    { timeoutMs: 15_000, identity: await signer.mint(LINKS_SERVICE) },
  );
}

/** Returns the numbers of links in the tables. */
async function numbersOf(linkIds: string[]): Promise<ReadonlySet<string>> {
  return (await findLinkNumbers(linkIds, never))!.links;
}

/** Resolves when the viewer has a complete set of these links. Two replicas may have built one concurrently. */
async function untilBuilt(viewer: Viewer, links: ReadonlySet<string>): Promise<void> {
  const isBuilt = (set: StoredSet) => set.isComplete && isDeepStrictEqual(set.links, links);
  while (!(await store.find(viewer, never)).some(isBuilt)) await sleep(50);
}

/**
 * Returns for how many pairs of source and day the sums of a complete set differ from those of its links, by device or
 * quarter hour, in one state of the table. Returns null if the set is not complete.
 */
async function differencesOf(
  { accountId }: Viewer,
  number: string,
  links: ReadonlySet<string>,
): Promise<number | null> {
  const [row] = await db.database.query<{ of_links: number; differences: number }>(
    `SELECT sumIf(total[4], day = ${COMPLETE_DAY}) AS of_links, countIf(day != ${COMPLETE_DAY}) AS differences
     FROM (
       SELECT from_source, day, sumForEach(arrayMap(clicks -> clicks * sign, [desktop, mobile, tablet, other])) AS total,
         sumMap(\`quartersMap.quarter\`, arrayMap(clicks -> clicks * sign, \`quartersMap.clicks\`)) AS quarters
       FROM (
         SELECT *, if(link = ${number}, 1, -1) AS sign FROM clicks_by_day
         WHERE account_id = {account:String} AND link IN ${numberList([number, ...links])}
       )
       GROUP BY from_source, day
       HAVING arrayExists(clicks -> clicks != 0, total) OR arrayExists(clicks -> clicks != 0, quarters.2)
     )`,
    { parameters: { account: accountId } },
  );
  return row!.of_links === links.size ? row!.differences : null;
}

test('figures are exact before, while and after the clicks of hidden links are added up, and what changes then is in them', async () => {
  const account = openAccount(800, (link) => link % 4 !== 0);
  await account.click(0, 1_600);
  await account.expectFigures();
  const hidden = await numbersOf(
    Array.from({ length: 800 }, (_, link) => account.linkId(link)).filter((_, link) => link % 4 !== 0),
  );
  await untilBuilt(account.viewer, hidden);
  await account.expectFigures();

  await account.click(100, 500);
  await account.expectFigures();

  // Some links are shown again and others hidden: too few to build a set.
  account.hide((link) => (link % 4 !== 0 ? link > 40 : link < 40));
  await account.expectFigures();
  await account.click(0, 200);
  await account.expectFigures();

  const purge = await account.remove(50, 30);
  await account.expectFigures();
  await purge();
  await account.expectFigures();
  await account.click(50, 10);
  await account.expectFigures();
  await purge();
  await account.expectFigures();
  const [set] = await store.find(account.viewer, never);
  expect(await differencesOf(account.viewer, set!.number, set!.links)).toBe(0);

  // This changes so many links that a new set replaces the old one.
  account.hide((link) => link % 3 !== 0);
  await account.expectFigures();
  const rest = Array.from({ length: 800 }, (_, link) => account.linkId(link)).filter(
    (id, link) => link % 3 !== 0 || links.links.get(id)!.deleted,
  );
  await untilBuilt(account.viewer, await numbersOf(rest));
  await account.expectFigures();
  await account.click(0, 800);
  await account.expectFigures();
}, 120_000);

test('what a Full Access key leaves out, deleted links, is added up too', async () => {
  const account = openAccount(150, () => false);
  await account.click(0, 300);
  const purge = await account.remove(0, 120);
  await account.expectFigures();
  const gone = await numbersOf(Array.from({ length: 120 }, (_, link) => account.linkId(link)));
  await untilBuilt({ ...account.viewer, scope: 'full_access' }, gone);
  await untilBuilt(account.viewer, gone);
  await account.expectFigures();
  await purge();
  await account.expectFigures();
  await account.click(0, 150);
  await account.expectFigures();
}, 60_000);

test('the sums of every set are those of its links in every state of the table, while clicks are stored, links purged and sets built and dropped by several', async () => {
  const linkCount = 300;
  const account = openAccount(linkCount, (link) => link < 150);
  const ids = Array.from({ length: linkCount }, (_, link) => account.linkId(link));
  const numbers = [...(await numbersOf(ids))];
  await account.click(0, 2 * linkCount);
  let isOver = false;
  const during = async (work: (n: number) => Promise<unknown>) => {
    for (let n = 0; !isOver; n++) await work(n);
  };
  const builders = [1, 2, 3].map((step) =>
    during(async (n) => {
      const from = (n * 67 * step) % linkCount;
      await buildHiddenSet(
        store,
        account.viewer,
        new Set([...numbers, ...numbers].slice(from, from + 150)),
        never,
      ).catch((error: { cause?: Error }) => expect(error.cause?.message).toBe('the set before was dropped meanwhile'));
    }),
  );
  const clicking = [0, 1].map((replica) => during((n) => account.click((n * 31 + replica) % linkCount, 100 + replica)));
  const purging = during(async (n) => {
    // A purge fails if clicks of its links arrive in the meantime.
    await purge(account.accountId, [ids[(n * 13) % linkCount]!]).catch((error) =>
      expect(error.code).toBe('unavailable'),
    );
    await sleep(50);
  });
  let looked = 0;
  const endsAt = performance.now() + 15_000;
  while (performance.now() < endsAt) {
    for (const { number, links } of await store.find(account.viewer, never)) {
      const differences = await differencesOf(account.viewer, number, links);
      expect(differences ?? 0).toBe(0);
      if (differences !== null) looked++;
    }
  }
  isOver = true;
  await Promise.all([...builders, ...clicking, purging]);
  expect(looked).toBeGreaterThan(20);
}, 120_000);

describe('a build that is broken off', () => {
  const steps = ['begin', 'fill', 'complete', 'drop'] as const;
  test.each(steps)(
    'at %s leaves all figures right, and a later one takes away what it left',
    async (step) => {
      const account = openAccount(300, (link) => link < 290);
      await account.click(0, 600);
      const ids = Array.from({ length: 290 }, (_, link) => account.linkId(link));
      const first = await numbersOf(ids.slice(0, 105));
      await buildHiddenSet(store, account.viewer, first, never);
      await account.click(0, 200);
      const broken: HiddenSetsStore = { ...store, [step]: () => Promise.reject(new Error('broken off')) };
      const wanted = await numbersOf(ids);
      await expect(buildHiddenSet(broken, account.viewer, wanted, never)).rejects.toThrow('broken off');
      await account.click(0, 200);
      await account.expectFigures();
      await db.database.command(
        'ALTER TABLE hidden_sets UPDATE begun_at = begun_at - 3600 WHERE account_id = {account:String} SETTINGS mutations_sync = 2',
        { parameters: { account: account.accountId } },
      );
      account.hide((link) => link >= 130 && link < 290);
      const last = await numbersOf(ids.slice(130));
      await buildHiddenSet(store, account.viewer, last, never);
      await untilBuilt(account.viewer, last);
      await account.expectFigures();
      expect((await store.find(account.viewer, never)).filter(({ ageSeconds }) => ageSeconds >= 3_600)).toEqual([]);
    },
    60_000,
  );
});

test('a set that was dropped by another replica is not believed', async () => {
  const account = openAccount(160, (link) => link < 150);
  await account.click(0, 320);
  const hidden = await numbersOf(Array.from({ length: 150 }, (_, link) => account.linkId(link)));
  await buildHiddenSet(store, account.viewer, hidden, never);
  await account.expectFigures();
  const [set] = await store.find(account.viewer, never);
  await store.drop(account.viewer, set!.number, never);
  await account.expectFigures();
});

test('a set that was dropped before it was complete never is', async () => {
  const account = openAccount(120, () => true);
  const links = await numbersOf(Array.from({ length: 120 }, (_, link) => account.linkId(link)));
  const set = await store.begin(account.viewer, links, never);
  // A drop that has begun but not ended.
  await db.database.command(
    `INSERT INTO hidden_sets (account_id, scope, number, link) SELECT account_id, scope, number, 0 FROM hidden_sets WHERE number = ${set.number} LIMIT 1`,
  );
  await store.complete(account.viewer, set, never);
  expect(await store.find(account.viewer, never)).toMatchObject([{ number: set.number, isComplete: false }]);
  await store.drop(account.viewer, set.number, never);
  await store.complete(account.viewer, set, never);
  expect(await store.find(account.viewer, never)).toEqual([]);
  expect(await differencesOf(account.viewer, set.number, links)).toBeNull();
});

test.each([
  ['a complete one of another process', 0],
  ['one of its own, by a process that took it for left behind', 1],
])('a set is not built out of one that was dropped meanwhile: %s', async (_, steps) => {
  const account = openAccount(700, () => true);
  await account.click(0, 700);
  const ids = Array.from({ length: 700 }, (_, link) => account.linkId(link));
  const sets = [await buildHiddenSet(store, account.viewer, await numbersOf(ids.slice(0, 190)), never)];
  const dropping: HiddenSetsStore = {
    ...store,
    async begin(viewer, links, signal) {
      // Drops the set from which the next step is built.
      if (sets.length === steps + 1) await store.drop(viewer, sets.at(-1)!.number, signal);
      const set = await store.begin(viewer, links, signal);
      sets.push(set);
      return set;
    },
  };
  const all = await numbersOf(ids);
  await expect(buildHiddenSet(dropping, account.viewer, all, never)).rejects.toMatchObject({ code: 'unavailable' });
  expect((await store.find(account.viewer, never)).filter((set) => set.isComplete && set.links.size > 190)).toEqual([]);
});

test('a set is made anew from its links when it is a day old, whatever its sums became', async () => {
  const account = openAccount(160, (link) => link < 150);
  await account.click(0, 320);
  const hidden = await numbersOf(Array.from({ length: 150 }, (_, link) => account.linkId(link)));
  const wrong = await buildHiddenSet(store, account.viewer, hidden, never);
  await db.database.command(
    `INSERT INTO clicks_by_day (account_id, from_source, link, day, desktop) SELECT {account:String}, '', ${wrong!.number}, today(), 1000`,
    { parameters: { account: account.accountId } },
  );
  await db.database.command(
    'ALTER TABLE hidden_sets UPDATE begun_at = begun_at - 86400 WHERE account_id = {account:String} SETTINGS mutations_sync = 2',
    { parameters: { account: account.accountId } },
  );
  // This request still uses the set, although its sums are wrong, and starts to build a new one.
  await replicas[0]!.get('/api/v1/analytics', accountIdentity(account.accountId, 'public_links_only'));
  while ((await store.find(account.viewer, never)).some(({ number }) => number === wrong!.number)) await sleep(50);
  await untilBuilt(account.viewer, hidden);
  await account.expectFigures();
});
