/** The keys of LMDB: documents by collection and record, index entries by index, values and record. */

const RECORD_BYTES = 6;

/** `[collection][record]`: documents of a collection in the order in which they were inserted. */
export function documentKey(collectionId: number, record: number): Buffer {
  const key = Buffer.allocUnsafe(4 + RECORD_BYTES);
  key.writeUInt32BE(collectionId, 0);
  key.writeUIntBE(record, 4, RECORD_BYTES);
  return key;
}

/** `[index][values][record]`. */
export function entryKey(indexId: number, values: Buffer, record: number): Buffer {
  const key = Buffer.allocUnsafe(4 + values.length + RECORD_BYTES);
  key.writeUInt32BE(indexId, 0);
  key.set(values, 4);
  key.writeUIntBE(record, 4 + values.length, RECORD_BYTES);
  return key;
}

/** The record at the end of either kind of key. */
export function recordOf(key: Buffer): number {
  return key.readUIntBE(key.length - RECORD_BYTES, RECORD_BYTES);
}

/** The four bytes that begin every key of a collection or an index. */
export function idPrefix(id: number): Buffer {
  const prefix = Buffer.allocUnsafe(4);
  prefix.writeUInt32BE(id, 0);
  return prefix;
}

/** An id and bytes after it: a bound of a range of keys. */
export function bound(id: number, bytes: Buffer): Buffer {
  return Buffer.concat([idPrefix(id), bytes]);
}
