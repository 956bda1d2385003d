import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { Database } from '../src/database/database.ts';
import { newLinkId } from '../src/database/ids.ts';
import type { LinkDocument } from '../src/links/link.ts';
import { dropDatabase, Service, type TestAccount } from './support/service.ts';

// A database of an earlier version: slugs are unique by an index of links, and have no collection of their own.

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const FORMER = ['account_hidden', 'account_clicks', 'slug'];
const names = async (database: Database) => (await database.links.indexes()).map(({ name }) => name);

interface Old {
  service: Service;
  account: TestAccount;
  links: LinkDocument[];
}

/** Returns the database of a service with this many links, as an earlier version would have left it. */
async function oldDatabase(count: number): Promise<Old> {
  const service = await Service.start();
  cleanups.push(() => service.close());
  const account = await service.createAccount();
  const link = await service.createLink(account.live, { slug: 'Moved-0' });
  const { links, slugs } = service.database;
  const filter = { account_id: account.id };
  const stored = (await links.findOne({ ...filter, _id: link.id }))!;
  const others = Array.from({ length: count - 1 }, (_, n) => ({
    ...stored,
    _id: newLinkId(account.id, Date.now()),
    slug: `Moved-${n + 1}`,
    slug_key: `moved-${n + 1}`,
  }));
  if (others.length > 0) await links.insertMany(others);
  await slugs.deleteOne({ _id: 'moved-0' });
  await links.createIndexes([
    { key: { slug_key: 1 }, name: 'slug', unique: true },
    { key: { account_id: 1, hidden: 1, _id: 1 }, name: 'account_hidden' },
    { key: { account_id: 1, clicks: 1, _id: 1 }, name: 'account_clicks' },
    { key: { note: 1 }, name: 'of_an_operator' },
  ]);
  return { service, account, links: [stored, ...others] };
}

/** Opens the database as `migrate` does. */
function open(databaseName: string): Database {
  return new Database({ url: inject('mongodbUrl'), database: databaseName });
}

async function upgrade(databaseName: string): Promise<void> {
  const database = open(databaseName);
  await database.whenUpgraded();
  await database.close();
}

test('the slugs of stored links are moved, and the former indexes removed; those of an operator stay', async () => {
  const { service, account, links } = await oldDatabase(2_500);
  const visit = (slug: string) => service.request(null, 'GET', `/${slug}`);
  expect((await visit('moved-7')).status).toBe(404);
  await upgrade(service.databaseName);
  const claims = await service.database.slugs.find({ _id: { $in: links.map(({ slug_key }) => slug_key) } }).toArray();
  expect(new Map(claims.map(({ _id, link_id }) => [_id, link_id]))).toEqual(
    new Map(links.map(({ slug_key, _id }) => [slug_key, _id])),
  );
  const left = await names(service.database);
  expect(left).toContain('of_an_operator');
  expect(left.filter((name) => FORMER.includes(name!))).toEqual([]);

  // A slug of another link, which no visitor asked for while it was missing.
  expect((await visit('MOVED-8')).status).toBe(302);
  const other = await service.createAccount();
  expect((await service.create(other.live, { destination_url: 'https://e.example/', slug: 'moved-8' })).status).toBe(
    422,
  );
  expect((await service.delete(account.live, links[8]!._id)).status).toBe(204);
  expect((await service.create(other.live, { destination_url: 'https://e.example/', slug: 'moved-8' })).status).toBe(
    201,
  );
}, 60_000);

test('an upgrade that was interrupted continues, and several can run concurrently', async () => {
  const { service, links } = await oldDatabase(4_000);
  const keys = links.map(({ slug_key }) => slug_key);
  const moved = () => service.database.slugs.countDocuments({ _id: { $in: keys } });
  const interrupted = open(service.databaseName);
  await vi.waitFor(async () => expect(await moved()).toBeGreaterThan(0), 30_000);
  await interrupted.close();
  await Promise.all([upgrade(service.databaseName), upgrade(service.databaseName)]);
  expect(await moved()).toBe(links.length);
  expect(await names(service.database)).not.toContain('slug');
  await upgrade(service.databaseName);
}, 60_000);

