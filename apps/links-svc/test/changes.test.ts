import crypto, { randomBytes } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { BulkResults, Job } from '@waymark/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventId } from '../src/events/event.ts';
import { ALPHABET } from '../src/slugs/slug-generator.ts';
import { writeHost } from './support/hosts.ts';
import { JobsClient } from './support/jobs.ts';
import { expectConsistent } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';

// ADR 50: a change is part of one transaction. Two replicas write to the same accounts.

/** What is generated before other slugs. */
const generated: string[] = [];

/** Makes the random numbers of slugs those of `generated`. Files share modules, so none can be replaced. */
function chooseSlugs(): void {
  const { randomInt } = crypto;
  let slug = '';
  vi.spyOn(crypto, 'randomInt').mockImplementation(((max: number, ...rest: []) => {
    if (max !== ALPHABET.length) return randomInt(max, ...rest);
    if (slug === '') slug = generated.shift() ?? '';
    const [first] = slug;
    slug = slug.slice(1);
    return first === undefined ? randomInt(max) : ALPHABET.indexOf(first);
  }) as typeof randomInt);
  syncBuiltinESMExports();
}

let service: Service;
let replica: Service;
/** The commands in transactions of the service. */
const sent: string[] = [];
beforeAll(async () => {
  chooseSlugs();
  service = await Service.start({
    onCommand({ commandName, command }) {
      if (command.autocommit === false) sent.push(commandName);
    },
  });
  replica = await Service.start({ databaseName: service.databaseName });
});
afterAll(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await replica.close();
  await service.close();
});

const destination_url = 'https://example.com/';

test('changes of two replicas that arrive together are all done, and the log of each account has no gap', async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => service.createAccount()));
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      (n % 2 ? service : replica).create(accounts[n % 4]!.live, { destination_url, title: `t${n}` }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  for (const { id, live } of accounts) {
    await expectConsistent(service.database, id);
    expect((await replica.list(live)).body.total).toBe(50);
  }
});

test('many changes of one account do not keep another account waiting', async () => {
  const [flooding, other] = [await service.createAccount(), await service.createAccount()];
  let done = 0;
  const flood = Array.from({ length: 500 }, () =>
    service.create(flooding.live, { destination_url }).then(() => {
      done += 1;
    }),
  );
  await expect.poll(() => done, { interval: 1 }).toBeGreaterThan(0);
  await service.createLink(other.live);
  expect(done).toBeLessThan(400);
  await Promise.all(flood);
  await expectConsistent(service.database, flooding.id);
});

test('what waits is bounded for each account: the rest is refused at once, and other accounts are not', async () => {
  const [flooding, other] = [await service.createAccount(), await service.createAccount()];
  const operations = Array.from({ length: 100 }, () => ({ op: 'create', link: { destination_url } }));
  const flood = Array.from({ length: 80 }, () =>
    service.request<{ error?: string; results?: { status: number }[] }>(flooding.live, 'POST', '/api/v1/links/bulk', {
      body: { operations },
    }),
  );
  expect((await service.create(other.live, { destination_url })).status).toBe(201);
  const answers = await Promise.all(flood);
  const refused = answers.filter(({ status }) => status !== 200);
  for (const { status, headers } of refused) expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  const BUSY = 'The service is too busy right now; try again in a moment.';
  expect(refused.map(({ body }) => body.error)).toContain(BUSY);
  // Of a request that is done in part, the other operations are 503. On a busy machine, the time of some requests ends:
  // they may be done all the same.
  const created = answers.flatMap(({ body }) => body.results ?? []).filter(({ status }) => status === 201).length;
  const late = refused.filter(({ body }) => body.error !== BUSY).length;
  const { total } = (await service.list(flooding.live)).body;
  expect(total).toBeGreaterThanOrEqual(created);
  expect(total).toBeLessThanOrEqual(created + 100 * late);
  // Those may still be under way.
  await vi.waitFor(() => expectConsistent(service.database, flooding.id), { timeout: 60_000, interval: 500 });
});

test('an undo that is refused because too many jobs wait can be done later', async () => {
  const { id, live } = await service.createAccount();
  const jobs = new JobsClient(service, live);
  const link = await service.createLink(live, { title: 'before' });
  const edit = await jobs.start({ kind: 'edit', filter: { all: true }, change: { title: 'after' } });
  expect(edit.body).toMatchObject({ state: 'done', changed: 1 });
  const undo = () => service.request<Job>(live, 'POST', `/api/v1/jobs/${edit.body.id}/undo`);
  const waiting = Array.from({ length: 21 }, (_, n) => `waiting-${n}`);
  const { jobQueues } = service.database.collections;
  await jobQueues.insertOne({ _id: id, holder: 'another replica', beat: 'one', revision: 'one', jobs: waiting });
  expect((await undo()).status).toBe(429);
  await jobQueues.deleteOne({ _id: id });
  expect((await undo()).body).toMatchObject({ kind: 'undo', state: 'done', changed: 1 });
  expect((await service.get(live, link.id)).body.title).toBe('before');
});

