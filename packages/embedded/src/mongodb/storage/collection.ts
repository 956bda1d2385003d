import type { Binary } from 'bson';
import { decode, MAX_DOCUMENT_BYTES, tooLarge } from '../bson/bson.ts';
import { compareValues } from '../bson/compare.ts';
import { type Document, render } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { type DocumentKeys, type IndexKey, keysOf } from './index-keys.ts';
import type { Index } from './indexes.ts';
import { successor } from './key-encoding.ts';
import { bound, documentKey, entryKey, idPrefix, recordOf } from './keys.ts';
import type { StoredData } from './tables.ts';

const NOTHING = Buffer.alloc(0);

/**
 * A collection: documents in the order of insertion, each with a record number, and index entries that point to these
 * numbers. All writes must run in a transaction of the `Store`. A write that fails leaves the transaction unchanged: it
 * checks everything before it changes anything, or undoes its changes (`addIndex`).
 */
export class Collection {
  readonly namespace: string;
  readonly id: number;
  readonly uuid: Binary;
  readonly indexes: Index[] = [];
  private lastRecord: number | undefined;
  readonly view: StoredData;
  private readonly saveIndexes: (collection: Collection) => void;

  /** `saveIndexes` stores the indexes of the collection in the catalog. */
  constructor(
    view: StoredData,
    namespace: string,
    id: number,
    uuid: Binary,
    saveIndexes: (collection: Collection) => void,
  ) {
    this.view = view;
    this.saveIndexes = saveIndexes;
    this.namespace = namespace;
    this.id = id;
    this.uuid = uuid;
  }

  /** Returns the range of this collection's documents in the store. */
  range(): { start: Buffer; end: Buffer } {
    return { start: idPrefix(this.id), end: idPrefix(this.id + 1) };
  }

  /** Returns the bytes of a document, or undefined if it was deleted. */
  read(record: number): Buffer | undefined {
    return this.view.documents.getBinary(documentKey(this.id, record), this.view.reading);
  }

  /** Like {@link read}, but does not copy: the bytes are valid only until the next read from the store. */
  peek(record: number): Buffer | undefined {
    return this.view.documents.getBinaryFast(documentKey(this.id, record), this.view.reading);
  }

  /** Returns the index of that name, or undefined. */
  findIndex(name: string): Index | undefined {
    return this.indexes.find((index) => index.name === name);
  }

  /** Stores a new document. Throws DuplicateKey (11000), BSONObjectTooLarge (10334). */
  insert(bytes: Buffer, document: Document): void {
    checkSize(bytes);
    const additions = this.indexes.map((index) => {
      const found = keysOf(index, document);
      for (const key of found.keys) this.checkUnique(index, key, undefined);
      return found;
    });
    const record = this.takeRecord();
    this.view.documents.putSync(documentKey(this.id, record), bytes);
    for (const [at, index] of this.indexes.entries()) this.addEntries(index, additions[at] as DocumentKeys, record);
  }

  /**
   * Replaces a document, and its entries in the indexes over fields that are not identical (`===`) in both. Throws as
   * `insert` does.
   */
  replace(record: number, before: Document, bytes: Buffer, after: Document): void {
    checkSize(bytes);
    const changes = this.indexes
      .filter(({ reads }) => reads.some((name) => before[name] !== after[name]))
      .map((index) => {
        const [old, now] = [keysOf(index, before), keysOf(index, after)];
        const removed = old.keys.filter((key) => !now.keys.some((other) => other.bytes.equals(key.bytes)));
        const added = now.keys.filter((key) => !old.keys.some((other) => other.bytes.equals(key.bytes)));
        // A truncated key is checked even if its bytes stay the same: the value may differ beyond them.
        for (const key of now.keys) if (key.inexact || added.includes(key)) this.checkUnique(index, key, record);
        return { index, removed, now: { ...now, keys: added } };
      });
    this.view.documents.putSync(documentKey(this.id, record), bytes);
    for (const { index, removed, now } of changes) {
      for (const key of removed) this.view.entries.removeSync(entryKey(index.id, key.bytes, record));
      this.addEntries(index, now, record);
    }
  }

