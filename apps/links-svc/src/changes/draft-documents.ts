import type { AnyBulkWriteOperation, Filter } from 'mongodb';
import type { UndoLog } from './undo-log.ts';

/** A document with its id. Its other fields are compared by identity, so an update shares those that it leaves alone. */
export interface Identified {
  _id: string;
}

/** Documents of one collection in a transaction: as they were read, and as the changes leave them. */
export class DraftDocuments<Document extends Identified> {
  readonly #read = new Map<string, Document | null>();
  readonly #changed = new Map<string, Document | null>();
  readonly #undo: UndoLog;

  constructor(undo: UndoLog) {
    this.#undo = undo;
  }

  /** Records the documents with these ids as they were read. Those that are missing do not exist. */
  load(ids: Iterable<string>, found: readonly Document[]): void {
    for (const id of ids) this.#read.set(id, null);
    for (const document of found) this.#read.set(document._id, document);
  }

  /** Records a document that is known to be stored like this, unless it was read. */
  know(document: Document): void {
    if (!this.#read.has(document._id)) this.#read.set(document._id, document);
  }

  /**
   * Records that no document should have this id, unless it is known. If one has it, its insertion fails, and with it the
   * transaction.
   */
  expectNone(id: string): void {
    if (!this.isKnown(id)) this.#read.set(id, null);
  }

  /** Returns true if the document was read, or written. */
  isKnown(id: string): boolean {
    return this.#read.has(id) || this.#changed.has(id);
  }

  /**
   * Returns the document as it is now, or null if there is none.
   * @throws if it was neither read nor written, which is a defect of the change.
   */
  get(id: string): Document | null {
    const document = this.#changed.get(id) ?? (this.#changed.has(id) ? null : this.#read.get(id));
    if (document === undefined) throw new Error('a change looked for a document that it had not named');
    return document;
  }

  /** Returns a document that was read or written and passes the test, as it is now, or null. */
  find(test: (document: Document) => boolean): Document | null {
    for (const id of new Set([...this.#read.keys(), ...this.#changed.keys()])) {
      const document = this.get(id);
      if (document !== null && test(document)) return document;
    }
    return null;
  }

  /** Adds a document, or replaces the one with this id. */
  put(document: Document): void {
    this.#set(document._id, document);
  }

  /** Removes the document with this id. */
  remove(id: string): void {
    this.#set(id, null);
  }

  #set(id: string, document: Document | null): void {
    const before = this.#changed.get(id);
    this.#undo.record(() => (before === undefined ? this.#changed.delete(id) : this.#changed.set(id, before)));
    this.#changed.set(id, document);
  }

  /** Returns the writes that make the collection what the draft is. `select` selects a document that exists. */
  writes(select: (document: Document) => Filter<Document>): AnyBulkWriteOperation<Document>[] {
    const inserts: AnyBulkWriteOperation<Document>[] = [];
    const others: AnyBulkWriteOperation<Document>[] = [];
    for (const [id, after] of this.#changed) {
      const before = this.#read.get(id) ?? null;
      if (before === null) {
        if (after !== null) inserts.push({ insertOne: { document: after as never } });
      } else if (after === null) {
        others.push({ deleteOne: { filter: select(before) } });
      } else {
        const update = updateOf(before, after);
        if (update !== null) others.push({ updateOne: { filter: select(before), update: update as never } });
      }
    }
    return [...inserts, ...others];
  }
}

/** Returns the update that writes only the fields that differ, or null if none does. */
function updateOf(before: object, after: object): { $set?: object; $unset?: object } | null {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const set: Record<string, unknown> = {};
  const unset: Record<string, ''> = {};
  for (const name of names) {
    const value = (after as Record<string, unknown>)[name];
    if (value === (before as Record<string, unknown>)[name]) continue;
    if (value === undefined) unset[name] = '';
    else set[name] = value;
  }
  const update = {
    ...(Object.keys(set).length > 0 && { $set: set }),
    ...(Object.keys(unset).length > 0 && { $unset: unset }),
  };
  return Object.keys(update).length > 0 ? update : null;
}
