import { packTexts } from '@waymark/proto';

/**
 * Rows for ClickHouse in its Native format (https://clickhouse.com/docs/en/interfaces/formats/Native): a block, column
 * by column, as ClickHouse itself keeps it in memory. Nothing is turned into text and read again, and the rows of
 * one request stay one block.
 */
export interface NativeColumn {
  name: string;
  /** The type of the values here; ClickHouse turns them into the table's. */
  type: string;
  bytes: Uint8Array;
}

/** A block of `rows` rows; every column must have as many values. */
export function nativeBlock(rows: number, columns: readonly NativeColumn[]): Buffer {
  const parts: Uint8Array[] = [varUint(columns.length), varUint(rows)];
  for (const { name, type, bytes } of columns) parts.push(packTexts([name, type]), bytes);
  return Buffer.concat(parts);
}

/** The same unsigned 64-bit number in each row. */
export function sameUInt64(name: string, rows: number, value: bigint): NativeColumn {
  const bytes = Buffer.allocUnsafe(rows * 8);
  const one = Buffer.alloc(8);
  one.writeBigUInt64LE(value);
  return { name, type: 'UInt64', bytes: bytes.fill(one) };
}

/** The same second since the epoch in each row. */
export function sameDateTime(name: string, rows: number, seconds: number): NativeColumn {
  const bytes = Buffer.allocUnsafe(rows * 4);
  const one = Buffer.alloc(4);
  one.writeUInt32LE(seconds);
  return { name, type: "DateTime('UTC')", bytes: bytes.fill(one) };
}

/** Milliseconds since the epoch. */
export function dateTimes64(name: string, ms: Float64Array): NativeColumn {
  const bytes = new Uint8Array(ms.length * 8);
  const view = new DataView(bytes.buffer);
  for (let row = 0; row < ms.length; row++) {
    const high = Math.floor(ms[row]! / 2 ** 32);
    view.setUint32(row * 8, ms[row]! - high * 2 ** 32, true);
    view.setInt32(row * 8 + 4, high, true);
  }
  return { name, type: "DateTime64(3, 'UTC')", bytes };
}

/** UUIDs of 16 bytes each, one after the other. ClickHouse has one as two numbers, lowest byte first. */
export function uuids(name: string, bytes: Uint8Array): NativeColumn {
  return { name, type: 'UUID', bytes: Buffer.from(bytes).swap64() };
}

/** Texts, each of `values` once and for each row the index of its own. For columns of any type that reads texts. */
export function texts(
  name: string,
  { values, indexes }: { values: readonly string[]; indexes: Uint16Array },
): NativeColumn {
  return packed(name, { texts: packTexts(values), size: values.length, indexes });
}

/** As {@link texts}, of `size` texts that are packed already. */
export function packed(
  name: string,
  { texts, size, indexes }: { texts: Uint8Array; size: number; indexes: Uint16Array },
): NativeColumn {
  const bytes = Buffer.allocUnsafe(4 * 8 + texts.length + indexes.length * 2);
  let at = bytes.writeBigUInt64LE(SHARED_DICTIONARIES_WITH_ADDITIONAL_KEYS);
  at = bytes.writeBigUInt64LE(HAS_ADDITIONAL_KEYS | INDEXES_OF_16_BITS, at);
  at = bytes.writeBigUInt64LE(BigInt(size), at);
  bytes.set(texts, at);
  at = bytes.writeBigUInt64LE(BigInt(indexes.length), at + texts.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  for (let row = 0; row < indexes.length; row++) view.setUint16(row * 2, indexes[row]!, true);
  return { name, type: 'LowCardinality(String)', bytes };
}

/** The only version of the format's `LowCardinality`, and: the dictionary is in the block itself. */
const SHARED_DICTIONARIES_WITH_ADDITIONAL_KEYS = 1n;
const HAS_ADDITIONAL_KEYS = 1n << 9n;
const INDEXES_OF_16_BITS = 1n;

function varUint(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(5);
  let at = 0;
  for (; value >= 0x80; value >>>= 7) bytes[at++] = (value & 0x7f) | 0x80;
  bytes[at++] = value;
  return bytes.subarray(0, at);
}
