import { describe, expect, test } from 'vitest';
import { Service } from './support/service.ts';
import { unshardedStatements } from './support/shard-keys.ts';

// docs/scaling.md, MongoDB: every statement names the shard key. Every service of these tests is watched: it fails when
// it is closed (`Service.close`). This file tests the watch itself.

const account_id = 'a';

describe('the watch of statements', () => {
  test.each([
    ['find', { find: 'links', filter: { account_id, state: 'public' } }],
    ['find of several accounts', { find: 'links', filter: { account_id: { $in: ['a', 'b'] }, _id: 'x' } }],
    ['find of a part of a log', { find: 'events', filter: { _id: { $gt: 'a:1', $lt: 'a;' } } }],
    ['insert', { insert: 'links', documents: [{}] }],
    [
      'bulkWrite',
      {
        bulkWrite: 1,
        ops: [
          { insert: 0, document: {} },
          { update: 1, filter: { _id: 'x', account_id } },
          { delete: 2, filter: { _id: '/x' } },
        ],
        nsInfo: ['events', 'links', 'redirects'].map((name) => ({ ns: `db.${name}` })),
      },
    ],
    ['getMore', { getMore: 1n, collection: 'links' }],
    ['find of redirects', { find: 'redirects', filter: { _id: { $in: ['/x'] } } }],
    ['find in another collection', { find: 'accounts', filter: {} }],
    ['count', { aggregate: 'links', pipeline: [{ $match: { account_id } }, { $group: {} }] }],
    [
      'union',
      {
        aggregate: 'links',
        pipeline: [
          { $match: { account_id } },
          { $unionWith: { coll: 'links', pipeline: [{ $match: { account_id } }] } },
        ],
      },
    ],
  ])('accepts: %s', (_, command) => {
    expect(unshardedStatements({ commandName: Object.keys(command)[0]!, command })).toEqual([]);
  });

  test.each([
    ['find without a filter', { find: 'links' }],
    ['find by id alone', { find: 'links', filter: { _id: 'x' } }],
    ['find by ids', { find: 'links', filter: { _id: { $in: ['x'] } } }],
    ['find by id', { find: 'links', filter: { _id: 'x', hidden: false } }],
    ['find by slug', { find: 'links', filter: { slug_key: 'x' } }],
    ['find by a range of accounts', { find: 'links', filter: { account_id: { $gt: 'a' } } }],
    ['update by id', { update: 'links', updates: [{ q: { account_id } }, { q: { _id: 'x' } }] }],
    ['find of all by ranges', { find: 'links', filter: { _id: { $gt: '' } } }],
    ['delete by id', { delete: 'links', deletes: [{ q: { _id: { $in: ['x'] } } }] }],
    [
      'bulkWrite by id',
      { bulkWrite: 1, ops: [{ delete: 1, filter: { _id: 'x' } }], nsInfo: [{ ns: 'db.accounts' }, { ns: 'db.links' }] },
    ],
    ['findAndModify by id', { findAndModify: 'links', query: { _id: 'x' } }],
    ['count of all', { aggregate: 'links', pipeline: [{ $group: {} }] }],
    [
      'union of all',
      {
        aggregate: 'links',
        pipeline: [{ $match: { account_id } }, { $unionWith: { coll: 'links', pipeline: [{ $group: {} }] } }],
      },
    ],
    ['a command that is not known', { mapReduce: 'links', filter: { account_id } }],
    ['delete of redirects by account', { delete: 'redirects', deletes: [{ q: { account_id } }] }],
    ['find of all later events', { find: 'events', filter: { _id: { $gt: 'a:1' } } }],
  ])('refuses: %s', (_, command) => {
    expect(unshardedStatements({ commandName: Object.keys(command)[0]!, command })).toHaveLength(1);
  });

  test('sees what a service sends', async () => {
    const service = await Service.start();
    await service.database.collections.links.countDocuments({ slug_key: 'x' });
    await expect(service.close()).rejects.toThrow('aggregate links {"slug_key":"x"}');
  });
});
