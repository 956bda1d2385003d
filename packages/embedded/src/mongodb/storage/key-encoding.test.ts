import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode, pickFields } from '../bson/bson.ts';
import { compareValues } from '../bson/compare.ts';
import { encodeValue, successor } from './key-encoding.ts';

const int32 = fc.integer().map((value) => new Int32(value));
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => Long.fromBigInt(value));
const nearDoubles = fc.bigInt({ min: 2n ** 53n - 4n, max: 2n ** 53n + 4n }).map((value) => Long.fromBigInt(value));
const double = fc.double({ noNaN: true }).map((value) => new Double(value));
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
);

describe('key encoding', () => {
  it('keeps the order of the values, also with bytes after them', () => {
    fc.assert(
      fc.property(scalar, scalar, fc.uint8Array({ minLength: 1, maxLength: 2 }), (a, b, tail) => {
        const [x, y] = [encodeValue(a), encodeValue(b)];
        const order = Math.sign(compareValues(a, b));
        expect(Math.sign(Buffer.compare(x, y))).toBe(order);
        if (order !== 0) {
          expect(Math.sign(Buffer.compare(Buffer.concat([x, tail]), y))).toBe(order);
          expect(Buffer.compare(successor(x), y) > 0).toBe(order > 0);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('gives equal numbers of different types the same bytes', () => {
    const five = encodeValue(new Int32(5));
    for (const same of [Long.fromNumber(5), new Double(5), 5, 5n]) expect(encodeValue(same)).toEqual(five);
  });

  it.each([Decimal128.fromString('1'), new Binary(), new Timestamp(1n), new Double(Number.NaN), {}, []])(
    'refuses %j, which has no supported order (238)',
    (value) => {
      expect(() => encodeValue(value)).toThrow(expect.objectContaining({ code: 238 }));
    },
  );
});

describe('BSON', () => {
  const more = fc.constantFrom(Decimal128.fromString('1.10'), new Timestamp(7n), new Binary(Buffer.from('bytes')));
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { weight: 6, arbitrary: fc.oneof(scalar, more) },
      { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
      {
        weight: 1,
        arbitrary: fc.dictionary(fc.constantFrom('a', 'b', 'ab'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
      },
    ),
  })).value;

  it('is unchanged by decoding and encoding', () => {
    fc.assert(
      fc.property(value, (item) => {
        const bytes = encode({ item });
        expect(encode(decode(bytes))).toEqual(bytes);
      }),
      { numRuns: 1000 },
    );
  });

  it('returns the selected fields unchanged', () => {
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const picked = pickFields(encode({ a, b, c }), (name) => name !== 'b');
        expect(picked).toEqual(encode({ a, c }));
      }),
    );
  });
});
