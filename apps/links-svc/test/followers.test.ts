import { AsyncLocalStorage } from 'node:async_hooks';
import type { Link } from '@waymark/contract';
import fc from 'fast-check';
import type { Collection } from 'mongodb';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { AccountsStore } from '../src/accounts/accounts.store.ts';
import { DeletedLinksStore } from '../src/deletions/deleted-links.store.ts';
import { eventId } from '../src/events/event.ts';
import { EventsStore } from '../src/events/events.store.ts';
import { AccountLogs } from '../src/follower/account-logs.store.ts';
import { LogFollower } from '../src/follower/log-follower.ts';
import { logSnapshots } from '../src/follower/log-snapshots.ts';
import { HostsStore } from '../src/hosts/hosts.store.ts';
import { VerifiedHosts } from '../src/hosts/verified-hosts.ts';
import { LinkScope } from '../src/links/link-scope.ts';
import { LinksStore } from '../src/links/links.store.ts';
import { LinksForAnalytics } from '../src/links/links-for-analytics.ts';
import { LinkLists } from '../src/lists/link-lists.store.ts';
import { LinkCache } from '../src/redirects/link-cache.ts';
import { findRedirects } from '../src/redirects/redirects.store.ts';
import { parseSearch } from '../src/search/search.ts';
import { SearchTexts } from '../src/search/search-texts.store.ts';
import { redirectId } from '../src/slugs/redirect-id.ts';
import { randomRuns } from './support/random-runs.ts';
import { Service, type TestAccount } from './support/service.ts';

/** The most changes of a run. */
const CHANGES = Number(process.env.FOLLOWED_CHANGES ?? 40);
/** How far wall clocks are from the truth, at most. */
const AWAY_MS = 3_600_000;
const { now } = Date;
const jumpingNow = () => now() + Math.round((2 * Math.random() - 1) * AWAY_MS);
/** True in what a replica does. gRPC needs the true clock. */
const isReplica = new AsyncLocalStorage<boolean>();

/**
 * All that follows the logs of accounts, on two replicas, while accounts change through the API. The clocks jump at each
 * reading: wall clocks by up to an hour, backwards too, and stopwatches by up to 100 ms.
 */
