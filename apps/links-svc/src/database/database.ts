import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { isTracing } from '@waymark/proto';
import { runWithoutDeadline, UnmetRequirement, withTimeout } from '@waymark/service-kit';
import {
  type ClientSession,
  type ClientSessionOptions,
  type Db,
  type MongoClient,
  MongoServerError,
  type ReadConcern,
} from 'mongodb';
import { type Collections, collectionsOf } from './collections.ts';
import { traceCommands } from './command-spans.ts';
import { isOutage, isUnanswered, isUnsupported, translateOutage, wasUndone } from './database-errors.ts';
import { hasSnapshots } from './has-snapshots.ts';
import { LostSessions } from './lost-sessions.ts';
import { migrate } from './migrations/migrate.ts';
import { CONNECT_TIMEOUT_MS, createMongoClient } from './mongo-client.ts';
import { operationTimeMs } from './operation-options.ts';
import { checkRequirements } from './requirements.ts';
import { watchMonitor } from './watch-monitor.ts';
import { type CollectionWrites, hasBulkWrite, writeEach, writeInOne } from './write-all.ts';

export interface DatabaseOptions {
  url: string;
  database: string;
  /** Receives the error whenever preparing the database failed. The preparation is retried until it succeeds. */
  onPreparing?: (error: unknown) => void;
  /** Receives the error if the database refuses to end sessions that got no response, once. */
  onKillRefused?: (error: unknown) => void;
  /** Receives every driver client before it connects. */
  onClient?: (client: MongoClient) => void;
}

/** The longest time for a check of a server, which connects and then sends one command. */
const SERVER_CHECK_MAX_MS = 2 * CONNECT_TIMEOUT_MS + 500;
const PREPARE_AGAIN_AFTER_MS = 500;
const ABORT_MAX_MS = 1_000;
/** A transaction without a response for this long is given up, and its session is killed in the database. */
const TRANSACTION_MAX_MS = 15_000;
/** `ChangeQueue` bounds how many transactions run at once. */
const UNBOUNDED_POOL = { maxPoolSize: 0, minPoolSize: 0 };
/** How often an operation is tried if the server undoes it in favour of others. */
const TRIES_MAX = 3;
/** The longest pause before such a retry, so that the other operations can finish. */
const UNDONE_PAUSE_MAX_MS = 1_000;

/** A session for reads that belong together. */
export interface Reading {
  session: ClientSession;
  /** Like {@link Database.run}. */
  run: Database['run'];
  /** Ends the session. If it is `killed`, the database ends what it still reads. */
  end(how: 'done' | 'killed'): void;
}

/** What a transaction works with. */
export interface Transaction {
  session: ClientSession;
  collections: Collections;
  /**
   * Runs writes in their order, in one command if the database has that.
   * @throws {DocumentMissed}
   */
  writeAll(all: readonly CollectionWrites[]): Promise<void>;
}

/** What a client of the driver, with its own pool of connections, is used for. */
type Use = 'operations' | 'transactions';

/** A client and its collections. They are created once, because the driver parses options anew for each collection. */
interface Connection {
  client: MongoClient;
  db: Db;
  collections: Collections;
  /** True once another client took its place. What it returns from then on means nothing. */
  isClosed: boolean;
}

/**
 * The connection to MongoDB. It connects and runs the migrations when it is constructed, and retries until both succeed.
 * No operation runs before that, because indexes keep user names unique.
 */
