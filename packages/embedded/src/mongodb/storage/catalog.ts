import { randomUUID } from 'node:crypto';
import { type Binary, UUID } from 'bson';
import { decode, encode } from '../bson/bson.ts';
import type { Document, Numeric } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { Collection } from './collection.ts';
import { type Index, toIndex } from './indexes.ts';
import type { StoredData, Table } from './tables.ts';

const NEXT_ID = 'next';

/** The collections and indexes of a view: read from LMDB, kept in memory, and stored by the transaction that changes them. */
export class Catalog {
  private readonly database: Table<string>;
  private readonly view: StoredData;
  /** Those that were used since the last reload. */
  private readonly collections = new Map<string, Collection>();
  /** Whether it has changes that are not committed. */
  isChanged = false;

  constructor(database: Table<string>, view: StoredData) {
    this.database = database;
    this.view = view;
  }

  /** Reads everything again: after a commit of the other view, or when the changes in memory were aborted. */
  reload(): void {
    this.isChanged = false;
    this.collections.clear();
  }

  /** Returns the collection `database.name`, or undefined if it does not exist. */
  find(namespace: string): Collection | undefined {
    const known = this.collections.get(namespace);
    if (known) return known;
    const record = this.database.getBinary(namespace, this.view.reading);
    return record && this.remember(namespace, decode(record));
  }

  /** Returns the collection and creates it if necessary. Only inside a write. Throws InvalidNamespace (73). */
  getOrCreate(namespace: string): Collection {
    return this.find(namespace) ?? this.create(namespace);
  }

  /** Returns the collections of a database. */
  list(database: string): Collection[] {
    const prefix = `${database}.`;
    return this.all().filter((collection) => collection.namespace.startsWith(prefix));
  }

  /** Returns the collections of all databases. */
  all(): Collection[] {
    return [...this.database.getKeys({})].flatMap((name) => (name === NEXT_ID ? [] : (this.find(name) ?? [])));
  }

  /** Removes the collection with its documents and indexes. Only inside a write. */
  drop(collection: Collection): void {
    collection.clear();
    this.collections.delete(collection.namespace);
    this.database.removeSync(collection.namespace);
    this.isChanged = true;
  }

  /** Builds an index with a new id from a specification. Only inside a write; the caller adds it to the collection. */
  newIndex(specification: Document): Index {
    return toIndex(this.takeId(), specification);
  }

  /** Stores the collection's indexes. Only inside a write. */
  save(collection: Collection): void {
    const indexes = collection.indexes.map(({ id, specification, multikey, inexact }) => ({
      id,
      specification,
      multikey,
      inexact,
    }));
    this.database.putSync(collection.namespace, encode({ id: collection.id, uuid: collection.uuid, indexes }));
    this.isChanged = true;
  }

  private create(namespace: string): Collection {
    checkNamespace(namespace);
    const collection = this.collection(namespace, this.takeId(), new UUID(randomUUID()));
    collection.indexes.push(this.newIndex({ v: 2, key: { _id: 1 }, name: '_id_' }));
    this.collections.set(namespace, collection);
    this.save(collection);
    return collection;
  }

  private collection(namespace: string, id: number, uuid: Binary): Collection {
    return new Collection(this.view, namespace, id, uuid, (collection) => this.save(collection));
  }

  private takeId(): number {
    const stored = this.database.getBinary(NEXT_ID);
    const id = stored ? toNumber(decode(stored).id as Numeric) : 1;
    this.database.putSync(NEXT_ID, encode({ id: id + 1 }));
    this.isChanged = true;
    return id;
  }

  private remember(namespace: string, record: Document): Collection {
    const collection = this.collection(namespace, toNumber(record.id as Numeric), record.uuid as Binary);
    for (const index of record.indexes as Document[]) {
      const { id, specification, multikey, inexact } = index;
      collection.indexes.push(
        toIndex(toNumber(id as Numeric), specification as Document, multikey as boolean[], inexact as boolean),
      );
    }
    this.collections.set(namespace, collection);
    return collection;
  }
}

function checkNamespace(namespace: string): void {
  const dot = namespace.indexOf('.');
  const [database, name] = [namespace.slice(0, dot), namespace.slice(dot + 1)];
  const invalid = (why: string) => new CommandError(73, `Invalid namespace specified '${namespace}': ${why}`);
  if (database === '' || Buffer.byteLength(database) > 63 || /[/\\. "$\0]/.test(database))
    throw invalid('bad database name');
  if (name === '' || name.includes('$') || name.includes('\0') || name.startsWith('.') || name.endsWith('.'))
    throw invalid('bad collection name');
  if (name.startsWith('system.')) throw invalid('system collections cannot be written');
  if (Buffer.byteLength(namespace) > 255) throw invalid('the name is longer than 255 bytes');
}
