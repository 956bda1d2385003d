import { afterAll, describe, test, vi } from 'vitest';
import { type LeasedTask, LeasedTasks } from '../src/leases/leased-tasks.ts';
import { LeasesStore } from '../src/leases/leases.store.ts';
import { startMongodbProxy } from './support/mongodb-proxy.ts';
import { mongodbUrl } from './support/mongodb-url.ts';
import { type FakeAnalytics, Service } from './support/service.ts';

// ADR 53: account deletions, purges of clicks and looks at DNS are done by one replica at a time. A replica that is
// killed is one that MongoDB hears nothing of any more. The stopwatch of the others is advanced.

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
const NAMES = ['account-deletions', 'click-purges', 'host-looks'];
const ABANDONED_AFTER_MS = 10_000;

/** A replica whose stopwatch stands still until the test advances it, and that can be killed. */
async function startReplica(databaseName?: string) {
  const purges: string[][] = [];
  const analytics: FakeAnalytics = {
    purgeLinks: async ({ links }) => {
      purges.push(links.map(({ linkId }) => linkId));
      return { done: false };
    },
  };
  const proxy = await startMongodbProxy(mongodbUrl());
  let atMs = 0;
  const service = await Service.start({
    mongodbUrl: proxy.url,
    analytics,
    stopwatch: () => atMs,
    ...(databaseName && { databaseName }),
  });
  ends.push(async () => {
    proxy.set('open');
    await service.close();
    await proxy.close();
  });
  return { service, purges, kill: () => proxy.set('cut'), advance: (ms: number) => (atMs += ms) };
}

/** Returns the replicas that hold the leases. */
async function holdersOf({ database }: Service): Promise<Set<string | null>> {
  const leases = await database.collections.leases.find({ _id: { $in: NAMES } }).toArray();
  return leases.length < NAMES.length ? new Set() : new Set(leases.map(({ holder }) => holder));
}

describe('two replicas', () => {
  test.concurrent('share each task: one at a time does it, and the other goes on if that one is killed', async ({
    expect,
  }) => {
    const first = await startReplica();
    await expect.poll(() => holdersOf(first.service)).toHaveLength(1);
    const [holder] = await holdersOf(first.service);
    const second = await startReplica(first.service.databaseName);
    const { collections } = second.service.database;
    const account = await second.service.createAccount();
    const { id } = await second.service.createLink(account.live);
    await second.service.delete(account.live, id);
    await collections.deletedLinks.updateOne({ _id: id }, { $set: { purge_at: new Date(0) } });
    await expect.poll(() => first.purges).toEqual([[id]]);
    second.advance(ABANDONED_AFTER_MS - 1);
    // The first replica does what the second one is asked for.
    await second.service.accounts.deleteAccount(
      { username: account.username },
      await second.service.asService('admin'),
    );
    expect(await holdersOf(second.service)).toEqual(new Set([holder]));
    expect(second.purges).toEqual([]);

    const other = await second.service.createAccount();
    await second.service.createLink(other.live);
    first.kill();
    await collections.accounts.updateOne({ _id: other.id }, { $set: { keys: [], deleting_at: new Date() } });
    await vi.waitFor(
      async () => {
        second.advance(ABANDONED_AFTER_MS / 2);
        const holders = await holdersOf(second.service);
        expect(holders.size).toBe(1);
        expect(holders).not.toContain(holder);
      },
      { timeout: 60_000, interval: 1_500 },
    );
    await expect.poll(() => second.purges).toContainEqual([id]);
    await expect.poll(() => collections.links.countDocuments({ account_id: other.id })).toBe(0);
  });
});

describe('a task', () => {
  /** Shares a task between replicas on one database, each with a stopwatch of its own. */
  function share(service: Service, run: (replica: number, ending: AbortSignal) => Promise<void>) {
    const store = new LeasesStore(service.database);
    return [0, 1].map((replica) => {
      let atMs = 0;
      let isReachable = true;
      const errors: unknown[] = [];
      const call = <Result>(work: () => Promise<Result>) =>
        isReachable ? work() : Promise.reject(new Error('unreachable'));
      const task: LeasedTask = { name: 'task', everyMs: 20, run: (ending) => run(replica, ending) };
      const tasks = new LeasedTasks({
        leases: {
          list: (names) => call(() => store.list(names)),
          take: (lease, holder) => call(() => store.take(lease, holder)),
          renew: (names, holder) => call(() => store.renew(names, holder)),
          release: (name, holder) => call(() => store.release(name, holder)),
        },
        tasks: [task],
        onError: (error) => errors.push(error),
        stopwatch: () => atMs,
      });
      const running = tasks.start();
      ends.push(() => running.close());
      return {
        errors,
        advance: (ms: number) => (atMs += ms),
        reach: (is: boolean) => {
          isReachable = is;
        },
        close: () => running.close(),
      };
    });
  }
  async function startService() {
    const service = await Service.start();
    ends.push(() => service.close());
    return service;
  }

  test.concurrent('that was taken over ends at its former holder once that reaches the database', async ({
    expect,
  }) => {
    const endings: AbortSignal[][] = [[], []];
    const replicas = share(await startService(), async (replica, ending) => {
      endings[replica]!.push(ending);
      await new Promise<void>((resolve) => ending.addEventListener('abort', () => resolve(), { once: true }));
    });
    const count = () => endings.map((list) => list.length).join();
    await expect.poll(() => count().includes('1')).toBe(true);
    const holder = endings[0]!.length === 1 ? 0 : 1;
    const other = 1 - holder;
    replicas[holder]!.reach(false);
    await vi.waitFor(
      () => {
        replicas[other]!.advance(ABANDONED_AFTER_MS / 2);
        expect(endings[other]).toHaveLength(1);
      },
      { timeout: 60_000, interval: 1_500 },
    );
    expect(endings[holder]![0]!.aborted).toBe(false);
    replicas[holder]!.reach(true);
    await expect.poll(() => endings[holder]![0]!.aborted).toBe(true);
    expect(endings[other]![0]!.aborted).toBe(false);
    expect(endings[holder]).toHaveLength(1);
  });

  test.concurrent('is given back by a replica where it fails, and by one that shuts down', async ({ expect }) => {
    const service = await startService();
    const runs: number[] = [];
    let fails = false;
    const replicas = share(service, async (replica) => {
      if (fails) throw new Error('down');
      runs.push(replica);
    });
    await expect.poll(() => runs.length).toBeGreaterThan(2);
    expect(new Set(runs).size).toBe(1);
    fails = true;
    const holder = async () => (await service.database.collections.leases.findOne({ _id: 'task' }))!.holder;
    await expect.poll(holder).toBeNull();
    expect(replicas.flatMap(({ errors }) => errors)).toContainEqual(new Error('down'));
    fails = false;
    const before = runs.length;
    await expect.poll(() => runs.length).toBeGreaterThan(before);
    const last = runs.at(-1)!;
    await replicas[last]!.close();
    const ended = runs.length;
    await expect.poll(() => runs.slice(ended)).toContain(1 - last);
  });
});
