import type { RootDatabase } from 'lmdb';
import { CommandError } from '../errors.ts';
import { Catalog } from './catalog.ts';
import { openTables, type ReadOptions, type ReadTransaction, type StoredData, type Tables } from './tables.ts';

/** One view of the data: what is committed, what the writer sees in its open transaction, or a snapshot. */
export class View implements StoredData {
  readonly root: RootDatabase;
  readonly documents: Tables['documents'];
  readonly entries: Tables['entries'];
  readonly sessions: Tables['sessions'];
  readonly catalog: Catalog;
  /** Whether this is the view of the writer. */
  readonly isWorking: boolean;
  private readonly tables: Tables;
  private readonly transaction: ReadTransaction | undefined;
  private isEnded = false;

  constructor(source: string | Tables, isWorking: boolean, transaction?: ReadTransaction) {
    this.tables = typeof source === 'string' ? openTables(source) : source;
    this.root = this.tables.root;
    this.documents = this.tables.documents;
    this.entries = this.tables.entries;
    this.sessions = this.tables.sessions;
    this.isWorking = isWorking;
    this.transaction = transaction;
    this.catalog = new Catalog(this.tables.catalog, this);
  }

  /** The options of each read. Throws SnapshotTooOld (239) if the view is a snapshot that was ended. */
  get reading(): ReadOptions {
    if (this.isEnded) throw new CommandError(239, 'The snapshot is no longer held. Start another snapshot session.');
    return this.transaction ? { transaction: this.transaction } : {};
  }

  /**
   * Returns a view of what is committed now, which holds its pages until it is ended. Only for a view that nothing else
   * is read from: `lmdb` would keep cursors of the snapshot for later reads.
   */
  snapshot(): View {
    const transaction = this.root.useReadTransaction();
    this.root.resetReadTxn(); // the next snapshot uses another transaction
    return new View(this.tables, false, transaction);
  }

  /** Ends a snapshot. */
  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.transaction?.done();
  }
}
