import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, JobChange } from '@waymark/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counts, JobsClient } from './support/jobs.ts';
import { eventsOf, expectConsistent } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Jobs, with two replicas whose clocks differ by an hour (ADR 53): each link once, whoever holds the lease.

const HOUR_MS = 3_600_000;
let early: Service;
let late: Service;
/** How far the stopwatches of both are ahead, after a test that did not wait. */
let aheadMs = 0;
const stopwatch = () => performance.now() + aheadMs;
beforeAll(async () => {
  early = await Service.start({ stopwatch });
  late = await Service.start({ databaseName: early.databaseName, now: () => Date.now() + HOUR_MS, stopwatch });
});
afterAll(async () => {
  await late.close();
  await early.close();
});

/** Creates links by bulk requests. */
async function create(account: TestAccount, count: number, fields: (n: number) => object = () => ({})): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const operations = Array.from({ length: Math.min(100, count - from) }, (_, n) => ({
      op: 'create',
      link: { destination_url: 'https://example.com/', ...fields(from + n) },
    }));
    await early.request(account.live, 'POST', '/api/v1/links/bulk', { body: { operations } });
  }
}
/** Takes the lease away from whoever holds it, as a replica does that believes the holder to be dead. */
async function steal({ id }: TestAccount, holder: string | null = null): Promise<boolean> {
  const [beat, revision] = [randomUUID(), randomUUID()];
  const { modifiedCount } = await early.database.collections.jobQueues.updateOne(
    { _id: id },
    { $set: { holder, beat, revision } },
  );
  return modifiedCount === 1;
}
async function expectOneEventEach(account: TestAccount, type: string, count: number): Promise<void> {
  const log = (await eventsOf(early.database, account.id)).filter((event) => event.type === type);
  expect([log.length, new Set(log.map(({ link_id }) => link_id)).size]).toEqual([count, count]);
  await expectConsistent(early.database, account.id);
}

test('a job whose lease goes from one replica to another all the time does each link once', async () => {
  const account = await early.createAccount();
  await create(account, 500);
  const jobs = [new JobsClient(early, account.live), new JobsClient(late, account.live)] as const;
  for (const [body, type, outcome] of [
    [{ kind: 'edit', filter: { all: true }, change: { add_hashtags: ['x'] } }, 'link.updated', 'changed'],
    [{ kind: 'delete', filter: { all: true } }, 'link.deleted', 'deleted'],
  ] as const) {
    const answer = jobs[0].start(body);
    await expect.poll(async () => (await jobs[1].list()).body.jobs[0]?.state, { interval: 5 }).toBe('running');
    while (await steal(account)) await sleep(Math.random() * 400);
    const job = await jobs[1].over((await answer).body.id);
    expect(job).toMatchObject({ state: 'done', matched: 500, ...counts({ [outcome]: 500 }) });
    await expectOneEventEach(account, type, 500);
  }
});

test('an import whose lease goes from one replica to another all the time makes each row once', async () => {
  const account = await early.createAccount();
  const jobs = [new JobsClient(early, account.live), new JobsClient(late, account.live)] as const;
  const file = `url,title\n${Array.from({ length: 600 }, (_, n) => `https://example.com/${n},T${n}\n`).join('')}`;
  for (const outcome of ['created', 'unchanged']) {
    const { body } = await jobs[0].import(file);
    while (await steal(account)) await sleep(Math.random() * 200);
    const job = await jobs[1].over(body.id);
    expect(job).toMatchObject({ state: 'done', matched: 600, ...counts({ [outcome]: 600 }) });
    await expectOneEventEach(account, 'link.created', 600);
  }
});

