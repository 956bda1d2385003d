import { expect, test } from 'vitest';
import type { Document } from '../bson/values.ts';
import type { Collection } from '../storage/collection.ts';
import { toIndex } from '../storage/indexes.ts';
import { compileFilter } from './filter.ts';
import { choosePlan } from './planner.ts';

const partial = toIndex(1, {
  name: 'tags',
  key: { account: 1, tag: 1 },
  partialFilterExpression: { tag: { $gt: '' } },
});
const kindOf = (filter: Document) =>
  choosePlan({ indexes: [partial] } as unknown as Collection, compileFilter(filter), [], 'tags').kind;

test.each<[Document, string]>([
  [{ account: 'a', tag: { $gt: '' } }, 'index'],
  [{ account: 'a', tag: 'sale' }, 'index'],
  [{ account: 'a', tag: { $in: ['sale', 'b'] } }, 'index'],
  [{ account: 'a', tag: '' }, 'collection'],
  [{ account: 'a', tag: 1 }, 'collection'],
  [{ account: 'a', tag: null }, 'collection'],
  [{ account: 'a', tag: { $in: ['sale', null] } }, 'collection'],
  [{ account: 'a', tag: { $lt: 'b' } }, 'collection'],
  [{ account: 'a' }, 'collection'],
])('a partial index serves a filter that implies its condition: %j', (filter, kind) => {
  expect(kindOf(filter)).toBe(kind);
});
