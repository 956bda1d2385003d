import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { GrowingBuffer } from './growing-buffer.ts';
import { type Document, isDocument } from './values.ts';

/** A document that is already encoded; the encoder copies its bytes. */
export class RawDocument {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/**
 * Encodes a document whose values are those of `values.ts`; a field that is `undefined` is left out. `headroom` bytes
 * are kept free before it, for a message header. The result is a buffer of its own.
 */
export function encodeDocument(document: Document, headroom = 0): Buffer {
  const encoder = new Encoder(headroom);
  encoder.document(document);
  return encoder.finish();
}

class Encoder extends GrowingBuffer {
  constructor(headroom: number) {
    super(512 + headroom, headroom);
  }

  document(document: Document): void {
    const start = this.begin();
    for (const name of Object.keys(document)) {
      const value = document[name];
      if (value !== undefined) this.element(name, value);
    }
    this.end(start);
  }

  private array(items: readonly unknown[]): void {
    const start = this.begin();
    for (let index = 0; index < items.length; index += 1) this.element(String(index), items[index] ?? null);
    this.end(start);
  }

  private begin(): number {
    const start = this.at;
    this.reserve(5);
    this.at += 4;
    return start;
  }

  private end(start: number): void {
    this.byte(0);
    this.bytes.writeInt32LE(this.at - start, start);
  }

  private element(name: string, value: unknown): void {
    const typeAt = this.at;
    this.reserve(1);
    this.at += 1;
    this.cstring(name);
    const type = this.value(value); // may replace the buffer, so it has to come before the buffer is named
    this.bytes[typeAt] = type;
  }

  /** Writes the value and gives its BSON type. */
  private value(value: unknown): number {
    this.reserve(24);
    switch (typeof value) {
      case 'string':
        this.string(value);
        return 0x02;
      case 'number':
        this.at = this.bytes.writeInt32LE(value, this.at);
        return 0x10;
      case 'bigint':
        this.at = this.bytes.writeBigInt64LE(value, this.at);
        return 0x12;
      case 'boolean':
        this.bytes[this.at++] = value ? 1 : 0;
        return 0x08;
    }
    if (value === null) return 0x0a;
    if (isDocument(value)) {
      this.document(value);
      return 0x03;
    }
    if (Array.isArray(value)) {
      this.array(value);
      return 0x04;
    }
    return this.instance(value as object);
  }

  private instance(value: object): number {
    if (value instanceof RawDocument) {
      this.copy(value.bytes);
      return 0x03;
    }
    if (value instanceof ObjectId) {
      this.copy(value.id);
      return 0x07;
    }
    if (value instanceof Date) {
      this.at = this.bytes.writeBigInt64LE(BigInt(value.getTime()), this.at);
      return 0x09;
    }
    if (value instanceof Double) {
      this.at = this.bytes.writeDoubleLE(value.value, this.at);
      return 0x01;
    }
    if (value instanceof Binary) {
      const payload = value.buffer.subarray(0, value.position);
      const old = value.sub_type === Binary.SUBTYPE_BYTE_ARRAY;
      this.at = this.bytes.writeInt32LE(payload.length + (old ? 4 : 0), this.at);
      this.bytes[this.at++] = value.sub_type;
      if (old) this.at = this.bytes.writeInt32LE(payload.length, this.at);
      this.copy(payload);
      return 0x05;
    }
    if (value instanceof Decimal128) {
      this.copy(value.bytes);
      return 0x13;
    }
    if (value instanceof Timestamp) {
      this.at = this.bytes.writeBigUInt64LE(BigInt.asUintN(64, value.toBigInt()), this.at);
      return 0x11;
    }
    if (value instanceof BSONRegExp) {
      this.cstring(value.pattern);
      this.cstring(value.options);
      return 0x0b;
    }
    if (value instanceof BSONSymbol) {
      this.string(value.value);
      return 0x0e;
    }
    if (value instanceof Code) return this.code(value);
    if (value instanceof DBRef) {
      this.string(value.collection);
      this.copy(value.oid.id);
      return 0x0c;
    }
    if (value instanceof MinKey) return 0xff;
    if (value instanceof MaxKey) return 0x7f;
    throw new TypeError(`no BSON type for ${Object.prototype.toString.call(value)}`);
  }

  private code(value: Code): number {
    if (!value.scope) {
      this.string(value.code);
      return 0x0d;
    }
    const start = this.at;
    this.at += 4;
    this.string(value.code);
    this.document(value.scope);
    this.bytes.writeInt32LE(this.at - start, start);
    return 0x0f;
  }

  private string(text: string): void {
    const length = Buffer.byteLength(text);
    this.reserve(length + 5);
    this.bytes.writeInt32LE(length + 1, this.at);
    this.bytes.write(text, this.at + 4, length, 'utf8');
    this.at += length + 5;
    this.bytes[this.at - 1] = 0;
  }

  private cstring(text: string): void {
    const length = Buffer.byteLength(text);
    this.reserve(length + 1);
    this.bytes.write(text, this.at, length, 'utf8');
    this.at += length + 1;
    this.bytes[this.at - 1] = 0;
  }
}
