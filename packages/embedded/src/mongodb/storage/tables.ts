import { type Database, open, type RootDatabase } from 'lmdb';

export type ReadTransaction = ReturnType<RootDatabase['useReadTransaction']>;

export interface ReadOptions {
  transaction?: ReadTransaction;
}

/** A table of an LMDB environment, with options that `lmdb` has and its types lack. */
export type Table<Key extends Buffer | string> = Database<Buffer, Key> & {
  getBinary(key: Key, options: ReadOptions): Buffer | undefined;
  getBinaryFast(key: Key, options: ReadOptions): Buffer | undefined;
};

export interface Tables {
  root: RootDatabase;
  documents: Table<Buffer>;
  entries: Table<Buffer>;
  /** One record for each session that wrote: its last transaction number and the reply. */
  sessions: Table<string>;
  catalog: Table<string>;
}

/** Opens an environment of its own, because `lmdb` sends all reads of a `root` through its open write transaction. */
export function openTables(folder: string): Tables {
  const root = open({ path: folder, noSync: true, noMemInit: true, maxDbs: 8, maxReaders: 1_100 });
  const table = <Key extends Buffer | string>(name: string, keyEncoding?: 'binary') =>
    root.openDB<Buffer, Key>({ name, encoding: 'binary', ...(keyEncoding && { keyEncoding }) }) as Table<Key>;
  return {
    root,
    documents: table<Buffer>('documents', 'binary'),
    entries: table<Buffer>('entries', 'binary'),
    sessions: table<string>('sessions'),
    catalog: table<string>('catalog'),
  };
}

/** The data of one view, as collections read and write it. */
export interface StoredData {
  readonly documents: Tables['documents'];
  readonly entries: Tables['entries'];
  /** Whether it is that of the writer. */
  readonly isWorking: boolean;
  /** The options of each read. */
  readonly reading: ReadOptions;
}
