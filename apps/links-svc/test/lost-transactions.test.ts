import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectConsistent } from './support/log.ts';
import { startMongodbProxy } from './support/mongodb-proxy.ts';
import { mongodbUrl } from './support/mongodb-url.ts';
import { dropDatabase, Service, type TestAccount } from './support/service.ts';

// A database keeps a transaction whose connection was lost, and its locks, until its own time limit: 60 seconds in MongoDB.

const link = { destination_url: 'https://example.com/' };
let proxy: Awaited<ReturnType<typeof startMongodbProxy>>;
let service: Service;
let account: TestAccount;
beforeEach(async () => {
  proxy = await startMongodbProxy(mongodbUrl());
  const databaseName = `waymark_test_${randomBytes(6).toString('hex')}`;
  service = await Service.start({ mongodbUrl: proxy.url, databaseName });
  account = await service.createAccount();
  await service.createLink(account.live);
});
afterEach(async () => {
  await service.close();
  await dropDatabase(mongodbUrl(), service.databaseName);
  await proxy.close();
});

test('a change whose connection was lost while it wrote is done again, and not held up by what it left', async () => {
  const lost = proxy.lose('insert', 'abortTransaction');
  const created = service.create(account.live, link);
  await expect.poll(() => lost, { interval: 1 }).toContain('insert');
  proxy.lose('abortTransaction');
  expect((await created).status).toBe(201);
  await expectConsistent(service.database, account.id);
});

test('the next change of an account is done if the end of the last one is lost', async () => {
  const lost = proxy.lose('commitTransaction', 'abortTransaction');
  expect((await service.create(account.live, link)).status).toBe(503);
  expect(lost).toContain('commitTransaction');
  proxy.lose();
  expect((await service.create(account.live, link)).status).toBe(201);
  expect((await service.list(account.live)).body.total).toBe(2);
  await expectConsistent(service.database, account.id);
});

test.each([
  ['while it reads', 'find'],
  // It also names what a bulkWrite does.
  ['while it writes', 'insert'],
  ['at its end', 'commitTransaction'],
])(
  'an outage of 6 seconds that begins in a change, %s, delays no change for longer than that',
  async (_when, command) => {
    proxy.cutAt(command);
    const changes = [service.create(account.live, link)];
    await sleep(6_000);
    proxy.set('open');
    const status = async () => (await service.create(account.live, link)).status;
    await expect.poll(status, { timeout: 6_000, interval: 50 }).toBe(201);
    await Promise.all(changes);
    expect(await Promise.all(Array.from({ length: 20 }, status))).toEqual(Array.from({ length: 20 }, () => 201));
    await expectConsistent(service.database, account.id);
  },
);

test('a database that has bulkWrite no more, as if its version had been lowered, refuses no change', async () => {
  proxy.forget('bulkWrite');
  const answers = await Promise.all(Array.from({ length: 5 }, () => service.create(account.live, link)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  expect((await service.create(account.live, link)).status).toBe(201);
  await expectConsistent(service.database, account.id);
});

test.each(['insert', 'commitTransaction'])(
  'after a change of unknown outcome (%s), an account that was written twice in a row is read again',
  async (command) => {
    for (let n = 0; n < 2; n++) await service.createLink(account.live);
    const lost = proxy.lose(command, 'abortTransaction');
    const created = service.create(account.live, link, { 'idempotency-key': 'one' });
    await expect.poll(() => lost, { interval: 1 }).toContain(command);
    proxy.lose();
    const { status } = await created;
    expect([201, 503]).toContain(status);
    const again = await service.create(account.live, link, { 'idempotency-key': 'one' });
    expect(again.status).toBe(201);
    expect((await service.list(account.live)).body.total).toBe(4);
    await expectConsistent(service.database, account.id);
  },
);
