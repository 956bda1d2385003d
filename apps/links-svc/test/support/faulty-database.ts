import { AppError } from '@waymark/contract';
import type { Collection } from 'mongodb';
import type { Database } from '../../src/database/database.ts';

/** What becomes of a statement: it works, is not sent, loses its response, or arrives only later. */
export type Fate = 'works' | 'not sent' | 'response lost' | 'late';

/** Decides when a statement runs and what becomes of it. */
export type Decide = (statement: string) => Promise<Fate>;

const STATEMENTS = new Set([
  'insertOne',
  'insertMany',
  'findOne',
  'updateOne',
  'deleteOne',
  'deleteMany',
  'findOneAndDelete',
]);
/** The methods that return a cursor, which sends its statement in `toArray`. */
const CURSORS = new Set(['find']);

type Method = (...parameters: unknown[]) => unknown;

/**
 * A database whose statements on links and slugs fail as statements of a process do that crashes or loses its
 * connection. A failed statement throws `unavailable`.
 */
export class FaultyDatabase {
  readonly #database: Database;
  #decide: Decide = async () => 'works';
  #late: (() => Promise<unknown>)[] = [];
  #running = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Begins another run. What is late of the one before never arrives. */
  restart(decide: Decide): void {
    this.#decide = decide;
    this.#late = [];
  }

  /** Whether a statement runs or waits for its turn, also one whose operation has already failed. */
  get isBusy(): boolean {
    return this.#running > 0;
  }

  /** The database for stores. */
  get database(): Database {
    return new Proxy(this.#database, {
      get: (database, name) => {
        if (name === 'links' || name === 'slugs') return this.#collection(database[name] as unknown as Collection);
        const value = Reflect.get(database, name) as unknown;
        return typeof value === 'function' ? (value as Method).bind(database) : value;
      },
    });
  }

  /** Lets the statements arrive that are late. Their errors are lost. */
  async deliverLate(): Promise<void> {
    for (const send of this.#late.splice(0)) await send().catch(() => {});
  }

  #collection(collection: Collection): Collection {
    return new Proxy(collection, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        const method = (value as Method).bind(target);
        if (STATEMENTS.has(String(name)))
          return (...parameters: unknown[]) => this.#send(String(name), async () => method(...parameters));
        if (CURSORS.has(String(name))) return (...parameters: unknown[]) => this.#cursor(method(...parameters));
        return method;
      },
    });
  }

  #cursor(cursor: unknown): unknown {
    const wrapped: object = new Proxy(cursor as object, {
      get: (target, name) => {
        const method = (Reflect.get(target, name) as Method).bind(target);
        if (name === 'toArray') return () => this.#send('find', async () => method());
        return (...parameters: unknown[]) => {
          method(...parameters);
          return wrapped;
        };
      },
    });
    return wrapped;
  }

  async #send<Result>(statement: string, send: () => Promise<Result>): Promise<Result> {
    this.#running += 1;
    try {
      return await this.#sendByFate(statement, send);
    } finally {
      this.#running -= 1;
    }
  }

  async #sendByFate<Result>(statement: string, send: () => Promise<Result>): Promise<Result> {
    const fate = await this.#decide(statement);
    if (fate === 'late') this.#late.push(send);
    else if (fate !== 'not sent') {
      const result = await send();
      if (fate === 'works') return result;
    }
    throw new AppError('unavailable', 'The connection is lost.');
  }
}
