import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collection, MongoClient, Timestamp } from 'mongodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { randomCredentials } from '../../src/credentials.ts';
import { type MongoServer, startMongoServer } from '../../src/mongodb/server.ts';

// LMDB reuses a page once no reader can see its old content: a reader that stays open makes the file grow with each
// write.

interface Link {
  _id: number;
  account: number;
  tags: string[];
  text: string;
  nested: object;
  unordered: Timestamp;
}

const CREATES = 200;
/** More than a create writes, but less than it adds to the file while a reader stays open. */
const BYTES_PER_CREATE = 8 * 1024;

let folder: string;
let server: MongoServer;
let client: MongoClient;
let links: Collection<Link>;
let lastId = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-mongodb-'));
  server = await startMongoServer({ dataDir: folder, credentials: randomCredentials() });
  client = await MongoClient.connect(server.url);
  links = client.db('pages').collection('links');
  await links.createIndex({ account: 1, _id: 1 });
  await links.createIndex({ tags: 1 });
  await links.insertMany(Array.from({ length: 3000 }, newLink));
  await create();
});
afterEach(async () => {
  await client.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function newLink(): Link {
  lastId += 1;
  return {
    _id: lastId,
    account: lastId % 10,
    tags: ['a', `tag ${lastId}`],
    text: 'x'.repeat(200),
    nested: {},
    unordered: new Timestamp({ t: 1, i: 1 }),
  };
}

async function create(): Promise<void> {
  for (let n = 0; n < CREATES; n += 1) await links.insertOne(newLink());
}

const COUNT = [{ $match: { account: 2 } }, { $group: { _id: null, n: { $sum: 1 } } }];
const firstPage = [{ $match: { account: 1 } }, { $sort: { _id: -1 } }, { $limit: 20 }];

it.each<[reader: string, read: () => Promise<unknown>]>([
  ['a list with a limit', () => links.aggregate(firstPage).toArray()],
  [
    'a list with a limit and a skip',
    () => links.aggregate([...firstPage.slice(0, 2), { $skip: 5 }, { $limit: 5 }]).toArray(),
  ],
  ['a list that is sorted without an index', () => links.find().sort({ text: 1 }).limit(5).toArray()],
  [
    'a pipeline with the count of another',
    () => links.aggregate([...firstPage, { $unionWith: { coll: 'links', pipeline: COUNT } }]).toArray(),
  ],
  [
    'a pipeline whose union fails',
    () =>
      links
        .aggregate([...firstPage, { $unionWith: { coll: 'links', pipeline: [{ $sort: { nested: 1 } }] } }])
        .toArray()
        .catch(String),
  ],
  [
    'a filter that fails on a document',
    () =>
      links
        .find({ unordered: 1 as never, account: 1 })
        .toArray()
        .catch(String),
  ],
  [
    'a find that fails in a later batch',
    () => links.find({ account: 1 }, { batchSize: 2, maxTimeMS: 1 }).sort({ text: 1 }).toArray().catch(String),
  ],
  ['a cursor that its client left open', () => links.find({}, { batchSize: 2 }).next()],
  [
    'a cursor that its client closed',
    async () => {
      const cursor = links.find({}, { batchSize: 2 });
      await cursor.next();
      await cursor.close();
    },
  ],
  [
    'a connection that was cut in the middle',
    async () => {
      const other = await MongoClient.connect(server.url);
      const reading = other
        .db('pages')
        .collection('links')
        .find({ text: { $regex: 'nowhere' } })
        .toArray()
        .catch(String);
      await other.close();
      await reading;
    },
  ],
  ['an existence check', () => links.findOne({ tags: 'a' })],
  ['a count with a limit', () => links.countDocuments({ tags: { $in: ['a', 'tag 7'] } }, { limit: 3 })],
  ['an update that fails', () => links.updateOne({ account: 1 }, { $inc: { text: 1 } } as never).catch(String)],
  ['findOneAndUpdate', () => links.findOneAndUpdate({ account: 1 }, { $set: { text: 'y' } })],
  ['the list of indexes', () => links.listIndexes().batchSize(1).next()],
])('the file reuses its pages after %s', async (_reader, read) => {
  const size = async () => (await stat(join(folder, 'data.mdb'))).size;
  await read();
  const before = await size();
  await create();
  const grown = (await size()) - before;
  expect(grown).toBeLessThan(CREATES * BYTES_PER_CREATE);
});
