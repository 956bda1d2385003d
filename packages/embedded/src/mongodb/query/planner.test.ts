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
    for (let n = 0; n < 2400; n += 1) insertLink(n);
  });
});

/** A sixth of the links is in the domain `com`, half of them in `org`. */
function insertLink(n: number): void {
  const link = {
    _id: `a${n}`,
    account_id: 'a',
    state: n % 3 === 0 ? 'archived' : 'public',
    host_key: n % 4 === 0 ? 'com.a/' : 'org.a/',
  };
  links.insert(encode(link), link);
}

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const ids = { account_id: 'a', _id: { $gt: 'a', $lt: 'a~' } };
const states = { account_id: 'a', state: { $in: ['public', 'unlisted'] } };
const few = { host_key: { $gt: 'com.', $lt: 'com/' } };
const many = { host_key: { $gt: 'org.', $lt: 'org/' } };
const IDS = Array.from({ length: 1000 }, (_, n) => `id ${n}`);
const merged = { sorted: true, merged: true, exact: true };

it.each<[query: string, filter: Document, sort: Document, index: string | undefined, expected: object]>([
  ['a list by created_at', states, { _id: -1 }, 'state', { ...merged, reverse: true }],
  ['an export', { ...states, ...ids }, { _id: 1 }, 'state', merged],
  ['a list by updated_at', states, { updated_at: 1, _id: 1 }, 'state_updated_at', merged],
  ['a list by title', states, { title_key: -1, _id: -1 }, 'state_title', { ...merged, reverse: true }],
  ['a list by slug', states, { slug_key: 1 }, 'state_slug', merged],
  ['a list of one state', { account_id: 'a', state: 'x' }, { clicks: 1, _id: 1 }, 'state_clicks', { merged: false }],
  ['a list by state', states, { state: 1, _id: 1 }, 'state', { sorted: false }],
  [
    'a list of many links of a domain',
    { ...states, ...many },
    { clicks: 1, _id: 1 },
    'state_clicks',
    { sorted: true, exact: false, narrow: [{ index: { name: 'state_host' } }] },
  ],
  ['a list of few links of a domain', { ...states, ...few }, { clicks: 1, _id: 1 }, 'state_host', { sorted: false }],
  [
    'a list of links of a period',
    { ...states, _id: { $gt: 'a1', $lt: 'a2' } },
    { _id: -1 },
    'state',
    { ...merged, reverse: true },
  ],
  [
    'links of a period with a hashtag',
    { ...states, _id: { $gt: 'a1', $lt: 'a2' }, hashtags: { $eq: 'x' } },
    { _id: -1 },
    'state_hashtags',
    merged,
  ],
  [
    'links on a short host',
    { ...states, host: { $eq: 'go.example.com', $gt: '' } },
    { _id: -1 },
    'short_host',
    { ...merged, exact: true },
  ],
  [
    'whether links use a short host',
    { account_id: 'a', host: { $eq: 'go.example.com', $gt: '' } },
    {},
    'short_host',
    { exact: true },
  ],
  ['links to a destination', { ...states, destination_url: 'x' }, { _id: -1 }, 'state_destination', merged],
  ['a count of a destination', { ...states, destination_url: 'x' }, {}, 'state_destination', { exact: true }],
  [
    'a count of expired links',
    { ...states, expires_at: { $lte: new Date(1) } },
    {},
    'state_expires_at',
    { exact: true },
  ],
  [
    'a count of links that have not expired',
    { ...states, expires_at: { $not: { $lte: new Date(1) } } },
    {},
    'state_expires_at',
    { exact: true },
  ],
  [
    'a list of the many links that have not expired',
    { ...states, expires_at: { $not: { $lte: new Date(1) } } },
    { title_key: 1, _id: 1 },
    'state_title',
    { sorted: true, narrow: [{ index: { name: 'state_expires_at' } }] },
  ],
  [
    'documents that a sparse index may lack',
    { changed_at: { $not: { $lte: new Date(1) } } },
    {},
    undefined,
    { exact: false },
  ],
  ['links with a hashtag', { ...states, hashtags: { $eq: 'x' } }, { _id: -1 }, 'state_hashtags', merged],
  ['a field without an index', { ...states, text: 'x' }, { _id: 1 }, 'state', { ...merged, exact: false }],
  ['the links of an account', ids, { _id: 1 }, '_id_', { sorted: true, exact: false }],
  ['hidden links', { account_id: 'a', hidden: true }, { _id: 1 }, 'hidden', { sorted: true, exact: true }],
  ['a count', { ...states, _id: { $gt: 'a' } }, {}, 'state', { exact: true }],
  ['a count of a domain', { ...states, ...few }, {}, 'state_host', { exact: true }],
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
  ['one link', { _id: 'x', account_id: 'a', hidden: false }, {}, '_id_', { isUnique: true }],
  ['some links', { _id: { $in: ['x', 'y'] }, account_id: 'a' }, {}, '_id_', { isUnique: true }],
  ['very many links', { _id: { $in: IDS }, account_id: 'a', hidden: false }, {}, '_id_', { isUnique: true }],
  ['links of accounts', { account_id: { $in: ['a', 'b'] }, _id: { $in: IDS } }, {}, '_id_', { isUnique: true }],
  ['what comes after an id', { _id: { $gt: 'a:1', $lt: 'a:~' } }, { _id: 1 }, '_id_', { sorted: true, exact: true }],
  ['changes', { changed_at: { $gt: new Date(0) } }, {}, 'changed_at', { exact: true }],
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

it('a hint decides on the index, and others only say which of its documents match', () => {
  const planOf = (filter: Document, hint: string) =>
    choosePlan(links, compileFilter(filter), parseSort({ _id: -1 }), hint);
  expect(planOf({ ...ids, ...states, expires_at: { $lte: new Date(1) } }, '_id_')).toMatchObject({
    index: { name: '_id_' },
    sorted: true,
    narrow: [{ index: { name: 'state' } }, { index: { name: 'state_expires_at' } }],
  });
  expect(planOf(ids, '_id_')).toMatchObject({ index: { name: '_id_' }, narrow: [{ index: { name: 'state' } }] });
  expect(planOf({ account_id: 'a', hidden: true }, 'hidden')).not.toHaveProperty('narrow');
});