  /** Deletes a document. */
  remove(record: number, document: Document): void {
    this.view.documents.removeSync(documentKey(this.id, record));
    for (const index of this.indexes) {
      for (const key of keysOf(index, document).keys)
        this.view.entries.removeSync(entryKey(index.id, key.bytes, record));
    }
  }

  /** Adds an index and fills it. Throws DuplicateKey (11000) if the documents violate a unique index. */
  addIndex(index: Index): void {
    try {
      for (const { key, value } of this.view.documents.getRange(this.range())) {
        const found = keysOf(index, decode(value));
        for (const entry of found.keys) this.checkUnique(index, entry, undefined);
        this.addEntries(index, found, recordOf(key), false);
      }
    } catch (error) {
      removeRange(this.view.entries, idPrefix(index.id), idPrefix(index.id + 1));
      throw error;
    }
    this.indexes.push(index);
    this.saveIndexes(this);
  }

  /** Removes an index and its entries. */
  dropIndex(index: Index): void {
    removeRange(this.view.entries, idPrefix(index.id), idPrefix(index.id + 1));
    this.indexes.splice(this.indexes.indexOf(index), 1);
    this.saveIndexes(this);
  }

  /** Removes all documents and index entries. */
  clear(): void {
    const { start, end } = this.range();
    removeRange(this.view.documents, start, end);
    for (const index of this.indexes) removeRange(this.view.entries, idPrefix(index.id), idPrefix(index.id + 1));
  }

  /** Returns the record number of a new document; numbers continue those of the stored data. */
  private takeRecord(): number {
    if (this.lastRecord === undefined) {
      const { start, end } = this.range();
      const [last] = this.view.documents.getKeys({ start: end, end: start, reverse: true, limit: 1 });
      this.lastRecord = last === undefined ? 0 : recordOf(last);
    }
    this.lastRecord += 1;
    return this.lastRecord;
  }

  private addEntries(index: Index, found: DocumentKeys, record: number, save = true): void {
    for (const key of found.keys) this.view.entries.putSync(entryKey(index.id, key.bytes, record), NOTHING);
    let changed = false;
    found.multikey.forEach((isArray, at) => {
      if (!isArray || index.multikey[at]) return;
      index.multikey[at] = true;
      changed = true;
    });
    if (found.inexact && !index.inexact) {
      index.inexact = true;
      changed = true;
    }
    if (changed && save) this.saveIndexes(this);
  }

  private checkUnique(index: Index, key: IndexKey, own: number | undefined): void {
    if (!index.unique) return;
    const start = bound(index.id, key.bytes);
    for (const entry of this.view.entries.getKeys({ start, end: successor(start) })) {
      // Skips the document itself, and longer keys that only start with these bytes.
      if (recordOf(entry) === own || entry.length !== start.length + 6) continue;
      if ((key.inexact || index.inexact) && !this.holdsKey(index, recordOf(entry), key)) continue;
      throw this.duplicate(index, key);
    }
  }

  private holdsKey(index: Index, record: number, key: IndexKey): boolean {
    const bytes = this.read(record);
    if (!bytes) return false;
    return keysOf(index, decode(bytes)).keys.some((other) =>
      other.values.every((value, at) => compareValues(value, key.values[at]) === 0),
    );
  }

  private duplicate(index: Index, key: IndexKey): CommandError {
    const keyPattern = index.specification.key as Document;
    const keyValue = Object.fromEntries(index.fields.map(({ path }, at) => [path, key.values[at] ?? null]));
    return new CommandError(
      11000,
      `E11000 duplicate key error collection: ${this.namespace} index: ${index.name} dup key: ${render(keyValue)}`,
      { keyPattern, keyValue },
    );
  }
}

function removeRange(database: StoredData['documents'], start: Buffer, end: Buffer): void {
  const keys = [...database.getKeys({ start, end })];
  for (const key of keys) database.removeSync(key);
}

function checkSize(bytes: Buffer): void {
  if (bytes.length > MAX_DOCUMENT_BYTES) throw tooLarge(bytes.length);
}