describe('an account that a replica wrote twice in a row', () => {
  /** The commands with which a creation is written. */
  const writes = process.env.MONGODB_URL === undefined ? ['bulkWrite'] : ['update', 'insert', 'insert', 'insert'];
  const create = (body: object = {}, headers?: Record<string, string>) =>
    service.create(account.live, { destination_url, ...body }, headers);
  let account: TestAccount;
  beforeEach(async () => {
    account = await service.createAccount();
    for (let n = 0; n < 2; n++) await create();
    sent.length = 0;
  });

  test('is not read for a creation: it takes two commands in a row, or three with a slug that it names', async () => {
    expect((await create()).status).toBe(201);
    expect(sent).toEqual([...writes, 'commitTransaction']);
    sent.length = 0;
    expect((await create({ slug: `own-${account.username}` })).status).toBe(201);
    expect(sent).toEqual(['find', ...writes, 'commitTransaction']);
    await expectConsistent(service.database, account.id);
  });

  test('is read again if another replica changed it, and the change is done', async () => {
    const link = await replica.createLink(account.live, { visibility: 'private' });
    expect((await create({ title: 'after' })).status).toBe(201);
    expect(sent).toContain('abortTransaction');
    await replica.update(account.live, link.id, { visibility: 'public' });
    expect((await service.delete(account.live, link.id)).status).toBe(204);
    await expectConsistent(service.database, account.id);
  });

  test('is read until this replica has written it twice in a row again: two replicas in turns repeat nothing', async () => {
    await replica.createLink(account.live);
    await create();
    const repeated = () =>
      Promise.all([service, replica].map((one) => one.metric('change_transactions_repeated_total')));
    const before = await repeated();
    for (let n = 0; n < 4; n++) for (const one of [replica, service]) await one.createLink(account.live);
    expect(await repeated()).toEqual(before);
    await expectConsistent(service.database, account.id);
  });

  test('refuses nothing by what it was: a change that is refused reads it', async () => {
    const { host } = await writeHost(replica, account, `${account.username}.example`);
    const answer = await create({ host });
    expect([answer.status, answer.body.host]).toEqual([201, host]);
    expect(sent).toEqual(['find', ...writes, 'commitTransaction']);
  });

  test('creates nothing once another replica deletes it', async () => {
    const { accounts } = service.database.collections;
    const { revision } = (await accounts.findOne({ _id: account.id }))!;
    const deletion = replica.accounts.deleteAccount({ username: account.username }, await replica.asService('admin'));
    const begun = () => accounts.countDocuments({ _id: account.id, deleting_at: { $exists: true } });
    await expect.poll(begun, { interval: 5 }).toBe(1);
    expect((await create()).status).toBe(401);
    await deletion;
    // Its beginning has no event, and neither has the end of its links.
    expect(await accounts.findOne({ _id: account.id })).toMatchObject({ revision });
    expect(await service.database.collections.links.countDocuments({ account_id: account.id })).toBe(0);
  });

  test('counts what another replica keeps for its keys, also without an event', async () => {
    const taken = (await create()).body.slug;
    const refused = await replica.create(account.live, { destination_url, slug: taken }, { 'idempotency-key': 'one' });
    expect(refused.status).toBe(422);
    expect((await create({}, { 'idempotency-key': 'two' })).status).toBe(201);
    const { collections } = service.database;
    const records = await collections.idempotency.find({ account_id: account.id }).toArray();
    const { idempotency_bytes } = (await collections.accounts.findOne({ _id: account.id }))!;
    const counted = Object.values(idempotency_bytes.full_access).reduce((sum, bytes) => sum + bytes, 0);
    expect(records).toHaveLength(2);
    const kept = records.reduce((sum, { answer }) => sum + answer.length(), 0);
    expect(counted).toBeGreaterThanOrEqual(kept);
  });

  test('is read again once a backup was restored and written as often as before', async () => {
    const { accounts, links, redirects, events } = service.database.collections;
    const backup = (await accounts.findOne({ _id: account.id }))!;
    const lost = (await create()).body;
    await accounts.deleteOne({ _id: account.id });
    await accounts.insertOne(backup);
    await links.deleteOne({ _id: lost.id, account_id: account.id });
    await redirects.deleteOne({ _id: `/${lost.slug}` });
    await events.deleteOne({ _id: eventId(account.id, backup.revision + 1) });
    await replica.createLink(account.live, { visibility: 'private' });
    expect((await create()).status).toBe(201);
    await expectConsistent(service.database, account.id);
  });

  test('keeps the last use of a key when another key is rotated', async () => {
    await service.resolveKey(account.publicKey);
    const { accounts } = service.database.collections;
    const used = () => accounts.countDocuments({ _id: account.id, 'keys.last_used_at': { $exists: true } });
    await expect.poll(used, { interval: 5 }).toBe(1);
    const admin = await service.asService('admin');
    await service.accounts.rotateKey({ username: account.username, scope: 'full_access' }, admin);
    expect(await used()).toBe(1);
  });

  test.each(['known', 'not known'])('gets another slug if the generated one is taken: it is %s', async (which) => {
    const other = await service.createAccount();
    const taken = await replica.createLink(other.live);
    if (which === 'not known') await replica.createLink(account.live);
    generated.push(taken.slug);
    const created = await create();
    expect([created.status, generated]).toEqual([201, []]);
    expect(created.body.slug).not.toBe(taken.slug);
    const operations = [0, 1].map(() => ({ op: 'create', link: { destination_url } }));
    generated.push('same222', 'same222');
    const bulk = await service.request<BulkResults>(account.live, 'POST', '/api/v1/links/bulk', {
      body: { operations },
    });
    expect(new Set(bulk.body.results.map(({ link }) => link?.slug)).size).toBe(2);
    await expectConsistent(service.database, account.id);
    await expectConsistent(service.database, other.id);
  });

  test('and another one that create the same slug at once on two replicas: one of them has it', async () => {
    const other = await replica.createAccount();
    for (let n = 0; n < 2; n++) await replica.createLink(other.live);
    for (let n = 0; n < 5; n++) {
      const body = { destination_url, slug: `${account.username}-${n}` };
      const answers = await Promise.all([service.create(account.live, body), replica.create(other.live, body)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
      expect(answers.find(({ status }) => status === 422)!.body.error).toContain(body.slug);
    }
    await expectConsistent(service.database, account.id);
    await expectConsistent(service.database, other.id);
  });
});

describe('random changes of the same few links by two replicas', () => {
  const slugs = ['one', 'two', 'three', 'four', 'five'];
  const step = fc.record({
    kind: fc.constantFrom('create', 'update', 'delete', 'bulk'),
    onReplica: fc.boolean(),
    account: fc.nat({ max: 1 }),
    target: fc.nat({ max: 9 }),
    slug: fc.constantFrom(...slugs),
    visibility: fc.constantFrom('public', 'private', 'unlisted'),
    archived: fc.boolean(),
    bySlug: fc.boolean(),
  });
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

  test('leave the log, the counts, the slugs and the redirects in agreement', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 8 }), async (rounds) => {
        const run = randomBytes(5).toString('hex');
        const accounts = [await service.createAccount(), await service.createAccount()];
        const ids: string[][] = [[], []];
        const perform = async (one: Step) => {
          const at = one.onReplica ? replica : service;
          const { live } = accounts[one.account] as TestAccount;
          const known = ids[one.account]!;
          const id = one.bySlug
            ? `${run}-${slugs[one.target % slugs.length]}`
            : (known[one.target % Math.max(known.length, 1)] ?? 'none');
          const fields = { slug: `${run}-${one.slug}`, visibility: one.visibility, archived: one.archived };
          if (one.kind === 'create') {
            const { status, body } = await at.create(live, { destination_url, ...fields });
            if (status === 201) known.push(body.id);
            expect([201, 422]).toContain(status);
          } else if (one.kind === 'update') {
            expect([200, 404, 422]).toContain((await at.update(live, id, fields)).status);
          } else if (one.kind === 'delete') {
            expect([204, 404]).toContain((await at.delete(live, id)).status);
          } else {
            const operations = [
              { op: 'delete', id },
              { op: 'create', link: { destination_url, ...fields } },
              { op: 'update', id, link: { archived: one.archived } },
              { op: 'upsert', link: { destination_url, ...fields } },
            ];
            const { status } = await at.request(live, 'POST', '/api/v1/links/bulk', { body: { operations } });
            expect(status).toBe(200);
          }
        };
        for (const round of rounds) await Promise.all(round.map(perform));
        for (const { id } of accounts) await expectConsistent(service.database, id);
      }),
      { numRuns: Number(process.env.MODEL_OPERATIONS ?? 200) / 20 },
    );
  }, 600_000);
});
