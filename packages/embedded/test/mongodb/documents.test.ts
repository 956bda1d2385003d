import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb';
import { describe, expect, it } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';

const server = useServer();

describe('documents', () => {
  it('returns every BSON type exactly as it was stored', async () => {
    const links = server.collection();
    const document = {
      _id: new ObjectId(),
      int: new Int32(5),
      long: Long.fromString('9007199254740993'),
      smallLong: Long.fromNumber(5),
      double: new Double(5),
      fraction: new Double(0.1),
      decimal: Decimal128.fromString('1.10'),
      text: 'Grüße 🦊',
      date: new Date(-1),
      yes: true,
      no: false,
      nothing: null,
      list: [new Int32(1), 'two', [new Double(3)], {}],
      nested: { deep: { er: new Int32(1) } },
      bytes: new Binary(Buffer.from([0, 1, 255]), 128),
      uuid: new UUID('0f8fad5b-d9cb-469f-a165-70867728950e'),
      regex: new BSONRegExp('^a.b$', 'i'),
      timestamp: new Timestamp({ t: 7, i: 9 }),
      code: new Code('return 1'),
      least: new MinKey(),
      greatest: new MaxKey(),
    };
    await links.insertOne(document);
    const options = { promoteValues: false, bsonRegExp: true } as const;
    expect(await links.findOne({}, options)).toEqual(document);
    // An update decodes and encodes the whole document: everything that it does not change must stay the same.
    await links.updateOne({}, { $set: { added: new Int32(1) } });
    expect(await links.findOne({}, options)).toEqual({ ...document, added: new Int32(1) });
    const { _id, ...fields } = document;
    const projection = Object.fromEntries(Object.keys(fields).map((name) => [name, 1]));
    expect(await links.findOne({}, { ...options, projection })).toEqual(document);
  });

  it('distinguishes null from missing, and finds both by null', async () => {
    const links = server.collection<{ _id: number; a?: number | null }>();
    await links.insertMany([{ _id: 1, a: null }, { _id: 2 }, { _id: 3, a: 1 }]);
    expect(
      await links
        .find({ a: null })
        .sort({ _id: 1 })
        .map((link) => link._id)
        .toArray(),
    ).toEqual([1, 2]);
    expect(await links.countDocuments({ a: { $exists: true } })).toBe(2);
    expect(await links.countDocuments({ a: { $ne: null } })).toBe(1);
  });

  it('keeps fields named like properties of JavaScript objects as data', async () => {
    const links = server.collection();
    await links.insertOne({ _id: 1 as never, constructor: 'c', hasOwnProperty: 'h', toString: null });
    await links.updateOne({ _id: 1 as never }, { $set: { valueOf: 2, ['__proto__']: 3 } });
    expect(await links.findOne({ hasOwnProperty: 'h' })).toMatchObject({
      constructor: 'c',
      toString: null,
      valueOf: 2,
      ['__proto__']: 3,
    });
    expect(Object.keys((await links.findOne({})) ?? {})).toContain('__proto__');
    expect(await links.countDocuments({ toLocaleString: { $exists: true } })).toBe(0);
  });

  it('adds a missing _id at the front', async () => {
    const links = server.collection();
    await server.db.command({ insert: links.collectionName, documents: [{ a: 1 }] });
    const found = await links.findOne({});
    expect(Object.keys(found ?? {})).toEqual(['_id', 'a']);
    expect(found?._id).toBeInstanceOf(ObjectId);
  });

  it('refuses an _id that is an array or a regular expression (53)', async () => {
    const links = server.collection<{ _id: unknown }>();
    if (isGiven) return; // a given server responds with 2
    await refusal(links.insertOne({ _id: [1] as never }), 53);
    await refusal(links.insertOne({ _id: /a/ as never }), 53);
  });

  it('refuses a document of more than 16 MiB', async () => {
    const links = server.collection();
    await links.insertOne({ _id: 1 as never, text: 'x'.repeat(15_000_000) });
    const error = await links
      .updateOne({ _id: 1 as never }, { $set: { more: 'x'.repeat(3_000_000) } })
      .catch((reason) => reason);
    expect([10334, 17419]).toContain(error.code);
  });

  it('inserts up to the first error if ordered, else all except the errors', async () => {
    const links = server.collection<{ _id: number }>();
    const documents = () => [{ _id: 1 }, { _id: 1 }, { _id: 2 }];
    const ordered = await links.insertMany(documents()).catch((reason) => reason);
    expect(ordered.code).toBe(11000);
    expect(await links.countDocuments()).toBe(1);
    const unordered = await links.insertMany(documents(), { ordered: false }).catch((reason) => reason);
    expect(unordered.result.insertedCount).toBe(1);
    expect(unordered.writeErrors.map((error: { index: number }) => error.index)).toEqual([0, 1]);
    expect(await links.countDocuments()).toBe(2);
  });

  it("runs the driver's bulkWrite with hundreds of updates", async () => {
    const links = server.collection<{ _id: number; clicks?: number }>();
    await links.insertMany(Array.from({ length: 300 }, (_, _id) => ({ _id, clicks: 0 })));
    const result = await links.bulkWrite(
      [
        ...Array.from({ length: 300 }, (_, _id) => ({
          updateOne: { filter: { _id }, update: { $inc: { clicks: _id } } },
        })),
        { insertOne: { document: { _id: 1000 } } },
        { deleteOne: { filter: { _id: 0 } } },
        { updateOne: { filter: { _id: 2000 }, update: { $inc: { clicks: 1 } }, upsert: true } },
        { deleteMany: { filter: { _id: { $gt: 289, $lt: 300 } } } },
        { updateMany: { filter: { _id: { $lt: 10 } }, update: { $set: { clicks: -1 } } } },
      ],
      { ordered: false },
    );
    expect(result).toMatchObject({ insertedCount: 1, upsertedCount: 1, deletedCount: 11 });
    expect(await links.findOne({ _id: 200 })).toEqual({ _id: 200, clicks: 200 });
    expect(await links.countDocuments()).toBe(291);
  });

  it('deletes one or many', async () => {
    const links = server.collection<{ _id: number; a: number }>();
    await links.insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 1 },
      { _id: 3, a: 2 },
    ]);
    expect((await links.deleteOne({ a: 1 })).deletedCount).toBe(1);
    expect((await links.deleteMany({})).deletedCount).toBe(2);
    expect((await links.deleteOne({ a: 1 })).deletedCount).toBe(0);
  });
});
