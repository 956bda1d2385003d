import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Document } from '../bson/values.ts';
import type { Collection } from '../storage/collection.ts';
import { Store } from '../storage/store.ts';
import { compileFilter } from './filter.ts';
import { choosePlan } from './planner.ts';
import { parseSort } from './sort.ts';

let folder: string;
let store: Store;
let links: Collection;

/** The indexes of links-svc, and a partial one. */
const INDEXES: Document[] = [
  { key: { slug_key: 1 }, name: 'slug', unique: true },
  { key: { account_id: 1, hidden: 1, _id: 1 }, name: 'account_hidden' },
  { key: { account_id: 1, updated_at: 1, _id: 1 }, name: 'account_updated_at' },
  { key: { account_id: 1, title_key: 1, _id: 1 }, name: 'account_title' },
  { key: { account_id: 1, slug_key: 1 }, name: 'account_slug' },
  { key: { account_id: 1, clicks: 1, _id: 1 }, name: 'account_clicks' },
  { key: { changed_at: 1 }, name: 'changed_at', sparse: true },
  { key: { note: 1 }, name: 'partial', partialFilterExpression: { hidden: true } },
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-planner-'));
  store = new Store(folder);
  await store.write(() => {
    links = store.catalog.getOrCreate('db.links');
    for (const specification of INDEXES) links.addIndex(store.catalog.newIndex(specification));
  });
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const account = { account_id: 'a' };
const ids = { _id: { $gt: 'a', $lt: 'a~' } };
const MANY_IDS = Array.from({ length: 1000 }, (_, n) => `id ${n}`);
const search = { search_text: { $regex: 'x' } };

it.each<[query: string, filter: Document, sort: Document, index: string | undefined, expected: object]>([
  ['a list by created_at', ids, { _id: -1 }, '_id_', { sorted: true, exact: true, reverse: true }],
  ['a public list by created_at', { ...ids, hidden: false }, { _id: 1 }, '_id_', { sorted: true, exact: false }],
  ['a list by updated_at', account, { updated_at: 1, _id: 1 }, 'account_updated_at', { sorted: true, exact: true }],
  ['a list by title', account, { title_key: -1, _id: -1 }, 'account_title', { sorted: true, reverse: true }],
  ['a list by slug', account, { slug_key: 1 }, 'account_slug', { sorted: true, exact: true }],
  ['a list by clicks', account, { clicks: 1, _id: 1 }, 'account_clicks', { sorted: true, exact: true }],
  ['a public list by clicks', { ...account, hidden: false }, { clicks: 1, _id: 1 }, 'account_clicks', { sorted: true }],
  ['a search', { ...ids, ...search }, { _id: -1 }, '_id_', { sorted: true, exact: false }],
  ['a search for a slug', { ...ids, slug_key: 'x', ...search }, { _id: -1 }, 'slug', { isUnique: true }],
  ['a count', ids, {}, '_id_', { exact: true }],
  ['a public count', { ...account, hidden: false }, {}, 'account_hidden', { exact: true, bounded: 2 }],
  ['one link', { _id: 'x', ...account, hidden: false }, {}, '_id_', { isUnique: true }],
  ['some links', { _id: { $in: ['x', 'y'] }, ...account }, {}, '_id_', { isUnique: true }],
  ['very many links', { _id: { $in: MANY_IDS }, ...account, hidden: false }, {}, '_id_', { isUnique: true }],
  ['redirects', { slug_key: { $in: ['x', 'y'] } }, {}, 'slug', { isUnique: true, exact: true }],
  ['changes', { changed_at: { $gt: new Date(0) } }, {}, 'changed_at', { exact: true }],
  ['documents that a sparse index lacks', { changed_at: null }, {}, undefined, {}],
  ['documents that a partial index has', { note: 'n', hidden: true }, {}, 'partial', { exact: true }],
  ['documents that a partial index may lack', { note: 'n' }, {}, undefined, { exact: false }],
  ['a field without an index', { title: 'x' }, {}, undefined, { exact: false }],
  ['everything', {}, {}, undefined, { exact: true, sorted: true }],
])('%s reads the index that serves it', (_query, filter, sort, index, expected) => {
  const plan = choosePlan(links, compileFilter(filter), parseSort(sort));
  expect(plan).toMatchObject(expected);
  expect(plan.kind === 'index' ? plan.index.name : undefined).toBe(index);
});