export class Database {
  readonly #options: DatabaseOptions;
  /**
   * A write waits for a transaction that has locked its document, and keeps a connection meanwhile. So transactions have a
   * pool of their own: they would never end if such writes had every connection.
   */
  readonly #connections: Record<Use, Connection>;
  readonly #closing = new AbortController();
  readonly #lost: LostSessions;
  readonly #prepared: Promise<void>;
  /** Known once the database is prepared. */
  #hasSnapshots = false;
  #hasBulkWrite = false;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#connections = { operations: this.#connect('operations'), transactions: this.#connect('transactions') };
    this.#lost = new LostSessions({
      kill: (session) => this.#connection.client.db('admin').command({ killSessions: [session] }),
      onRefused: (error) => options.onKillRefused?.(error),
      signal: this.#closing.signal,
    });
    this.#prepared = this.#prepare();
  }

  get #connection(): Connection {
    return this.#connections.operations;
  }

  /** The collections of the current connection. */
  get collections(): Collections {
    return this.#connection.collections;
  }

  /**
   * Runs an operation of the driver and returns its result, within {@link operationTimeMs}.
   * @throws {AppError} `unavailable` if the database is not reachable or does not respond in time.
   */
  run<Result>(operation: () => Promise<Result>): Promise<Result> {
    return this.#run(operation, () => this.#connection);
  }

  /**
   * Opens a session for reads that belong together, like those of one cursor. They throw `unavailable` once the driver's
   * client of this moment is closed: the driver ends its cursors then, as if nothing more were found.
   */
  openReading(): Reading {
    return this.#reading({ causalConsistency: false });
  }

  /**
   * Opens a session whose reads all see one state of the database: what is committed when the first is sent. On a
   * database without snapshots, each read sees what is committed by then.
   * @throws {AppError} `unavailable` if the database is not prepared in time.
   */
  async openSnapshot(): Promise<Reading> {
    await withTimeout(this.#prepared, operationTimeMs(), 'preparing MongoDB');
    return this.#reading(this.#hasSnapshots ? { snapshot: true } : {});
  }

  /** Runs reads in one snapshot ({@link openSnapshot}). */
  async inSnapshot<Result>(read: (session: ClientSession, run: Reading['run']) => Promise<Result>): Promise<Result> {
    const { session, run, end } = await this.openSnapshot();
    try {
      return await read(session, run);
    } finally {
      end('done');
    }
  }

  /**
   * Runs one command that reads, like {@link run}, in a snapshot of its own. It finds each document exactly once, even if
   * the document moves in the index meanwhile. Without snapshots, a command must do so by itself (ADR 50).
   */
  runInSnapshot<Result>(read: (session: ClientSession) => Promise<Result>): Promise<Result> {
    return this.inSnapshot((session, run) => run(() => read(session)));
  }

  #reading(options: ClientSessionOptions): Reading {
    const connection = this.#connection;
    const session = connection.client.startSession(options);
    return {
      session,
      run: (operation) => this.#run(operation, () => connection),
      end: (how) => {
        if (how === 'killed') this.#kill(session);
        session.endSession().catch(() => {});
      },
    };
  }

  async #run<Result>(operation: () => Promise<Result>, current: () => Connection): Promise<Result> {
    let late = false;
    // An operation must not start after its request has timed out.
    const start = async (): Promise<Result> => {
      for (let tries = 1; ; tries += 1) {
        if (late) throw new Error('given up');
        const connection = current();
        try {
          return await onOpen(connection, operation);
        } catch (error) {
          if (tries === TRIES_MAX || !wasUndone(error)) throw error;
          await sleep(Math.random() * UNDONE_PAUSE_MAX_MS);
        }
      }
    };
    try {
      return await withTimeout(this.#prepared.then(start), operationTimeMs(), 'an operation of MongoDB');
    } catch (error) {
      late = true;
      throw translateOutage(error);
    }
  }

  /**
   * Runs work in a transaction and commits it. Without an error, all that the work wrote is there.
   * @throws what the work or the database throws. After an outage all of it is written or nothing, after any other error
   *   nothing is.
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    // It has the changes of several requests.
    return runWithoutDeadline(() => this.#transaction(work));
  }

  async #transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    await withTimeout(this.#prepared, operationTimeMs(), 'preparing MongoDB');
    const connection = this.#connections.transactions;
    const { client, collections } = connection;
    const session = client.startSession();
    const writeAll = (all: readonly CollectionWrites[]) => this.#writeAll(client, all, session);
    let isLost = false;
    const startedAt = performance.now();
    try {
      session.startTransaction({ writeConcern: { w: 'majority' } });
      const done = onOpen(connection, async () => {
        const result = await work({ session, collections, writeAll });
        await session.commitTransaction();
        return result;
      });
      return await withTimeout(done, TRANSACTION_MAX_MS, 'a transaction');
    } catch (error) {
      isLost = isUnanswered(error) || connection.isClosed || performance.now() - startedAt >= TRANSACTION_MAX_MS;
      throw error;
    } finally {
      if (isLost) session.serverSession.isDirty = true;
      // Aborts what was not committed.
      await withTimeout(session.endSession(), ABORT_MAX_MS, 'ending a transaction').catch(() => {
        isLost = true;
      });
      if (isLost || session.serverSession.isDirty) this.#kill(session);
    }
  }

  async #writeAll(client: MongoClient, all: readonly CollectionWrites[], session: ClientSession): Promise<void> {
    if (!this.#hasBulkWrite) return writeEach(all, session);
    try {
      await writeInOne(client, all, session);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      // Its version was lowered.
      this.#hasBulkWrite = false;
      const message = 'the database has no bulkWrite any more';
      throw new MongoServerError({ message, errorLabels: ['TransientTransactionError'] });
    }
  }

  /** Ends in the background what a session has open in the database. */
  #kill({ serverSession }: ClientSession): void {
    // The driver uses no session again that is marked so.
    serverSession.isDirty = true;
    this.#lost.end(serverSession.id);
  }

  /** Resolves when the schema is that of this version, or when the database is closed. */
  whenPrepared(): Promise<void> {
    return this.#prepared;
  }

  /**
   * Resolves if the database is prepared, responds, and still has what was prepared.
   * @throws {UnmetRequirement} if Waymark cannot work with it.
   */
  async check(): Promise<void> {
    await checkRequirements(this.#connection.db);
    await this.run(() => this.#connections.transactions.client.db('admin').command({ ping: 1 }));
    // Without its indexes, MongoDB would accept a slug twice.
    if ((await this.run(() => this.collections.migrations.findOne({}))) === null)
      throw new UnmetRequirement(
        'MongoDB lacks collections that were there before: restore them, or restart links-svc, which creates empty ones.',
      );
  }

  /**
   * Returns the time of the database's clock.
   * @throws {AppError} `unavailable` in an outage.
   */
  async time(): Promise<Date> {
    const { localTime } = await this.run(() => this.#connection.db.command({ hello: 1 }));
    return localTime as Date;
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#prepared;
    await Promise.all(Object.values(this.#connections).map(({ client }) => client.close()));
  }

  #connect(use: Use): Connection {
    const client = createMongoClient(this.#options.url, use === 'transactions' ? UNBOUNDED_POOL : {});
    if (isTracing()) traceCommands(client);
    this.#options.onClient?.(client);
    const replace = () => {
      if (this.#closing.signal.aborted || this.#connections[use].client !== client) return;
      this.#connections[use].isClosed = true;
      this.#connections[use] = this.#connect(use);
      client.close().catch(() => {});
    };
    watchMonitor(client, SERVER_CHECK_MAX_MS, replace);
    // In mongodb 7.8 a client whose first connection fails closes its topology, and never opens another one.
    client.on('topologyClosed', replace);
    // Empty, because the driver sends a read concern of the database in place of that of a snapshot session.
    const db = client.db(this.#options.database, { readConcern: {} as ReadConcern });
    return { client, db, collections: collectionsOf(db), isClosed: false };
  }

  async #prepare(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await checkRequirements(this.#connection.db);
        await migrate(this.#connection.collections);
        const { client, db, collections } = this.#connection;
        this.#hasSnapshots = await hasSnapshots(db);
        this.#hasBulkWrite = await hasBulkWrite(client, collections.accounts.namespace);
        return;
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#options.onPreparing?.(error);
        await sleep(PREPARE_AGAIN_AFTER_MS, undefined, { signal: this.#closing.signal }).catch(() => {});
      }
    }
  }
}

/**
 * Runs an operation on a connection.
 * @throws {AppError} `unavailable` if the connection was closed meanwhile: the driver then ends cursors, sessions and
 *   transactions by errors of any class.
 */
async function onOpen<Result>(connection: Connection, operation: () => Promise<Result>): Promise<Result> {
  const closed = (cause?: unknown) => new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause });
  try {
    const result = await operation();
    if (connection.isClosed) throw closed(new Error('the client of MongoDB was replaced'));
    return result;
  } catch (error) {
    throw connection.isClosed && !isOutage(error) && !(error instanceof AppError) ? closed(error) : error;
  }
}
