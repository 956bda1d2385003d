import {
  type Binary,
  type BSONRegExp,
  type Code,
  type DBRef,
  Decimal128,
  Double,
  type ObjectId,
  type Timestamp,
} from 'bson';
import { compareNumbers, textOf } from '../bson/compare.ts';
import { GrowingBuffer } from '../bson/growing-buffer.ts';
import { type Document, type Numeric, ORDER, orderOf } from '../bson/values.ts';

/**
 * Bytes of index keys: comparing them byte by byte gives MongoDB's order of the values, and no encoding is a prefix of
 * another, so that encodings can be put one after the other for a compound key.
 */
export interface EncodedValue {
  bytes: Buffer;
  /** False where different values share these bytes (a decimal that no double equals). */
  exact: boolean;
}

/** Encodes one value. A missing value of an index key is to be passed as null, as MongoDB stores it. */
export function encodeValue(value: unknown): EncodedValue {
  const writer = new KeyWriter();
  writer.value(value);
  return { bytes: writer.finish(), exact: writer.exact };
}

/** The bytes with which every value of a type begins: a cut point between types. */
export function typeStart(order: number): Buffer {
  return Buffer.of(order);
}

/** The same keys in the opposite order: what a descending field of an index stores. */
export function invert(bytes: Buffer): Buffer {
  const inverted = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) inverted[at] = 0xff - (bytes[at] as number);
  return inverted;
}

/** The first key after all those that begin with the given bytes. */
export function successor(prefix: Buffer): Buffer {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1;
  if (length === 0) throw new RangeError('no key comes after this prefix');
  const next = Buffer.from(prefix.subarray(0, length));
  next[length - 1] = (next[length - 1] as number) + 1;
  return next;
}

class KeyWriter extends GrowingBuffer {
  exact = true;

  constructor() {
    super(64);
  }

  value(value: unknown): void {
    const order = orderOf(value);
    this.reserve(16);
    this.bytes[this.at++] = order;
    switch (order) {
      case ORDER.number:
        this.number(value as Numeric);
        break;
      case ORDER.string:
        this.text(textOf(value));
        break;
      case ORDER.object:
        this.document(value as Document);
        break;
      case ORDER.array:
        for (const item of value as unknown[]) this.value(item);
        this.byte(0);
        break;
      case ORDER.binary: {
        const binary = value as Binary;
        this.at = this.bytes.writeUInt32BE(binary.position, this.at);
        this.bytes[this.at++] = binary.sub_type;
        this.copy(binary.buffer.subarray(0, binary.position));
        break;
      }
      case ORDER.objectId:
        this.copy((value as ObjectId).id);
        break;
      case ORDER.boolean:
        this.byte(value ? 2 : 1);
        break;
      case ORDER.date:
        this.at = this.bytes.writeBigUInt64BE(BigInt((value as Date).getTime()) + (1n << 63n), this.at);
        break;
      case ORDER.timestamp:
        this.at = this.bytes.writeBigUInt64BE(BigInt.asUintN(64, (value as Timestamp).toBigInt()), this.at);
        break;
      case ORDER.regex:
        this.text((value as BSONRegExp).pattern);
        this.text((value as BSONRegExp).options);
        break;
      case ORDER.dbRef:
        this.text((value as DBRef).collection);
        this.copy((value as DBRef).oid.id);
        break;
      case ORDER.code:
        this.text((value as Code).code);
        break;
      case ORDER.codeWithScope:
        this.text((value as Code).code);
        this.document((value as Code).scope ?? {});
        break;
    }
  }

  private document(document: Document): void {
    for (const name of Object.keys(document)) {
      this.byte(orderOf(document[name])); // documents compare by type, then name, then value
      this.text(name);
      this.value(document[name]);
    }
    this.byte(0);
  }

  /** A double's sortable bytes, then how far an int64 lies above that double: all of int64 and double in one order. */
  private number(value: Numeric): void {
    let base: number;
    let above = 0;
    if (typeof value === 'bigint') {
      base = Number(value);
      if (BigInt(base) > value) base = below(base);
      above = Number(value - BigInt(base));
    } else if (typeof value === 'number') base = value;
    else if (value instanceof Double) base = value.value;
    else {
      base = Number((value as Decimal128).toString());
      if (value instanceof Decimal128 && compareNumbers(value, new Double(base)) !== 0) this.exact = false;
    }
    this.bytes.writeDoubleBE(base === 0 ? 0 : base, this.at);
    if (Number.isNaN(base)) this.bytes.fill(0, this.at, this.at + 8);
    else if (base < 0)
      for (let at = this.at; at < this.at + 8; at += 1) this.bytes[at] = 0xff - (this.bytes[at] as number);
    else this.bytes[this.at] = (this.bytes[this.at] as number) + 0x80;
    this.at = this.bytes.writeUInt16BE(above, this.at + 8);
  }

  /** UTF-8 with a zero at the end; the bytes 0 and 1 of the text are escaped so that the order holds. */
  private text(text: string): void {
    const length = Buffer.byteLength(text);
    this.reserve(length * 2 + 16);
    const start = this.at;
    this.bytes.write(text, start, length, 'utf8');
    let end = start + length;
    let special = 0;
    for (let at = start; at < end; at += 1) if ((this.bytes[at] as number) <= 1) special += 1;
    if (special > 0) {
      for (let from = end - 1, to = end - 1 + special; from >= start; from -= 1) {
        const byte = this.bytes[from] as number;
        if (byte <= 1) {
          this.bytes[to--] = byte + 1;
          this.bytes[to--] = 1;
        } else this.bytes[to--] = byte;
      }
      end += special;
    }
    this.at = end;
    this.byte(0);
  }
}

/** The next double below a large integer-valued one. */
function below(value: number): number {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleBE(value);
  const bits = bytes.readBigInt64BE();
  bytes.writeBigInt64BE(value > 0 ? bits - 1n : bits + 1n);
  return bytes.readDoubleBE();
}
