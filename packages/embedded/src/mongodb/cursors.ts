import { randomBytes } from 'node:crypto';
import { CommandError } from './errors.ts';

/** How long an unused cursor stays open, MongoDB's default. */
const IDLE_MS = 10 * 60 * 1000;

/** A source of encoded result documents that holds nothing of the store between two batches. */
export interface Results {
  /** Returns up to `count` further documents that fit into one reply; `done` if there are no more. */
  batch(count: number): Promise<Batch> | Batch;
}

export interface Batch {
  documents: Buffer[];
  done: boolean;
}

interface Cursor {
  namespace: string;
  results: Results;
  session: string | undefined;
  /** Whether it reads in the open transaction. */
  inTransaction: boolean;
  usedAt: number;
  busy: boolean;
}

/** The open cursors of a server. A cursor holds a position, not a snapshot. */
export class Cursors {
  private readonly cursors = new Map<bigint, Cursor>();

  /** Stores the results for getMore and returns the cursor's id. */
  open(namespace: string, results: Results, session: string | undefined, inTransaction: boolean): bigint {
    let id: bigint;
    do id = randomBytes(8).readBigInt64LE() & 0x7fffffffffffffffn;
    while (id === 0n || this.cursors.has(id));
    this.cursors.set(id, { namespace, results, session, inTransaction, usedAt: Date.now(), busy: false });
    return id;
  }

  /** Returns the next batch and closes the cursor after the last one. Throws CursorNotFound (43). */
  async more(id: bigint, namespace: string, count: number, inTransaction: boolean): Promise<Batch> {
    const cursor = this.cursors.get(id);
    if (!cursor) throw new CommandError(43, `cursor id ${id} not found`);
    if (cursor.namespace !== namespace) {
      throw new CommandError(
        13,
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    if (inTransaction && !cursor.inTransaction)
      throw new CommandError(
        50739,
        `Cannot run getMore on cursor ${id}, which was not created in a transaction, in one`,
      );
    if (!inTransaction && cursor.inTransaction)
      throw new CommandError(50740, `Cannot run getMore on cursor ${id}, which was created in a transaction, in none`);
    if (cursor.busy) throw new CommandError(12051, `cursor id ${id} is already in use`);
    cursor.busy = true;
    try {
      const batch = await cursor.results.batch(count);
      if (batch.done) this.cursors.delete(id);
      return batch;
    } catch (error) {
      this.cursors.delete(id);
      throw error;
    } finally {
      cursor.busy = false;
      cursor.usedAt = Date.now();
    }
  }

  /** Closes a cursor; returns false if it does not exist. */
  kill(id: bigint): boolean {
    return this.cursors.delete(id);
  }

  /** Closes the cursors of an ended session. */
  killSession(session: string): void {
    for (const [id, cursor] of this.cursors) if (cursor.session === session) this.kill(id);
  }

  /** Closes the cursors of the transaction, which ends. */
  killInTransaction(): void {
    for (const [id, cursor] of this.cursors) if (cursor.inTransaction) this.kill(id);
  }

  /** Closes the cursors that were not used for ten minutes. */
  expire(now = Date.now()): void {
    for (const [id, cursor] of this.cursors) if (!cursor.busy && now - cursor.usedAt > IDLE_MS) this.kill(id);
  }

  /** The number of open cursors. */
  get size(): number {
    return this.cursors.size;
  }
}
