import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { decode, encode } from '../bson/bson.ts';
import type { Document, Numeric } from '../bson/values.ts';
import { toNumber } from '../numbers.ts';
import type { Collection } from '../storage/collection.ts';
import { Store } from '../storage/store.ts';
import { Execution, type Match, PAUSE } from './execution.ts';
import { compileFilter } from './filter.ts';
import { parseSort } from './sort.ts';

let folder: string;
let store: Store;
let collection: Collection;
/** The mocked value of `performance.now()`, in milliseconds. */
let now: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-execution-'));
  store = new Store(folder);
  await store.write(() => {
    const links = store.working.catalog.getOrCreate('db.links');
    for (let _id = 0; _id < 2000; _id += 1) links.insert(encode({ _id }), { _id });
  });
  collection = store.committed.catalog.find('db.links') as Collection;
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a search without matches that takes 0.1 ms for each document. */
function search() {
  const filter = compileFilter({ a: 1 });
  const { test } = filter;
  let tested = 0;
  filter.test = (document) => {
    tested += 1;
    now += 0.1;
    return test(document);
  };
  const execution = new Execution(collection, {
    filter,
    sort: [],
    skip: 0,
    limit: 0,
    deadline: undefined,
  });
  const matches = execution.matches();
  /** Runs the search to its next pause and returns how many documents it tested. */
  return () => {
    const before = tested;
    expect(matches.next()).toEqual({ done: false, value: PAUSE });
    return tested - before;
  };
}

it('a search makes the same progress between two pauses, however long others run meanwhile', () => {
  const turn = search();
  const first = turn();
  expect(first).toBeGreaterThan(80);
  now += 1000;
  expect(turn()).toBeGreaterThanOrEqual(first - 1);
});

it('concurrent searches make equal progress', () => {
  const turns = Array.from({ length: 4 }, search);
  const done = turns.map((turn) => turn());
  for (let round = 0; round < 3; round += 1) {
    turns.forEach((turn, at) => {
      done[at]! += turn();
    });
  }
  expect(Math.min(...done)).toBeGreaterThan(3 * 80);
});

it('a page of matches at the other end of its order tests few documents', async () => {
  await store.write(() => {
    const links = store.working.catalog.getOrCreate('db.pages');
    for (const key of [
      { account: 1, n: 1 },
      { account: 1, tag: 1 },
    ])
      links.addIndex(store.working.catalog.newIndex({ v: 2, key, name: Object.keys(key).join() }));
    for (let n = 0; n < 5000; n += 1) {
      const link = { _id: n, account: 'a', n, tag: n < 1500 ? 'old' : 'new', kind: n % 2 };
      links.insert(encode(link), link);
    }
  });
  const pages = store.committed.catalog.find('db.pages') as Collection;
  function page(wanted: Document, skip: number): { ids: unknown[]; tested: number } {
    const filter = compileFilter({ account: 'a', tag: 'old', ...wanted });
    const { test } = filter;
    let tested = 0;
    filter.test = (document) => {
      tested += 1;
      return test(document);
    };
    const sort = parseSort({ n: -1 });
    const found = [...new Execution(pages, { filter, sort, skip, limit: 3, deadline: undefined }).matches()];
    return { ids: found.map((match) => toNumber(decode((match as Match).bytes)._id as Numeric)), tested };
  }
  expect(page({}, 0)).toEqual({ ids: [1499, 1498, 1497], tested: 503 });
  expect(page({}, 100)).toEqual({ ids: [1399, 1398, 1397], tested: 603 });
  expect(page({ kind: 0 }, 1)).toEqual({ ids: [1496, 1494, 1492], tested: 508 });
  expect(page({ kind: 2 }, 0)).toEqual({ ids: [], tested: 2000 });
});
