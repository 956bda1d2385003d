import { randomBytes } from 'node:crypto';
import type { Job } from '@waymark/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JobsClient } from './support/jobs.ts';
import { expectConsistent } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';

// ADR 50: a change is part of one transaction. Two replicas write to the same accounts.

let service: Service;
let replica: Service;
beforeAll(async () => {
  service = await Service.start();
  replica = await Service.start({ databaseName: service.databaseName });
});
afterAll(async () => {
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
  const flood = Array.from({ length: 1_500 }, () =>
    service.create(flooding.live, { destination_url }).then(() => {
      done += 1;
    }),
  );
  await expect.poll(() => done, { interval: 1 }).toBeGreaterThan(0);
  await service.createLink(other.live);
  expect(done).toBeLessThan(1_200);
  await Promise.all(flood);
  await expectConsistent(service.database, flooding.id);
});

test('what waits is bounded for each account: the rest is refused at once, and other accounts are not', async () => {
  const [flooding, other] = [await service.createAccount(), await service.createAccount()];
  const operations = Array.from({ length: 100 }, () => ({ op: 'create', link: { destination_url } }));
  const flood = Array.from({ length: 80 }, () =>
    service.request<{ error?: string }>(flooding.live, 'POST', '/api/v1/links/bulk', { body: { operations } }),
  );
  expect((await service.create(other.live, { destination_url })).status).toBe(201);
  const answers = await Promise.all(flood);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, headers, body } of refused)
    expect([status, headers.get('retry-after'), body.error]).toEqual([
      503,
      '1',
      'The service is too busy right now; try again in a moment.',
    ]);
  const total = 100 * answers.filter(({ status }) => status === 200).length;
  expect((await service.list(flooding.live)).body.total).toBe(total);
  await expectConsistent(service.database, flooding.id);
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