test('a lease whose holder is gone is taken over, whatever the clocks say, and although jobs begin and are cancelled', async () => {
  const accounts = [await early.createAccount(), await early.createAccount()];
  const jobs = accounts.map((account, n) => new JobsClient(n ? late : early, account.live));
  for (const account of accounts) {
    await create(account, 10);
    await early.database.collections.jobQueues.insertOne({
      _id: account.id,
      holder: 'gone',
      beat: 'b',
      revision: 'r',
      jobs: [],
    });
  }
  const start = (one: JobsClient) => one.start({ kind: 'edit', filter: { all: true }, change: { title: 'x' } });
  const answers = jobs.map(start);
  const others: Promise<unknown>[] = [];
  const areOver = async () =>
    (await Promise.all(jobs.map((one) => one.list()))).every(({ body }) => body.jobs.at(-1)?.state === 'done');
  // Each of these writes the queue.
  while (!(await areOver())) {
    others.push(...jobs.map(start));
    await sleep(500);
    aheadMs += 2_000;
    for (const one of jobs) {
      const { body } = await one.list();
      for (const { id, state } of body.jobs.slice(0, -1)) if (state === 'waiting') await one.cancel(id);
    }
  }
  for (const [n, answer] of answers.entries())
    expect(await jobs[n]!.over((await answer).body.id)).toMatchObject({ state: 'done', ...counts({ changed: 10 }) });
  await Promise.all(others);
});

test('a replica that shuts down gives its jobs back, and another one goes on', async () => {
  const account = await early.createAccount();
  await create(account, 1_500);
  const third = await Service.start({ databaseName: early.databaseName });
  const jobs = new JobsClient(late, account.live);
  const holder = async () => (await early.database.collections.jobQueues.findOne({ _id: account.id }))?.holder;
  let answer: Promise<unknown> | undefined;
  // Another replica may have been faster.
  for (let title = 1; (await third.metric('jobs_running')) === 0; title++) {
    for (const { id } of (await jobs.list()).body.jobs) await jobs.cancel(id);
    const body = { kind: 'edit', filter: { all: true }, change: { title: `${title}` } };
    answer = new JobsClient(third, account.live).start(body).catch(() => {});
    await expect.poll(async () => (await jobs.list()).body.jobs[0]?.done ?? 0, { interval: 5 }).toBeGreaterThan(0);
  }
  const before = await holder();
  await third.close();
  await answer;
  expect(await holder()).not.toBe(before);
  const { id } = (await jobs.list()).body.jobs[0]!;
  const job = await jobs.over(id);
  expect(job).toMatchObject({ state: 'done', matched: 1_500, ...counts({ changed: 1_500 }) });
  await expectConsistent(early.database, account.id);
});

test('10 jobs of one account that arrive at two replicas together run one after the other, in one order', async () => {
  const account = await early.createAccount();
  await create(account, 110);
  const clients = [new JobsClient(early, account.live), new JobsClient(late, account.live)] as const;
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      clients[n % 2 === 0 ? 0 : 1].start({ kind: 'edit', filter: { all: true }, change: { title: `t${n}` } }),
    ),
  );
  for (const { body } of answers)
    expect(await clients[0].over(body.id)).toMatchObject({ state: 'done', ...counts({ changed: 110 }) });
  const log = (await eventsOf(early.database, account.id)).slice(110);
  const order = log.map(({ data }) => (data as { link: { title: string } }).link.title);
  // Each job is one run of 110 events.
  expect(new Set(order.filter((_, n) => n % 110 === 0)).size).toBe(10);
  for (const [n, title] of order.entries()) expect(title).toBe(order[n - (n % 110)]);
  await expectConsistent(early.database, account.id);
});

