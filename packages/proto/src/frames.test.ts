import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameReader, frameOf } from './frames.ts';

/** The bytes, cut where the numbers say. */
function cut(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...places, bytes.length].map((end, n) => bytes.subarray(places[n - 1] ?? 0, end));
}

test('values come out as they went in, in order, however the bytes are cut', () => {
  const value = fc.record({ id: fc.nat(), text: fc.string({ unit: 'binary' }), list: fc.array(fc.jsonValue()) });
  fc.assert(
    fc.property(fc.array(value), fc.array(fc.nat()), (values, cuts) => {
      const reader = new FrameReader(1e6);
      const read = cut(Buffer.concat(values.map(frameOf)), cuts).flatMap((chunk) => reader.read(chunk));
      expect(read).toEqual(JSON.parse(JSON.stringify(values)));
    }),
  );
});

test('a value comes out with its last byte, not later', () => {
  const frame = frameOf({ text: 'ü'.repeat(100) });
  const reader = new FrameReader(1_000);
  for (let n = 0; n < frame.length - 1; n++) expect(reader.read(frame.subarray(n, n + 1))).toEqual([]);
  expect(reader.read(frame.subarray(-1))).toEqual([{ text: 'ü'.repeat(100) }]);
});

test('one that is too long is refused by its length, before it has come', () => {
  const frame = frameOf({ text: 'a'.repeat(100) });
  expect(() => new FrameReader(100).read(frame.subarray(0, 4))).toThrow(RangeError);
});

test('what is no JSON is refused', () => {
  expect(() => new FrameReader(100).read(Buffer.from([0, 0, 0, 1, 123]))).toThrow(SyntaxError);
});
