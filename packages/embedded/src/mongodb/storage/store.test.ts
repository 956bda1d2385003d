import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encode } from '../bson/bson.ts';
import type { Document } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { Store } from './store.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-store-'));
  store = new Store(folder);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

function insert(namespace: string, document: Document): void {
  store.working.catalog.getOrCreate(namespace).insert(encode(document), document);
}

describe('Store.write', () => {
  it('rolls back a job that fails unexpectedly, and keeps those of the same commit', async () => {
    const outcomes = await Promise.allSettled([
      store.write(() => insert('db.a', { _id: 1 })),
      store.write(() => {
        insert('db.a', { _id: 2 });
        insert('db.b', { _id: 1 });
        throw new TypeError('a defect');
      }),
      store.write(() => insert('db.a', { _id: 3 })),
      store.write(() => insert('db.a', { _id: 1 })),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect((outcomes[1] as PromiseRejectedResult).reason).toBeInstanceOf(TypeError);
    expect((outcomes[3] as PromiseRejectedResult).reason).toBeInstanceOf(CommandError);
    expect(store.committed.documents.getKeysCount({})).toBe(2);
    for (const { catalog } of [store.committed, store.working]) expect(catalog.find('db.b')).toBeUndefined();
  });

  it('finds collections, indexes and documents after it is reopened', async () => {
    await store.write(() => {
      insert('db.a', { _id: 1, tags: ['x', 'y'] });
      const collection = store.working.catalog.getOrCreate('db.a');
      collection.addIndex(store.working.catalog.newIndex({ v: 2, key: { tags: 1 }, name: 'tags_1' }));
    });
    await store.close();
    store = new Store(folder);
    const collection = store.committed.catalog.find('db.a');
    expect(store.committed.documents.getKeysCount({})).toBe(1);
    expect(collection?.indexes.map(({ name, multikey }) => [name, multikey])).toEqual([
      ['_id_', [false]],
      ['tags_1', [true]],
    ]);
    await expect(store.write(() => insert('db.a', { _id: 1 }))).rejects.toMatchObject({ code: 11000 });
  });

  it('refuses writes once it is closed', async () => {
    await store.close();
    await expect(store.write(() => insert('db.a', { _id: 1 }))).rejects.toMatchObject({
      code: 91,
      codeName: 'ShutdownInProgress',
    });
    store = new Store(folder);
  });

  it('removes everything of a dropped collection', async () => {
    await store.write(() => {
      for (let _id = 0; _id < 10; _id += 1) insert('db.a', { _id });
    });
    await store.write(() => store.working.catalog.drop(store.working.catalog.getOrCreate('db.a')));
    expect(store.committed.documents.getKeysCount({})).toBe(0);
    expect(store.committed.entries.getKeysCount({})).toBe(0);
  });
});