describe('jobs compared with a plain recount', () => {
  const tags = ['a', 'b', 'c', 'd'];
  const hosts = ['one.example', 'two.example', 'www.one.example'];
  const link = fc.record({
    title: fc.constantFrom('x', 'y', null),
    hashtags: fc.subarray(tags),
    host: fc.constantFrom(...hosts),
    archived: fc.boolean(),
    hidden: fc.boolean(),
  });
  const pair = (values: string[]) => fc.record({ from: fc.constantFrom(...values), to: fc.constantFrom(...values) });
  const change = fc
    .record<JobChange>(
      {
        title: fc.constantFrom('x', 'y', null),
        archived: fc.boolean(),
        replace_hashtag: pair(tags),
        remove_hashtags: fc.subarray(tags, { minLength: 1 }),
        add_hashtags: fc.subarray(tags, { minLength: 1 }),
        replace_host: pair(hosts),
      },
      { requiredKeys: [] },
    )
    .filter((one) => Object.keys(one).length > 0);
  const filter = fc.oneof(
    fc.constant({ all: true }),
    fc.record({ hashtag: fc.constantFrom(...tags), archived: fc.constantFrom('true', 'false', 'any') }),
    fc.record({ domain: fc.constantFrom(...hosts) }),
  );
  const job = fc.record({
    kind: fc.constantFrom('edit', 'edit', 'edit', 'delete'),
    filter,
    change,
    dry_run: fc.boolean(),
    byPublicKey: fc.boolean(),
    undo: fc.boolean(),
  });
  type Model = {
    title: string | null;
    hashtags: string[];
    destination_url: string;
    archived: boolean;
    hidden: boolean;
  };

  function matches(one: Model, wanted: Record<string, unknown>, byPublicKey: boolean): boolean {
    if (byPublicKey && one.hidden) return false;
    if (wanted.all === true) return true;
    const archived = (wanted.archived ?? 'false') as string;
    if (archived !== 'any' && String(one.archived) !== archived) return false;
    if (wanted.hashtag !== undefined && !one.hashtags.includes(wanted.hashtag as string)) return false;
    const { hostname } = new URL(one.destination_url);
    return wanted.domain === undefined || hostname === wanted.domain || hostname.endsWith(`.${wanted.domain}`);
  }

  function edited(one: Model, { title, archived, ...others }: JobChange): Model {
    const { replace_hashtag, remove_hashtags = [], add_hashtags = [], replace_host } = others;
    const replaced = one.hashtags.map((tag) => (tag === replace_hashtag?.from ? replace_hashtag.to : tag));
    const kept = replaced.filter((tag) => !remove_hashtags.includes(tag));
    const { hostname } = new URL(one.destination_url);
    return {
      ...one,
      ...(title !== undefined && { title }),
      ...(archived !== undefined && { archived }),
      hashtags: [...new Set([...kept, ...add_hashtags])],
      destination_url: hostname === replace_host?.from ? `https://${replace_host.to}/` : one.destination_url,
    };
  }

  test('count, change, delete and undo what they promise', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(link, { maxLength: 8 }), fc.array(job, { maxLength: 4 }), async (links, steps) => {
        const account = await early.createAccount();
        const model = new Map<string, Model>();
        for (const { host, hidden, ...fields } of links) {
          const destination_url = `https://${host}/`;
          const { id } = await early.createLink(account.live, {
            ...fields,
            destination_url,
            visibility: hidden ? 'private' : 'public',
          });
          model.set(id, { ...fields, destination_url, hidden });
        }
        for (const [n, { undo, byPublicKey, ...body }] of steps.entries()) {
          const client = new JobsClient(n % 2 ? late : early, byPublicKey ? account.public : account.live);
          const before = new Map(model);
          const expected = { matched: 0, changed: 0, deleted: 0, unchanged: 0, refused: 0 };
          for (const [id, one] of before) {
            if (!matches(one, body.filter, byPublicKey)) continue;
            expected.matched += 1;
            const after = edited(one, body.change);
            if (body.kind === 'delete') expected.deleted += 1;
            else expected[JSON.stringify(after) === JSON.stringify(one) ? 'unchanged' : 'changed'] += 1;
            if (body.dry_run) continue;
            if (body.kind === 'delete') model.delete(id);
            else model.set(id, after);
          }
          const { change: fields, kind } = body;
          const done: Job = await client.run(
            kind === 'delete' ? { ...body, change: undefined } : { ...body, change: fields },
          );
          expect(done).toMatchObject(expected);
          if (!undo || done.undo_until === null) continue;
          expect(await client.runUndo(done.id)).toMatchObject({ matched: expected.changed, changed: expected.changed });
          for (const [id, one] of before) model.set(id, one);
        }
        for (const [id, { hidden, ...fields }] of model)
          expect((await early.get(account.live, id)).body).toMatchObject(fields);
        expect((await early.list(account.live, { archived: 'any' })).body.total).toBe(model.size);
        await expectConsistent(early.database, account.id);
      }),
      { numRuns: Number(process.env.MODEL_OPERATIONS ?? 200) / 20 },
    );
  });
});
