import { Binary, Decimal128 } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';

const server = useServer();

const find = (more: object) => ({ find: 'links', ...more });
const filter = (a: unknown) => find({ filter: { a } });
const project = (projection: object) => find({ projection });
const aggregate = (...pipeline: unknown[]) => ({ aggregate: 'links', pipeline, cursor: {} });
const update = (u: unknown, more: object = {}) => ({ update: 'links', updates: [{ q: {}, u, ...more }] });
const index = (key: object, more: object = {}) => ({ createIndexes: 'links', indexes: [{ key, name: 'i', ...more }] });
const expression = (operator: string) => aggregate({ $project: { value: { [operator]: '$a' } } });

// MongoDB features that Waymark does not use must fail with MongoDB's error instead of being approximated.
describe.skipIf(isGiven)('unsupported features are refused', () => {
  beforeAll(async () => {
    await server.db.collection('links').insertOne({ a: [{ x: 1 }], text: 'x', binary: new Binary() });
  });

  it.each([
    ...['explain', 'distinct', 'count', 'create', 'drop', 'listCollections', 'listDatabases'],
    ...['serverStatus', 'getParameter', 'connectionStatus', 'mapReduce', 'bulkWrite', 'collStats', 'isMaster'],
  ])('the command %s (59)', async (name) => {
    const error = await refusal(server.db.command({ [name]: 'links' }), 59);
    expect(error.message).toBe(`no such command: '${name}'`);
    expect(error.codeName).toBe('CommandNotFound');
  });

  it.each<[string, object]>([
    ['find.collation', find({ collation: { locale: 'de' } })],
    ['find.let', find({ let: {} })],
    ['find.tailable', find({ tailable: true })],
    ['insert.bypassDocumentValidation', { insert: 'links', documents: [{}], bypassDocumentValidation: true }],
    ['update.let', { ...update({ $set: { b: 1 } }), let: {} }],
    ['update.updates.arrayFilters', update({ $set: { b: 1 } }, { arrayFilters: [] })],
    ['update.updates.hint', update({ $set: { b: 1 } }, { hint: '_id_' })],
    ['delete.deletes.collation', { delete: 'links', deletes: [{ q: {}, limit: 0, collation: {} }] }],
    ['findAndModify.sort', { findAndModify: 'links', remove: true, sort: { a: 1 } }],
    ['aggregate.explain', { ...aggregate(), explain: true }],
    ['aggregate.allowDiskUse', { ...aggregate(), allowDiskUse: true }],
    ['$unionWith.foo', aggregate({ $unionWith: { coll: 'links', pipeline: [], foo: 1 } })],
  ])('the field %s (40415)', async (field, command) => {
    const error = await refusal(server.db.command(command), 40415);
    expect(error.message).toBe(`BSON field '${field}' is an unknown field.`);
  });

  it.each(['$gte', '$nin', '$elemMatch', '$size', '$type', '$mod', '$options', '$foo'])(
    'the query operator %s (2)',
    async (operator) => {
      const error = await refusal(server.db.command(filter({ [operator]: 1 })), 2);
      expect(error.message).toBe(`unknown operator: ${operator}`);
    },
  );

  it.each(['$and', '$or', '$nor', '$expr', '$where', '$text', '$comment'])(
    'the top-level operator %s (2)',
    async (operator) => {
      const error = await refusal(server.db.command(find({ filter: { [operator]: [{ a: 1 }] } })), 2);
      expect(error.message).toContain(`unknown top level operator: ${operator}`);
    },
  );

  it.each(['$mul', '$min', '$rename', '$addToSet', '$pullAll', '$pop', '$bit', '$foo'])(
    'the update operator %s (9)',
    async (operator) => {
      const outcome = await server.db.command(update({ [operator]: { b: 1 } }));
      expect(outcome.writeErrors).toMatchObject([
        { code: 9, errmsg: expect.stringContaining(`Unknown modifier: ${operator}`) },
      ]);
    },
  );

  it.each(['$lookup', '$facet', '$addFields', '$set', '$unset', '$count', '$replaceRoot', '$sortByCount'])(
    'the stage %s (40324)',
    async (stage) => {
      const error = await refusal(server.db.command(aggregate({ [stage]: {} })), 40324);
      expect(error.message).toBe(`Unrecognized pipeline stage name: '${stage}'`);
    },
  );

  it.each(['$add', '$concat', '$cond', '$ifNull', '$map', '$slice', '$elemMatch', '$literal'])(
    'the expression %s (31325)',
    async (operator) => {
      const error = await refusal(server.db.command(expression(operator)), 31325);
      expect(error.message).toBe(`Unknown expression ${operator}`);
    },
  );

  it.each(['$avg', '$min', '$max', '$first', '$push', '$addToSet'])('the accumulator %s (15952)', async (operator) => {
    const error = await refusal(server.db.command(aggregate({ $group: { _id: null, n: { [operator]: 1 } } })), 15952);
    expect(error.message).toBe(`unknown group operator '${operator}'`);
  });

  it.each<[string, object, number]>([
    ['a comparison with a document', filter({ x: 1 }), 238],
    ['a comparison with an array', filter([1]), 238],
    ['a comparison with a regular expression', filter(/x/), 238],
    ['a comparison with a decimal', filter(Decimal128.fromString('1')), 238],
    ['a comparison with NaN', filter(Number.NaN), 238],
    ['a comparison with null by its order', filter({ $gt: null }), 238],
    ['a comparison of a type without an order here', find({ filter: { binary: 'x' } }), 238],
    ['a position in an array', find({ filter: { 'a.0': 1 } }), 238],
    ['a sort of documents', find({ filter: {}, sort: { nested: 1 } }), 238],
    ['$in without an array', filter({ $in: 1 }), 2],
    ['a $regex that is no text', filter({ $regex: /x/ }), 2],
    ['a projection of a path', project({ 'a.x': 1 }), 238],
    ['a projection of a value', project({ a: '$text' }), 238],
    ['a sort that is no direction', find({ sort: { a: 2 } }), 15975],
    ['a group by a field', aggregate({ $group: { _id: '$a', n: { $sum: 1 } } }), 238],
    ['a sum of a field', aggregate({ $group: { _id: null, n: { $sum: '$a' } } }), 238],
    ['a negation of another condition', filter({ $not: { $eq: 1 } }), 238],
    ['a negation of two conditions', filter({ $not: { $lte: 1, $gt: 0 } }), 238],
    ['a negation without a condition', filter({ $not: 1 }), 238],
    ['$unwind with options', aggregate({ $unwind: { path: '$a' } }), 238],
    ['$unwind of a path', aggregate({ $unwind: '$a.x' }, { $group: { _id: '$a.x' } }), 238],
    ['$unwind without $group', aggregate({ $unwind: '$a' }), 238],
    ['$unwind after $project', aggregate({ $project: { a: 1 } }, { $unwind: '$a' }), 238],
    ['a group by another field than that of $unwind', aggregate({ $unwind: '$a' }, { $group: { _id: '$b' } }), 238],
    ['a group by other than strings', aggregate({ $unwind: '$a' }, { $group: { _id: '$a' } }), 238],
    ['a sum of another constant', aggregate({ $unwind: '$text' }, { $group: { _id: '$text', n: { $sum: 2 } } }), 238],
    [
      'a sort of groups by another field',
      aggregate({ $unwind: '$text' }, { $group: { _id: '$text' } }, { $sort: { a: 1 } }),
      238,
    ],
    ['$skip after groups', aggregate({ $unwind: '$text' }, { $group: { _id: '$text' } }, { $skip: 1 }), 238],
    ['a stage out of order', aggregate({ $limit: 1 }, { $match: {} }), 238],
    ['$unionWith of a whole collection', aggregate({ $unionWith: 'links' }), 238],
    ['two stages in one', aggregate({ $match: {}, $limit: 1 }), 40323],
    ['findAndModify with upsert', { findAndModify: 'links', update: { $set: { a: 1 } }, upsert: true }, 238],
    ['the read concern snapshot', find({ readConcern: { level: 'snapshot' } }), 238],
    ['a write concern of two members', { ...update({ $set: { b: 1 } }), writeConcern: { w: 2 } }, 100],
    ['a descending index', index({ a: -1 }), 238],
    ['an index of another kind', index({ a: 'text' }), 67],
    ['a wildcard index', index({ '$**': 1 }), 16410],
    ['an option of an index', index({ a: 1 }, { collation: { locale: 'en' } }), 197],
    ['a compound TTL index', index({ a: 1, b: 1 }, { expireAfterSeconds: 1 }), 67],
    ['a partial index by $ne', index({ a: 1 }, { partialFilterExpression: { a: { $ne: 1 } } }), 67],
    ['an index over documents', index({ nested: 1 }), 238],
  ])('%s', async (_what, command, code) => {
    await server.db.collection('links').updateOne({}, { $set: { nested: { x: 1 } } });
    await server.db
      .collection<{ _id: number }>('links')
      .updateOne({ _id: 2 }, { $set: { nested: {} } }, { upsert: true });
    await refusal(server.db.command(command), code);
  });

  it.each<[string, unknown]>([
    ['a replacement', { a: 1 }],
    ['a pipeline', [{ $set: { a: 1 } }]],
    ['a path', { $set: { 'b.c': 1 } }],
    ['all positions', { $set: { 'a.$[]': 1 } }],
    ['$push with modifiers', { $push: { a: { $each: [1] } } }],
    ['$pull of a value', { $pull: { a: 1 } }],
    ['$pull by an operator', { $pull: { a: { $in: [1] } } }],
    ['$currentDate of another type', { $currentDate: { at: { $type: 'timestamp' } } }],
  ])('an update by %s (238 or 16410)', async (_what, u) => {
    const outcome = await server.db.command(update(u));
    expect(outcome.n).toBe(0);
    expect([238, 16410]).toContain(outcome.writeErrors[0].code);
  });
});