let service: Service;
beforeAll(async () => {
  service = await Service.start({ now: jumpingNow });
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => service.close());

/** Makes the wall clock of replicas jump, and returns a stopwatch that does. */
function jumpingClocks() {
  vi.spyOn(Date, 'now').mockImplementation(() => (isReplica.getStore() ? jumpingNow() : now()));
  let elapsed = 1e6;
  return () => {
    elapsed += Math.random() * 100;
    return elapsed;
  };
}

/** One replica's memory of what it read, and what it says. */
function replica(stopwatch: () => number, maxBytes?: number) {
  const { database } = service;
  const events = new EventsStore(database);
  const accounts = new AccountsStore(database);
  const logs = new AccountLogs(database, events);
  const links = new LinksStore(database);
  const lists = new LinkLists(database, new SearchTexts(database, logs, maxBytes));
  const analytics = new LinksForAnalytics({ links, accounts, logs, deletedLinks: new DeletedLinksStore(database) });
  const hosts = new VerifiedHosts(new HostsStore(database, []), jumpingNow);
  const follower = new LogFollower({
    inSnapshot: logSnapshots(database, accounts, events),
    consumers: [
      {
        apply: (_, changed) => {
          for (const id of changed.flatMap(({ redirect_ids }) => redirect_ids ?? [])) cache.invalidate(id);
        },
        beginAgain: () => cache.forgetMissing(),
      },
      hosts,
    ],
    now: stopwatch,
  });
  const cache = new LinkCache({ findRedirects: findRedirects(database), changes: follower, now: stopwatch });
  const known = new Map<string, { revision: string; ids: Set<string> }>();
  return {
    follower,
    hosts,
    cache,
    async listed(identity: TestAccount['live'], q: string | undefined) {
      const query = { page: 1, per: 100, sort: 'created_at', dir: 'asc', archived: 'any' } as const;
      const { links, total } = await lists.page(new LinkScope(identity), query, parseSearch(q, new Map())!);
      return { ids: links.map(({ _id }) => _id).sort(), total };
    },
    /** Asks as analytics-svc does. */
    async hidden(identity: TestAccount['live']) {
      const key = `${identity.accountId} ${identity.scope}`;
      const before = known.get(key);
      const after = { revision: '', ids: new Set<string>() };
      for await (const part of analytics.hiddenLinks(identity, before?.revision ?? '')) {
        if (part.unchanged) return before!.ids;
        after.revision = part.revision;
        for (const id of part.linkIds) after.ids.add(id);
      }
      known.set(key, after);
      return after.ids;
    },
  };
}

const fields = fc.record({
  title: fc.constantFrom('ab', 'b', 'é', 'é ab'),
  visibility: fc.constantFrom('public', 'public', 'unlisted', 'private'),
  archived: fc.boolean(),
  destination_url: fc.constantFrom('https://example.com/1', 'https://example.com/2'),
});
const change = fc.record({
  kind: fc.constantFrom('create', 'update', 'update', 'update', 'delete', 'host'),
  account: fc.nat({ max: 1 }),
  target: fc.nat({ max: 7 }),
  slug: fc.nat({ max: 5 }),
  fields,
});
const step = fc.record({
  change,
  /** What the replicas do while the change runs. */
  during: fc.subarray(['search', 'hidden', 'redirect', 'poll'] as const),
});

test('hiding, counting, searching, hosts and redirects are exact on two replicas, whatever the clocks do meanwhile', {
  timeout: 600_000,
}, async () => {
  const stopwatch = jumpingClocks();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: CHANGES, size: 'max' }), async (steps) => {
      const accounts = [await service.createAccount(), await service.createAccount()];
      const replicas = [replica(stopwatch), replica(stopwatch, 1)];
      const links = new Map<string, Link & { owner: TestAccount }>();
      const deleted = new Map<TestAccount, Set<string>>(accounts.map((account) => [account, new Set()]));
      const hosts = new Map<TestAccount, string[]>(accounts.map((account) => [account, []]));
      const slugs = Array.from({ length: 6 }, (_, n) => `s${accounts[0]!.id.slice(-8)}${n}`);
      const linksOf = (owner: TestAccount) => [...links.values()].filter((link) => link.owner === owner);

      async function run({ kind, account, target, slug, fields }: (typeof steps)[number]['change']): Promise<void> {
        const owner = accounts[account]!;
        const link = linksOf(owner)[target % Math.max(1, linksOf(owner).length)];
        if (kind === 'host') {
          const host = `h${hosts.get(owner)!.length}.${owner.id.slice(-8)}.example`;
          const { status } = await service.request(owner.live, 'POST', '/api/v1/hosts', { body: { host } });
          if (status === 201) hosts.get(owner)!.push(host);
        } else if (kind === 'create') {
          const { status, body } = await service.create(owner.live, { ...fields, slug: slugs[slug] });
          if (status === 201) links.set(body.id, { ...body, owner });
        } else if (link !== undefined && kind === 'update') {
          const { status, body } = await service.update(owner.live, link.id, { ...fields, slug: slugs[slug] });
          if (status === 200) links.set(link.id, { ...body, owner });
        } else if (link !== undefined) {
          expect((await service.delete(owner.live, link.id)).status).toBe(204);
          links.delete(link.id);
          deleted.get(owner)!.add(link.id);
        }
      }

      async function look(kind: (typeof steps)[number]['during'][number]): Promise<void> {
        for (const { follower, hosts, cache, listed, hidden } of replicas) {
          if (kind === 'search') for (const { live } of accounts) await listed(live, 'é');
          else if (kind === 'hidden') for (const account of accounts) await hidden(account.public);
          else if (kind === 'redirect') await Promise.all(slugs.map((slug) => cache.find(redirectId(null, slug))));
          else await follower.poll().then(() => hosts.refresh());
        }
      }

      async function check(): Promise<void> {
        for (const { follower, hosts: verified, cache, listed, hidden } of replicas) {
          for (const owner of accounts) {
            const mine = linksOf(owner);
            const shown = mine.filter(({ visibility }) => visibility === 'public' || visibility === 'unlisted');
            const idsOf = (some: readonly Link[]) => some.map(({ id }) => id).sort();
            const matches = (some: readonly Link[]) => some.filter(({ title }) => title?.includes('é'));
            for (const [identity, some] of [
              [owner.live, mine],
              [owner.public, shown],
            ] as const) {
              expect(await listed(identity, undefined)).toEqual({ ids: idsOf(some), total: some.length });
              expect((await listed(identity, 'é')).ids).toEqual(idsOf(matches(some)));
            }
            const invisible = mine.filter((link) => !shown.includes(link)).map(({ id }) => id);
            expect(await hidden(owner.live)).toEqual(deleted.get(owner));
            expect(await hidden(owner.public)).toEqual(new Set([...deleted.get(owner)!, ...invisible]));
          }
          await follower.poll();
          await verified.refresh();
          for (const slug of slugs) {
            const link = [...links.values()].find((one) => one.slug === slug && one.visibility !== 'private');
            const found = await cache.find(redirectId(null, slug));
            expect(found?.location).toBe(link?.destination_url);
          }
          for (const host of [...hosts.values()].flat()) expect(verified.isClaimed(host)).toBe(true);
        }
      }

      for (const { follower } of replicas) await follower.poll();
      for (const { change, during } of steps) {
        await Promise.all([run(change), ...during.map((kind) => isReplica.run(true, () => look(kind)))]);
        await isReplica.run(true, check);
      }
    }),
    { numRuns: randomRuns(2), endOnFailure: true },
  );
});

