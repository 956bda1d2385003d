import { Binary, BSONRegExp, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareValues } from '../bson/compare.ts';
import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { encodeValue, invert, successor } from './key-encoding.ts';

const int32 = fc.integer();
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const nearDoubles = fc.bigInt({ min: 2n ** 53n - 4n, max: 2n ** 53n + 4n });
const double = fc.double().map((value) => new Double(value));
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('\0', '\u0001', 'a') }));
const scalar = fc.oneof(
  int32,
  int64,
  nearDoubles,
  double,
  text,
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  fc.uint8Array({ maxLength: 5 }).map((bytes) => new Binary(bytes)),
  int64.map((value) => new Timestamp(BigInt.asUintN(64, value))),
  fc.constantFrom(new MinKey(), new MaxKey(), new BSONRegExp('a', 'i'), new BSONRegExp('b')),
);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { weight: 6, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.constantFrom('a', 'b', 'ab', '__proto__'), tie('value'), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    },
  ),
})).value;

describe('key encoding', () => {
  it('has the order of the values, ascending and inverted, also with bytes behind', () => {
    fc.assert(
      fc.property(value, value, fc.uint8Array({ minLength: 1, maxLength: 2 }), (a, b, tail) => {
        const [x, y] = [encodeValue(a).bytes, encodeValue(b).bytes];
        const order = Math.sign(compareValues(a, b));
        expect(Math.sign(Buffer.compare(x, y))).toBe(order);
        expect(Math.sign(Buffer.compare(invert(y), invert(x)))).toBe(order);
        if (order !== 0) {
          expect(Math.sign(Buffer.compare(Buffer.concat([x, tail]), y))).toBe(order);
          expect(Buffer.compare(successor(x), y) > 0).toBe(order > 0);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('gives equal numbers of different types the same bytes, and says where a decimal shares them', () => {
    const five = encodeValue(5).bytes;
    for (const same of [5n, new Double(5), Decimal128.fromString('5.0')]) expect(encodeValue(same).bytes).toEqual(five);
    expect(encodeValue(Decimal128.fromString('0.1')).exact).toBe(false);
    expect(encodeValue(Decimal128.fromString('0.5')).exact).toBe(true);
  });
});

describe('BSON', () => {
  it('comes back from encoding and decoding as it was', () => {
    fc.assert(
      fc.property(value, (item) => {
        const bytes = encodeDocument({ item });
        const decoded = decodeDocument(bytes);
        expect(compareValues(decoded.item, item)).toBe(0);
        expect(encodeDocument(decoded)).toEqual(bytes);
      }),
      { numRuns: 1000 },
    );
  });
});
