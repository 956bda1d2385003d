import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { encode } from '../bson/bson.ts';
import type { Collection } from '../storage/collection.ts';
import { Store } from '../storage/store.ts';
import { Execution, PAUSE } from './execution.ts';
import { compileFilter } from './filter.ts';

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