test('a migration whose process is killed continues: claims that it made stay as they are', async () => {
  const { service, links } = await oldDatabase(6_000);
  const { slugs } = service.database;
  const filter = { _id: { $in: links.map(({ slug_key }) => slug_key) } };
  const migrate = () => {
    const script = join(import.meta.dirname, '../src/migrate.ts');
    const own = { MONGODB_URL: inject('mongodbUrl'), MONGODB_DATABASE: service.databaseName };
    const required = { ANALYTICS_GRPC: '127.0.0.1:9', SIGNING_KEY: randomBytes(32).toString('hex') };
    const env = { ...process.env, ...required, ...own };
    return spawn(process.execPath, ['--conditions=@waymark/source', script], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
  const killed = migrate();
  await vi.waitFor(async () => expect(await slugs.countDocuments(filter)).toBeGreaterThan(0), {
    timeout: 30_000,
    interval: 5,
  });
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  const made = await slugs.find(filter).toArray();
  expect(made.length).toBeLessThan(links.length);

  expect(await once(migrate(), 'exit')).toEqual([0, null]);
  expect(await slugs.countDocuments(filter)).toBe(links.length);
  const kept = { _id: { $in: made.map(({ _id }) => _id) } };
  expect(await slugs.find(kept).sort({ _id: 1 }).toArray()).toEqual(made.sort((a, b) => (a._id < b._id ? -1 : 1)));
  expect(await names(service.database)).not.toContain('slug');
}, 90_000);

test('a slug that an earlier version gave to another account after it was moved is corrected', async () => {
  const { service, account, links } = await oldDatabase(1);
  const former = { account_id: 'another', link_id: 'anotherlink', claim_id: 'former', claimed_at: new Date(0) };
  await service.database.slugs.insertOne({ _id: 'moved-0', ...former });
  await upgrade(service.databaseName);
  expect(await service.database.slugs.findOne({ _id: 'moved-0' })).toMatchObject({
    account_id: account.id,
    link_id: links[0]!._id,
  });
  expect((await service.request(null, 'GET', '/moved-0')).status).toBe(302);
});

test('after a restore, the index of docs/operations.md makes links-svc claim the slugs of links without a claim', async () => {
  const { service, account } = await oldDatabase(2);
  await upgrade(service.databaseName);
  const { links, slugs } = service.database;
  await slugs.deleteOne({ _id: 'moved-0' });
  await links.createIndex({ slug_key: 1 }, { name: 'slug', unique: true });
  await upgrade(service.databaseName);
  expect(await slugs.findOne({ _id: 'moved-0' })).toMatchObject({ account_id: account.id });
  for (const slug of ['moved-0', 'moved-1'])
    expect((await service.request(null, 'GET', `/${slug}`)).status, slug).toBe(302);
  expect(await names(service.database)).not.toContain('slug');
});

test('no operation runs before the slugs are moved', async () => {
  const { service, account } = await oldDatabase(3_000);
  const next = await Service.start({ databaseName: service.databaseName, untilReady: false });
  cleanups.push(() => next.close());
  const answers = await Promise.all(
    [1, 500, 2_999].map((n) => next.request(null, 'GET', `/moved-${n}`).then(({ status }) => status)),
  );
  expect(answers.filter((status) => status !== 302 && status !== 503)).toEqual([]);
  await vi.waitFor(async () => expect((await next.request(null, 'GET', '/readyz')).status).toBe(200), 30_000);
  const again = await next.create(account.live, { destination_url: 'https://e.example/', slug: 'moved-2999' });
  expect(again.status).toBe(422);
}, 60_000);

test('an empty database gets no index of an earlier version', async () => {
  const databaseName = `waymark_test_${randomBytes(6).toString('hex')}`;
  cleanups.push(() => dropDatabase(inject('mongodbUrl'), databaseName));
  await upgrade(databaseName);
  const database = open(databaseName);
  expect((await names(database)).filter((name) => FORMER.includes(name!))).toEqual([]);
  await database.close();
});
