import type { Link } from '@waymark/contract';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { afterAll, expect, test } from 'vitest';
import { collectionsOf } from '../../apps/links-svc/src/database/collections.ts';
import { readClickHouse } from '../support/own-stack.ts';
import {
  accounts,
  api,
  asAdmin,
  createAccount,
  createLink,
  eventually,
  follow,
  request,
  signIn,
  stack,
} from '../support/world.ts';

// docs/security.md: what is left of an account that was deleted.

const client = new MongoClient(stack.mongodbUrl);
const database = client.db(stack.database);
afterAll(() => client.close());

/** Returns all documents that contain one of these texts, by collection. */
async function documentsWith(texts: readonly string[]): Promise<Record<string, Document[]>> {
  const found: Record<string, Document[]> = {};
  for (const collection of Object.values(collectionsOf(database)) as Collection[]) {
    const documents = await collection.find().toArray();
    const some = documents.filter((document) => texts.some((text) => JSON.stringify(document).includes(text)));
    if (some.length > 0) found[collection.collectionName] = some;
  }
  return found;
}

/** Returns the tables that have rows with one of these texts. */
async function tablesWith(texts: readonly string[]): Promise<string[]> {
  const tables = await readClickHouse<{ name: string; columns: string[] }>(
    { stack, database: stack.database },
    `SELECT table AS name, groupArray(columns.name) AS columns FROM system.columns
     WHERE database = currentDatabase() AND table IN (SELECT name FROM system.tables WHERE engine LIKE '%MergeTree')
     GROUP BY table`,
  );
  const found: string[] = [];
  for (const { name, columns } of tables) {
    const row = `concat(${columns.map((column) => `toString(${column})`).join(", ' ', ")}, '')`;
    const sql = `SELECT 1 FROM ${name} WHERE multiSearchAny(${row}, ['${texts.join("','")}']) LIMIT 1`;
    if ((await readClickHouse({ stack, database: stack.database }, sql)).length > 0) found.push(name);
  }
  return found;
}

test('deleting an account leaves nothing of it in either database, once its clicks are purged, but its id for a month', async () => {
  const account = await createAccount();
  const { username, live } = account;
  const { account: made } = await accounts.getAccount({ username }, await asAdmin());
  const id = made!.id;
  const fields = { title: `of ${username}`, hashtags: [username] };
  const links: Link[] = [];
  for (let n = 0; n < 3; n++) links.push(await createLink(live, fields));
  await api(live).create({ destination_url: 'https://example.com/', ...fields }, { 'idempotency-key': username });
  await api(live).update(links[0]!.id, { note: username });
  await api(live).delete(links[1]!.id);
  for (const { slug } of [links[0]!, links[2]!, links[0]!]) expect((await follow(slug)).status).toBe(302);
  await eventually(async () => expect((await api(live).get(links[0]!.id)).body.clicks).toBe(2));
  expect((await request(`/api/v1/links/${links[2]!.id}/clicks`, { method: 'DELETE', key: live })).status).toBe(204);
  expect((await follow(links[2]!.slug)).status).toBe(302);
  const job = { kind: 'edit', filter: { hashtag: username }, change: { archived: true } };
  expect((await request('/api/v1/jobs', { method: 'POST', key: live, json: job })).status).toBeLessThan(300);
  const session = await signIn(username);
  const filter = { name: username, query: { hashtag: username } };
  const saved = await request('/api/v1/me/filters', { method: 'POST', key: session, json: filter });
  expect(saved.status).toBe(201);
  await accounts.createSignInLink({ username }, await asAdmin());
  const restricted = { username, name: 'agent', scope: 'full_access', actions: ['read'] };
  await accounts.createRestrictedKey(restricted, await asAdmin());
  // No stack of tests checks destinations. A pass over the links would note this one.
  const destination = {
    _id: username,
    url: `https://${username}.example/`,
    host: `${username}.example`,
    account_id: id,
  };
  await database.collection<{ _id: string }>('destinations').insertOne(destination);
  const texts = [id, username];
  expect(Object.keys(await documentsWith(texts))).toEqual(
    expect.arrayContaining([
      'accounts',
      'deleted_links',
      'destinations',
      'events',
      'idempotency',
      'jobs',
      'links',
      'redirects',
      'saved_filters',
      'sessions',
    ]),
  );
  await eventually(async () => expect(await tablesWith(texts)).toEqual(['clicks']));

  await accounts.deleteAccount({ username }, await asAdmin());
  const left = await documentsWith(texts);
  expect(Object.keys(left).sort()).toEqual(['accounts', 'deleted_links']);
  for (const document of left.deleted_links!)
    expect(Object.keys(document).sort()).toEqual(['_id', 'account_id', 'purge_at']);

  // Two days later, and five minutes later.
  await database.collection('deleted_links').updateMany({ account_id: id }, { $set: { purge_at: new Date(0) } });
  await database.collection<{ _id: string }>('accounts').updateOne({ _id: id }, { $set: { deleting_at: new Date(0) } });
  await eventually(async () => {
    const after = await documentsWith(texts);
    expect(Object.keys(after)).toEqual(['accounts']);
    expect(await documentsWith([username])).toEqual({});
    expect(after.accounts![0]).toMatchObject({
      _id: id,
      keys: [],
      passkeys: [],
      hosts: [],
      expires_at: expect.any(Date),
    });
    expect(await tablesWith(texts)).toEqual([]);
  });
});
