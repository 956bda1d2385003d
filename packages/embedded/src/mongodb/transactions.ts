import type { Document } from './bson/values.ts';
import { OK } from './commands/ok.ts';
import type { ConnectionState, TransactionId } from './connection-state.ts';
import type { Cursors } from './cursors.ts';
import { CommandError, transientError } from './errors.ts';
import { lastWriteOf, rememberWrite } from './retries.ts';
import type { OpenTransaction, Store } from './storage/store.ts';

/**
 * How long a transaction may be open. MongoDB allows 60 seconds, but here every other writer waits for it: the limit is
 * what a request of a service may take.
 */
const LIFETIME_MS = 5000;

interface Current {
  id: TransactionId;
  open: OpenTransaction;
  /** The connection of its last command; if it closes, the client is gone. */
  connection: ConnectionState;
  timer: NodeJS.Timeout;
}

/**
 * The multi-document transactions of a server. A transaction has the store's only writer from its first command on, so
 * at most one is open, and no two conflict: the next one waits.
 */
export class Transactions {
  private readonly store: Store;
  private readonly cursors: Cursors;
  private current: Current | undefined;
  /** The sessions of transactions that wait for the current one. */
  private readonly waiting = new Set<{ session: string; isKilled: boolean }>();

  constructor(store: Store, cursors: Cursors) {
    this.store = store;
    this.cursors = cursors;
  }

  /** Runs a command of a transaction. An error aborts the transaction, as in MongoDB. */
  async run(
    connection: ConnectionState,
    id: TransactionId,
    command: () => Document | Promise<Document>,
  ): Promise<Document> {
    if (id.starts) await this.begin(connection, id);
    else this.find(id).connection = connection;
    try {
      const reply = await command();
      if (reply.writeErrors || reply.nErrors) await this.abortCurrent();
      return reply;
    } catch (error) {
      await this.abortCurrent();
      throw error;
    }
  }

  /** Commits a transaction; does nothing if it is committed already, also by a server that was killed since. */
  async commit(id: TransactionId): Promise<void> {
    if (!this.isCurrent(id) && this.isCommitted(id)) return;
    const { open } = this.find(id);
    rememberWrite(this.store.working, { ...id, reply: { ok: OK }, isTransaction: true });
    this.forgetCurrent();
    await open.commit();
  }

  /** Aborts a transaction. Throws if it is not open. */
  async abort(id: TransactionId): Promise<void> {
    this.find(id);
    await this.abortCurrent();
  }

  /** Aborts the transaction of a client that is gone. */
  connectionClosed(connection: ConnectionState): void {
    if (this.current?.connection === connection) this.abortInBackground();
  }

  /** Aborts the transaction of an ended session. */
  async endSession(session: string): Promise<void> {
    for (const waiting of this.waiting) if (waiting.session === session) waiting.isKilled = true;
    if (this.current?.id.session === session) await this.abortCurrent();
  }

  private async begin(connection: ConnectionState, id: TransactionId): Promise<void> {
    const { session, number } = id;
    await this.endSession(session); // a client that begins another transaction has given up the last one
    const last = lastWriteOf(this.store.committed, session);
    if (last && last.number > number)
      throw new CommandError(225, `Cannot start transaction ${number} on session ${session}: ${last.number} is newer`);
    if (last?.number === number)
      throw new CommandError(117, `Cannot start transaction ${number} on session ${session}: the number was used`);
    const waiting = { session, isKilled: false };
    this.waiting.add(waiting);
    const open = await this.store.begin().finally(() => this.waiting.delete(waiting));
    const timer = setTimeout(() => this.abortInBackground(), LIFETIME_MS);
    this.current = { id, open, connection, timer };
    if (!connection.isClosed && !waiting.isKilled) return;
    await this.abortCurrent();
    throw noSuchTransaction(id);
  }

  private find(id: TransactionId): Current {
    if (this.current && this.isCurrent(id)) return this.current;
    if (this.isCommitted(id)) throw new CommandError(256, `Transaction ${id.number} has been committed.`);
    throw noSuchTransaction(id);
  }

  private isCurrent({ session, number }: TransactionId): boolean {
    return this.current?.id.session === session && this.current.id.number === number;
  }

  private isCommitted({ session, number }: TransactionId): boolean {
    const last = lastWriteOf(this.store.committed, session);
    return last?.number === number && last.isTransaction;
  }

  private async abortCurrent(): Promise<void> {
    const { current } = this;
    this.forgetCurrent();
    await current?.open.abort();
  }

  private abortInBackground(): void {
    this.abortCurrent().catch((error: unknown) => console.error('embedded mongodb: an abort failed', error));
  }

  private forgetCurrent(): void {
    if (!this.current) return;
    clearTimeout(this.current.timer);
    this.cursors.killInTransaction();
    this.current = undefined;
  }
}

const noSuchTransaction = ({ number }: TransactionId) =>
  transientError(251, `Given transaction number ${number} does not match any in-progress transactions.`);
