import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dateTimes64, nativeBlock, sameDateTime, sameUInt64, texts, uuids } from '../src/database/native-block.ts';
import { openTestDatabase, type TestDatabase } from './harness.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
  const name = db.env.CLICKHOUSE_DATABASE;
  await db.database.command(`CREATE DATABASE ${name}`, { database: false });
  await db.database.command(
    `CREATE TABLE blocks (row UInt64, number UInt64, second DateTime('UTC'), moment DateTime64(3, 'UTC'), id UUID,
       plain String, dictionary LowCardinality(String)) ENGINE = MergeTree ORDER BY ()`,
  );
});
afterAll(() => db?.close());

interface Row {
  number: string;
  second: number;
  moment: string;
  id: string;
  plain: string;
  dictionary: string;
}

/** What ClickHouse has after it was given the block alone. */
async function stored(block: Buffer): Promise<Row[]> {
  await db.database.command('TRUNCATE TABLE blocks');
  await db.database.insert('blocks', block);
  return db.database.query<Row>(
    `SELECT toString(number) AS number, toUnixTimestamp(second) AS second,
       toString(toUnixTimestamp64Milli(moment)) AS moment, toString(id) AS id, plain, dictionary
     FROM blocks ORDER BY _part_offset`,
  );
}

test('ClickHouse reads any values as they are', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 });
  const block = fc.record({
    number: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    second: fc.integer({ min: 0, max: 0xffff_ffff }),
    rows: fc.array(fc.record({ ms: fc.integer({ min: -2e12, max: 9e12 }), id: fc.uuid(), text, of: fc.nat() }), {
      minLength: 1,
      maxLength: 300,
      size: 'max',
    }),
    dictionary: fc.uniqueArray(text, { minLength: 1, maxLength: 300, size: 'max' }),
  });
  await fc.assert(
    fc.asyncProperty(block, async ({ number, second, rows, dictionary }) => {
      const indexes = rows.map(({ of }) => of % dictionary.length);
      const bytes = nativeBlock(rows.length, [
        sameUInt64('number', rows.length, number),
        sameDateTime('second', rows.length, second),
        dateTimes64(
          'moment',
          Float64Array.from(rows, ({ ms }) => ms),
        ),
        uuids('id', Buffer.from(rows.map(({ id }) => id.replaceAll('-', '')).join(''), 'hex')),
        texts('plain', { values: rows.map((row) => row.text), indexes: Uint16Array.from(rows.keys()) }),
        texts('dictionary', { values: dictionary, indexes: Uint16Array.from(indexes) }),
      ]);
      expect(await stored(bytes)).toEqual(
        rows.map((row, index) => ({
          number: String(number),
          second,
          moment: String(row.ms),
          id: row.id,
          plain: row.text,
          dictionary: dictionary[indexes[index]!],
        })),
      );
    }),
    { numRuns: 20 },
  );
});

test.each([1, 65_536])('of %i different texts, all are told apart', async (count) => {
  const values = Array.from({ length: count }, (_, index) => `text ${index}`);
  const rows = await stored(
    nativeBlock(count, [texts('plain', { values, indexes: Uint16Array.from(values.keys()).reverse() })]),
  );
  expect(rows.map(({ plain }) => plain)).toEqual(values.reverse());
});
