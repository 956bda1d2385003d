import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Collections, collectionsOf } from '../src/database/collections.ts';
import type { AccountDocument } from '../src/database/documents/account.ts';
import type { LinkDocument } from '../src/database/documents/link.ts';
import { migrate } from '../src/database/migrations/migrate.ts';
import type { Migration } from '../src/database/migrations/migration.ts';
import { derivedFields } from '../src/links/link.ts';
import { dropDatabase } from './support/service.ts';

// Schemas have numbers: each migration runs in order, until it has succeeded once.

const name = `waymark_test_${randomBytes(6).toString('hex')}`;
let client: MongoClient;
let collections: Collections;
beforeAll(() => {
  client = new MongoClient(inject('mongodbUrl'));
  collections = collectionsOf(client.db(name));
});
afterAll(async () => {
  await client.close();
  await dropDatabase(inject('mongodbUrl'), name);
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

test('links that were stored before are found with full case folding', async () => {
  await collections.migrations.deleteMany({});
  await collections.accounts.insertOne({ _id: 'a', username_key: 'a' } as AccountDocument);
  const link = (id: string, title: string | null) => {
    const fields = { slug: id, destination_url: 'https://example.com/', title, description: null, note: null };
    const all = { ...fields, hashtags: [], visibility: 'public', archived: false, account_id: 'a' };
    return { _id: `a${id}`, ...all, ...derivedFields(all as never) } as unknown as LinkDocument;
  };
  const expected = [link('1', 'Große Straße'), link('2', 'İzmir'), link('3', 'Plain'), link('4', null)];
  await collections.links.insertMany(
    expected.map((one) => ({
      ...one,
      title_key: one.title?.toLowerCase() ?? null,
      search_text: [one.slug, one.title, one.destination_url]
        .filter((text) => text !== null)
        .join('\n')
        .toLowerCase(),
    })),
  );
  await migrate(collections);
  await migrate(collections);
  expect(await collections.links.find({}).sort({ _id: 1 }).toArray()).toEqual(expected);
});

test('links of an older version get the indexes of the filters `expired` and `destination_url`', async () => {
  await collections.links.dropIndexes();
  await collections.migrations.deleteMany({ _id: { $in: [4] } });
  await Promise.all([migrate(collections), migrate(collections)]);
  const names = (await collections.links.indexes()).map((index) => index.name);
  expect(names).toEqual(expect.arrayContaining(['state_expires_at', 'state_destination']));
});

test('a database of an older version gets the indexes of passkeys and of used challenges', async () => {
  await collections.passkeys.dropIndexes();
  await collections.migrations.deleteMany({ _id: { $in: [6] } });
  await Promise.all([migrate(collections), migrate(collections)]);
  const names = async (name: 'passkeys' | 'usedChallenges') =>
    (await collections[name].indexes()).map((index) => index.name);
  expect(await names('passkeys')).toContain('account');
  expect(await names('usedChallenges')).toContain('expiry');
});

test('a database of an older version gets the indexes of short hosts and of the links that use one', async () => {
  await migrate(collections);
  await collections.hosts.dropIndexes();
  await collections.links.dropIndexes();
  await collections.migrations.deleteMany({ _id: { $in: [7, 8] } });
  await migrate(collections);
  const names = async (name: 'hosts' | 'links') => (await collections[name].indexes()).map((index) => index.name);
  expect(await names('hosts')).toEqual(expect.arrayContaining(['account', 'verified', 'looks']));
  expect(await names('links')).toEqual(expect.arrayContaining(['short_host', 'state_slug_id', 'state_short_host']));
});
