import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Collections, collectionsOf } from '../src/database/collections.ts';
import { events } from '../src/database/migrations/0002-events.ts';
import { migrate } from '../src/database/migrations/migrate.ts';
import type { Migration } from '../src/database/migrations/migration.ts';
import { mongodbUrl } from './support/mongodb-url.ts';
import { dropDatabase } from './support/service.ts';

// Schemas have numbers: each migration runs in order, until it has succeeded once.

const name = `waymark_test_${randomBytes(6).toString('hex')}`;
let client: MongoClient;
let collections: Collections;
beforeAll(() => {
  client = new MongoClient(mongodbUrl());
  collections = collectionsOf(client.db(name));
});
afterAll(async () => {
  await client.close();
  await dropDatabase(mongodbUrl(), name);
});

test('migrations run once, in order; one that fails runs again, and replicas may run them together', async () => {
  const ran: string[] = [];
  let fails = true;
  const step = (number: number, work: () => Promise<unknown> = async () => {}): Migration => ({
    number,
    name: `step-${number}`,
    run: async () => {
      ran.push(`step-${number}`);
      await work();
    },
  });
  const steps = [
    step(1, () => collections.links.createIndexes([{ key: { account_id: 1, later: 1 }, name: 'later' }])),
    step(2, async () => {
      if (fails) throw new Error('down');
    }),
    step(3),
  ];
  await expect(migrate(collections, steps)).rejects.toThrow('down');
  expect(ran).toEqual(['step-1', 'step-2']);
  fails = false;
  await Promise.all([migrate(collections, steps), migrate(collections, steps)]);
  expect(ran.filter((one) => one === 'step-1')).toHaveLength(1);
  expect([...new Set(ran)]).toEqual(['step-1', 'step-2', 'step-3']);
  const recorded = await collections.migrations.find({}).sort({ _id: 1 }).toArray();
  expect(recorded.map(({ _id, name: named }) => [_id, named])).toEqual([
    [1, 'step-1'],
    [2, 'step-2'],
    [3, 'step-3'],
  ]);
  const before = ran.length;
  await migrate(collections, steps);
  expect(ran).toHaveLength(before);
  expect((await collections.links.indexes()).map((index) => index.name)).toContain('later');
});

test('accounts of before events were read get a key for their ids, once', async () => {
  await collections.accounts.insertOne({ _id: 'old', write_id: 'one' } as never);
  const keyOf = async () => (await collections.accounts.findOne({ _id: 'old' }))!.events_key;
  await events.run(collections);
  const key = await keyOf();
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  await events.run(collections);
  expect(await keyOf()).toBe(key);
});
