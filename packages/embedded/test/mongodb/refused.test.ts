import { Decimal128 } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';

// What Waymark does not send is answered with MongoDB's error, never with a guess.

const server = useServer();

const find = (more: object) => ({ find: 'links', ...more });
const filter = (a: unknown) => find({ filter: { a } });
const aggregate = (...pipeline: unknown[]) => ({ aggregate: 'links', pipeline, cursor: {} });
const update = (u: unknown, more: object = {}) => ({ update: 'links', updates: [{ q: {}, u, ...more }] });
const index = (key: object, more: object = {}) => ({ createIndexes: 'links', indexes: [{ key, name: 'i', ...more }] });
const group = (more: object) => ({ $group: { _id: '$text', ...more } });

describe.skipIf(isGiven)('it refuses', () => {
  beforeAll(async () => {
    await server.db.collection('links').insertOne({ a: [{ x: 1 }], text: 'x', nested: { x: 1 } });
    await server.db.collection('links').insertOne({ nested: {} });
  });

  it.each([
    'explain',
    'distinct',
    'count',
    'create',
    'drop',
    'listCollections',
    'mapReduce',
    'saslStart',
    'constructor',
  ])('the command %s (59)', async (name) => {
    const error = await refusal(server.db.command({ [name]: 'links' }), 59);
    expect([error.message, error.codeName]).toEqual([`no such command: '${name}'`, 'CommandNotFound']);
  });

  it.each<[string, object]>([
    ['find.collation', find({ collation: { locale: 'de' } })],
    ['insert.bypassDocumentValidation', { insert: 'links', documents: [{}], bypassDocumentValidation: true }],
    ['update.updates.arrayFilters', update({ $set: { b: 1 } }, { arrayFilters: [] })],
    ['delete.deletes.hint', { delete: 'links', deletes: [{ q: {}, limit: 0, hint: '_id_' }] }],
    ['findAndModify.sort', { findAndModify: 'links', remove: true, sort: { a: 1 } }],
    ['aggregate.explain', { ...aggregate(), explain: true }],
  ])('the field %s (40415)', async (field, command) => {
    const error = await refusal(server.db.command(command), 40415);
    expect(error.message).toBe(`BSON field '${field}' is an unknown field.`);
  });

  it.each(['$gte', '$ne', '$nin', '$elemMatch', '$size', '$type', '$options', '$foo', '$constructor'])(
    'the query operator %s (2)',
    async (operator) => {
      const error = await refusal(server.db.command(filter({ [operator]: 1 })), 2);
      expect(error.message).toBe(`unknown operator: ${operator}`);
    },
  );

  it.each(['$or', '$nor', '$expr', '$where', '$text'])('the top-level operator %s (2)', async (operator) => {
    const error = await refusal(server.db.command(find({ filter: { [operator]: [{ a: 1 }] } })), 2);
    expect(error.message).toContain(`unknown top level operator: ${operator}`);
  });

  it.each(['$mul', '$min', '$rename', '$push', '$pull', '$addToSet', '$pop', '$foo'])(
    'the update operator %s (9)',
    async (operator) => {
      const { writeErrors } = await server.db.command(update({ [operator]: { b: 1 } }));
      expect(writeErrors).toMatchObject([
        { code: 9, errmsg: expect.stringContaining(`Unknown modifier: ${operator}`) },
      ]);
    },
  );

  it.each(['$lookup', '$facet', '$addFields', '$unionWith', '$project', '$skip', '$count', '$foo'])(
    'the stage %s (40324)',
    async (stage) => {
      const error = await refusal(server.db.command(aggregate({ [stage]: {} })), 40324);
      expect(error.message).toBe(`Unrecognized pipeline stage name: '${stage}'`);
    },
  );

  it.each<[string, object, number]>([
    ['a comparison with a document', filter({ x: 1 }), 238],
    ['a comparison with an array', filter([1]), 238],
    ['a comparison with a regular expression', filter(/x/), 238],
    ['a regular expression that is not literal text', filter({ $regex: 'x.' }), 238],
    ['a $regex that is no text', filter({ $regex: 1 }), 2],
    ['an empty $and', find({ filter: { $and: [] } }), 2],
    ['an $and of no filters', find({ filter: { $and: [1] } }), 2],
    ['a comparison with a decimal', filter(Decimal128.fromString('1')), 238],
    ['a comparison with NaN', filter(Number.NaN), 238],
    ['a comparison with null by its order', filter({ $gt: null }), 238],
    ['a position in an array', find({ filter: { 'a.0': 1 } }), 238],
    ['$in without an array', filter({ $in: 1 }), 2],
    ['another negation than $lte', filter({ $not: { $lte: 1, $gt: 0 } }), 238],
    ['a projection of a path', find({ projection: { 'a.x': 1 } }), 238],
    ['a projection of an expression', find({ projection: { a: { $add: [1] } } }), 31325],
    ['a projection that includes and excludes', find({ projection: { a: 1, b: 0 } }), 31254],
    ['a sort that is no direction', find({ sort: { a: 2 } }), 15975],
    ['a sort by a path', find({ sort: { 'a.x': 1 } }), 238],
    ['a sort by an array', find({ sort: { a: 1 } }), 238],
    ['a sort of documents', find({ sort: { nested: 1 } }), 238],
    ['a pipeline that does not group', aggregate({ $match: {} }), 238],
    ['a pipeline in another order', aggregate({ $limit: 1 }, { $match: {} }, group({})), 238],
    ['a count by a field', aggregate({ $group: { _id: '$a', n: { $sum: 1 } } }), 238],
    ['another accumulator', aggregate({ $group: { _id: null, n: { $avg: 1 } } }), 238],
    ['$unwind of a path', aggregate({ $unwind: '$a.x' }, group({})), 238],
    ['groups by another field than that of $unwind', aggregate({ $unwind: '$a' }, group({})), 238],
    ['groups by other than texts', aggregate({ $unwind: '$a' }, { $group: { _id: '$a' } }), 238],
    ['a sum of another constant', aggregate({ $unwind: '$text' }, group({ n: { $sum: 2 } })), 238],
    ['a sort of groups by another field', aggregate({ $unwind: '$text' }, group({}), { $sort: { a: 1 } }), 238],
    ['two stages in one', aggregate({ $match: {}, $limit: 1 }), 40323],
    ['findAndModify that does nothing', { findAndModify: 'links' }, 238],
    ['findAndModify that returns what is new', { findAndModify: 'links', update: { $set: { a: 1 } }, new: true }, 238],
    ['findAndModify with upsert', { findAndModify: 'links', remove: true, upsert: true }, 238],
    ['a write concern of two members', { ...update({ $set: { b: 1 } }), writeConcern: { w: 2 } }, 100],
    ['a single index to drop', { dropIndexes: 'links', index: 'a_1' }, 238],
    ['a descending index', index({ a: -1 }), 238],
    ['an index of another kind', index({ a: 'text' }), 67],
    ['a wildcard index', index({ '$**': 1 }), 16410],
    ['an option of an index', index({ a: 1 }, { collation: { locale: 'en' } }), 197],
    ['a compound TTL index', index({ a: 1, b: 1 }, { expireAfterSeconds: 1 }), 67],
    ['a partial index by $all', index({ a: 1 }, { partialFilterExpression: { a: { $all: [1] } } }), 67],
    ['an index over documents', index({ nested: 1 }), 238],
    ['a collection without a name', { insert: '', documents: [{}] }, 73],
    ['a bad name of a collection', { insert: 'a$b', documents: [{}] }, 73],
    ['no documents', { insert: 'links', documents: [] }, 16],
  ])('%s', async (_what, command, code) => {
    await refusal(server.db.command(command), code);
  });

  it.each<[string, unknown]>([
    ['a replacement', { a: 1 }],
    ['a pipeline', [{ $set: { a: 1 } }]],
    ['a path', { $set: { 'b.c': 1 } }],
    ['all positions', { $set: { 'a.$[]': 1 } }],
    ['$currentDate of another type', { $currentDate: { at: { $type: 'timestamp' } } }],
  ])('an update by %s (238 or 16410)', async (_what, u) => {
    const outcome = await server.db.command(update(u));
    expect(outcome.n).toBe(0);
    expect([238, 16410]).toContain(outcome.writeErrors[0].code);
  });

  it('an _id that is an array or a regular expression (53), and a document of over 16 MiB (10334)', async () => {
    const links = server.collection<{ _id: unknown; text?: string }>();
    await refusal(links.insertOne({ _id: [1] as never }), 53);
    await refusal(links.insertOne({ _id: /a/ as never }), 53);
    await links.insertOne({ _id: 1 as never, text: 'x'.repeat(9 * 1024 * 1024) });
    const more = { more: 'y'.repeat(9 * 1024 * 1024) };
    await refusal(links.updateOne({}, { $set: more }), 10334);
  });
});
