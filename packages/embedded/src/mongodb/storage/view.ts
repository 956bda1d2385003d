import { type Database, open, type RootDatabase } from 'lmdb';
import { Catalog } from './catalog.ts';

/**
 * One view of the data: either what is committed, or what the writer sees in its open transaction. Each view opens the
 * environment for itself, because `lmdb` sends all reads of a `root` through its open write transaction.
 */
export class View {
  readonly root: RootDatabase;
  readonly documents: Database<Buffer, Buffer>;
  readonly entries: Database<Buffer, Buffer>;
  /** One record for each session that wrote: its last transaction number and the reply. */
  readonly sessions: Database<Buffer, string>;
  readonly catalog: Catalog;
  /** Whether this is the view of the writer. */
  readonly isWorking: boolean;

  constructor(folder: string, isWorking: boolean) {
    this.isWorking = isWorking;
    this.root = open({ path: folder, noSync: true, noMemInit: true, maxDbs: 8 });
    this.documents = this.root.openDB({ name: 'documents', encoding: 'binary', keyEncoding: 'binary' });
    this.entries = this.root.openDB({ name: 'entries', encoding: 'binary', keyEncoding: 'binary' });
    this.sessions = this.root.openDB({ name: 'sessions', encoding: 'binary' });
    this.catalog = new Catalog(this.root.openDB({ name: 'catalog', encoding: 'binary' }), this);
  }
}
