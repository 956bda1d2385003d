import { Long, type ObjectId } from 'bson';
import { type Numeric, ORDER, orderOf, typeName } from '../bson/values.ts';
import { notSupported } from '../errors.ts';
import { toNumber } from '../numbers.ts';

/**
 * Encodes one value for an index key. Comparing the bytes yields MongoDB's order of the values, and no encoding is a
 * prefix of another, so that encodings can be concatenated for a compound key. Pass null for a missing value, as
 * MongoDB stores it. Throws NotImplemented (238) for documents, arrays and NaN.
 */
export function encodeValue(value: unknown): Buffer {
  const order = orderOf(value);
  switch (order) {
    case ORDER.missing:
    case ORDER.null:
      return typeStart(order);
    case ORDER.number:
      return numberBytes(value as Numeric);
    case ORDER.string:
      return textBytes(value as string);
    case ORDER.objectId:
      return Buffer.concat([typeStart(order), (value as ObjectId).id]);
    case ORDER.boolean:
      return Buffer.of(order, value ? 2 : 1);
    case ORDER.date: {
      const bytes = bytesOfType(order, 8);
      bytes.writeBigUInt64BE(BigInt((value as Date).getTime()) + (1n << 63n), 1);
      return bytes;
    }
    default:
      throw notSupported(`an index over values of type ${typeName(value)}`);
  }
}

/** Returns the first byte of every value of a type: a boundary between types. */
export function typeStart(order: number): Buffer {
  return Buffer.of(order);
}

/** Returns the first key after all keys that start with the given bytes. */
export function successor(prefix: Buffer): Buffer {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1;
  if (length === 0) throw new RangeError('this prefix has no successor');
  const next = Buffer.from(prefix.subarray(0, length));
  next[length - 1] = (next[length - 1] as number) + 1;
  return next;
}

/** Returns bytes for a value of `size` bytes; the first byte is that of its type. */
function bytesOfType(order: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(1 + size);
  bytes[0] = order;
  return bytes;
}

/**
 * Encodes a double's sortable bytes, then the distance of an int64 above that double, so that all int64 and double
 * values have one order.
 */
function numberBytes(value: Numeric): Buffer {
  let base = toNumber(value);
  if (Number.isNaN(base)) throw notSupported('an index over NaN');
  let above = 0;
  if (value instanceof Long) {
    if (BigInt(base) > value.toBigInt()) base = below(base);
    above = Number(value.toBigInt() - BigInt(base));
  }
  const bytes = bytesOfType(ORDER.number, 10);
  bytes.writeDoubleBE(base === 0 ? 0 : base, 1);
  if (base < 0) for (let at = 1; at <= 8; at += 1) bytes[at] = 0xff - (bytes[at] as number);
  else bytes[1] = (bytes[1] as number) + 0x80;
  bytes.writeUInt16BE(above, 9);
  return bytes;
}

/** Encodes UTF-8 with a terminating zero; escapes the characters 0 and 1 so that the order is preserved. */
function textBytes(text: string): Buffer {
  const escaped = text.replaceAll('\x01', '\x01\x02').replaceAll('\0', '\x01\x01');
  return Buffer.from(`${String.fromCharCode(ORDER.string)}${escaped}\0`);
}

/** Returns the next double below a large integer-valued one. */
function below(value: number): number {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleBE(value);
  const bits = bytes.readBigInt64BE();
  bytes.writeBigInt64BE(value > 0 ? bits - 1n : bits + 1n);
  return bytes.readDoubleBE();
}
