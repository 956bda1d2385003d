/** Bytes of the record number that ends every LMDB key of a document or an index entry. */
const RECORD_BYTES = 6;

/** Returns the key `[collection][record]`, which orders the documents of a collection by insertion. */
export function documentKey(collectionId: number, record: number): Buffer {
  const key = Buffer.allocUnsafe(4 + RECORD_BYTES);
  key.writeUInt32BE(collectionId, 0);
  key.writeUIntBE(record, 4, RECORD_BYTES);
  return key;
}

/** Returns the key `[index][values][record]`. */
export function entryKey(indexId: number, values: Buffer, record: number): Buffer {
  const key = Buffer.allocUnsafe(4 + values.length + RECORD_BYTES);
  key.writeUInt32BE(indexId, 0);
  key.set(values, 4);
  key.writeUIntBE(record, 4 + values.length, RECORD_BYTES);
  return key;
}

/** Returns the record number at the end of either kind of key. */
export function recordOf(key: Buffer): number {
  return key.readUIntBE(key.length - RECORD_BYTES, RECORD_BYTES);
}

/** Returns the four bytes that start every key of a collection or an index. */
export function idPrefix(id: number): Buffer {
  const prefix = Buffer.allocUnsafe(4);
  prefix.writeUInt32BE(id, 0);
  return prefix;
}

/** Returns an id followed by bytes, as a bound of a range of keys. */
export function bound(id: number, bytes: Buffer): Buffer {
  return Buffer.concat([idPrefix(id), bytes]);
}
