import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INDEXES_OF_LINKS } from '../../../../../apps/links-svc/src/database/migrations/0001-baseline.ts';
import { encode } from '../bson/bson.ts';
import type { Document } from '../bson/values.ts';
import type { Collection } from '../storage/collection.ts';
import { Store } from '../storage/store.ts';
import { compileFilter } from './filter.ts';
import { choosePlan } from './planner.ts';
import { parseSort } from './sort.ts';

let folder: string;
let store: Store;
let links: Collection;

/** The indexes of links-svc, a sparse and a partial one. */
const INDEXES: Document[] = [
  ...INDEXES_OF_LINKS,
  { key: { changed_at: 1 }, name: 'changed_at', sparse: true },
  { key: { note: 1 }, name: 'partial', partialFilterExpression: { hidden: true } },
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-planner-'));
  store = new Store(folder);
  await store.write(() => {
    links = store.working.catalog.getOrCreate('db.links');
    for (const specification of INDEXES) links.addIndex(store.working.catalog.newIndex(specification));
    // Makes the index of hashtags one of arrays.
    const tagged = { _id: 'b', account_id: 'b', state: 'public', hashtags: ['x', 'y'] };
    links.insert(encode(tagged), tagged);
    // An account with many links, so that their number does not decide, and one with few.
    for (let n = 0; n < 1500; n += 1) insertLink('a', n);
    for (let n = 0; n < 10; n += 1) insertLink('few', n);
  });
});

function insertLink(account: string, n: number): void {
  const archived = n % 10 === 0;
  const link = {
    _id: `${account}${n}`,
    account_id: account,
    slug_key: `${n}`,
    listed: !archived,
    state: archived ? 'archived' : 'public',
    host_key: n % 3 === 0 ? 'com.a/' : 'org.a/',
    last_clicked_at: new Date(-n),
    hidden: n % 10 === 1,
  };
  links.insert(encode(link), link);
}

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const account = { account_id: 'a' };
const page = { account_id: 'a', listed: true };
const ids = { account_id: 'a', _id: { $gt: 'a', $lt: 'a~' } };
const state = { state: { $in: ['public', 'unlisted'] } };
const states = { account_id: 'a', ...state };
const host = { host_key: { $gt: 'com.', $lt: 'com/' } };
const fewIds = { account_id: 'few', _id: { $gt: 'few', $lt: 'few~' } };
const MANY_IDS = Array.from({ length: 1000 }, (_, n) => `id ${n}`);
const search = { search_text: { $regex: 'x' } };

it.each<[query: string, filter: Document, sort: Document, index: string | undefined, expected: object]>([
  ['a list by created_at', { ...ids, listed: true }, { _id: -1 }, '_id_', { sorted: true, reverse: true }],
  ['a list by created_at, archived or not', ids, { _id: 1 }, '_id_', { sorted: true, exact: false }],
  ['the links of an account', ids, {}, '_id_', { exact: false }],
  [
    'a public list by created_at',
    { ...ids, listed: true, hidden: false },
    { _id: 1 },
    'hidden',
    { sorted: true, exact: false },
  ],
  ['a list by updated_at', page, { updated_at: 1, _id: 1 }, 'listed_updated_at', { sorted: true, exact: true }],
  ['a list by title', page, { title_key: -1, _id: -1 }, 'listed_title', { sorted: true, reverse: true }],
  ['a list by slug', page, { slug_key: 1 }, 'listed_slug', { sorted: true, exact: true }],
  ['a list by clicks', page, { clicks: 1, _id: 1 }, 'listed_clicks', { sorted: true, exact: true }],
  ['a public list by clicks', { ...page, hidden: false }, { clicks: 1, _id: 1 }, 'listed_clicks', { sorted: true }],
  ['a list of many links of a domain', { ...page, ...host }, { clicks: 1, _id: 1 }, 'listed_clicks', { sorted: true }],
  ['a list of few links of a domain', { ...states, ...host }, { clicks: 1, _id: 1 }, 'state_host', { sorted: false }],
  ['a search', { ...ids, ...state, ...search }, { _id: -1 }, '_id_', { sorted: true, exact: false }],
  ['a list of a small account', { ...fewIds, ...state }, { _id: -1 }, 'state', { sorted: false, exact: true }],
  [
    'a list of few links in a state',
    { account_id: 'a', state: 'archived' },
    { clicks: 1, _id: 1 },
    'state',
    { exact: true },
  ],
  [
    'a list by created_at of many links of a domain',
    { ...ids, ...state, host_key: { $gt: 'com', $lt: 'org~' } },
    { _id: -1 },
    '_id_',
    { sorted: true, narrow: [{ index: { name: 'state' } }, { index: { name: 'state_host' } }] },
  ],
  [
    'a list by created_at of few links of a domain',
    { ...ids, state: 'archived', host_key: { $gt: 'com', $lt: 'd' } },
    { _id: -1 },
    'state_host',
    { sorted: false, exact: false },
  ],
  ['a search for a slug', { ...page, slug_key: 'x', ...search }, { _id: -1 }, 'listed_slug', { sorted: false }],
  ['a count', { ...states, _id: { $gt: 'a' } }, {}, 'state', { exact: true }],
  ['a count of a domain', { ...states, ...host }, {}, 'state_host', { exact: true }],
  [
    'a count by clicks',
    { ...states, last_clicked_at: { $lt: new Date(1) } },
    {},
    'state_last_clicked_at',
    { exact: true },
  ],
  [
    'a count of a hashtag',
    { ...states, hashtags: { $eq: 'x' } },
    {},
    'state_hashtags',
    { exact: true, repeats: false },
  ],
  [
    'a count of two hashtags',
    { ...states, hashtags: { $eq: 'x', $all: ['y'] } },
    {},
    'state_hashtags',
    { exact: false },
  ],
  [
    'one of two hashtags',
    { ...states, hashtags: { $in: ['x', 'y'] } },
    {},
    'state_hashtags',
    { exact: false, repeats: true },
  ],
  ['one link', { _id: 'x', ...account, hidden: false }, {}, '_id_', { isUnique: true }],
  ['some links', { _id: { $in: ['x', 'y'] }, ...account }, {}, '_id_', { isUnique: true }],
  ['very many links', { _id: { $in: MANY_IDS }, ...account, hidden: false }, {}, '_id_', { isUnique: true }],
  ['redirects', { account_id: { $in: ['a', 'b'] }, _id: { $in: ['x', 'y'] } }, {}, '_id_', { isUnique: true }],
  ['changes', { changed_at: { $gt: new Date(0) } }, {}, 'changed_at', { exact: true }],
  ['what comes after an id', { _id: { $gt: 'a:1', $lt: 'a:~' } }, { _id: 1 }, '_id_', { sorted: true, exact: true }],
  ['documents that a sparse index lacks', { changed_at: null }, {}, undefined, {}],
  ['documents that a partial index has', { note: 'n', hidden: true }, {}, 'partial', { exact: true }],
  ['documents that a partial index may lack', { note: 'n' }, {}, undefined, { exact: false }],
  ['a field without an index', { title: 'x' }, {}, undefined, { exact: false }],
  ['everything', {}, {}, undefined, { exact: true, sorted: true }],
])('%s uses the matching index', (_query, filter, sort, index, expected) => {
  const plan = choosePlan(links, compileFilter(filter), parseSort(sort));
  expect(plan).toMatchObject(expected);
  expect(plan.kind === 'index' ? plan.index.name : undefined).toBe(index);
});