test('replicas remember nothing of a history that a restored backup replaced, also once it was written further', async () => {
  const [owner, other] = [await service.createAccount(), await service.createAccount()];
  const { follower, hosts, cache, listed, hidden } = replica(() => performance.now());
  const [found, shown] = [await service.createLink(owner.live, { title: 'é' }), await service.createLink(owner.live)];
  const others = await service.createLink(other.live);
  const look = async () => {
    await follower.poll();
    await hosts.refresh();
    const redirects = [found, others].map(({ slug }) => cache.find(redirectId(null, slug)));
    return {
      searched: (await listed(owner.live, 'é')).ids,
      hidden: [...(await hidden(owner.public))],
      destinations: (await Promise.all(redirects)).map((link) => link?.location),
      isClaimed: hosts.isClaimed('lost.example'),
    };
  };
  await follower.poll();
  const before = await look();
  expect(before).toMatchObject({ searched: [found.id], hidden: [], isClaimed: false });

  const restore = await backUp([owner, other], [found, shown, others]);
  const lost = { destination_url: 'https://lost.example/', title: 'lost' };
  expect((await service.update(other.live, others.id, lost)).status).toBe(200);
  expect((await service.update(owner.live, found.id, lost)).status).toBe(200);
  expect((await service.update(owner.live, shown.id, { visibility: 'private' })).status).toBe(200);
  const host = await service.request(owner.live, 'POST', '/api/v1/hosts', { body: { host: 'lost.example' } });
  expect(host.status).toBe(201);
  expect(await look()).toEqual({
    searched: [],
    hidden: [shown.id],
    destinations: [lost.destination_url, lost.destination_url],
    isClaimed: true,
  });

  await restore();
  for (const title of ['1', '2', '3', '4'])
    expect((await service.update(owner.live, shown.id, { title })).status).toBe(200);
  expect(await look()).toEqual(before);
});

/** Backs the accounts and what they have up as of an hour ago. Returns what restores the backup. */
async function backUp(owners: TestAccount[], links: Link[]): Promise<() => Promise<void>> {
  const { collections } = service.database;
  const account_id = { $in: owners.map(({ id }) => id) };
  const kept = [
    [collections.accounts, { _id: account_id }],
    ...owners.map(({ id }) => [collections.events, { _id: { $gt: eventId(id, 0), $lt: `${id};` } }]),
    [collections.links, { account_id }],
    [collections.redirects, { _id: { $in: links.map(({ slug }) => redirectId(null, slug)) } }],
    [collections.hosts, { account_id }],
  ] as unknown as [Collection, object][];
  const find = async ([collection, filter]: (typeof kept)[number]) => {
    const found = await collection.find(filter).toArray();
    for (const one of found) if (one.changed_at) one.changed_at = new Date(one.changed_at.getTime() - AWAY_MS);
    return { collection, filter, found };
  };
  const backup = await Promise.all(kept.map(find));
  return async () => {
    for (const { collection, filter, found } of backup) {
      await collection.deleteMany(filter);
      if (found.length > 0) await collection.insertMany(found);
    }
  };
}
