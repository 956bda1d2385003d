import { setTimeout as sleep } from 'node:timers/promises';
import { type Collection, type Db, MongoClient } from 'mongodb';
import type { AccountDocument } from '../accounts/account.ts';
import type { DeletedLinkDocument } from '../links/deleted-link.ts';
import type { IdempotencyDocument } from '../links/idempotency.ts';
import type { LinkDocument } from '../links/link.ts';
import { translateOutage, unavailable } from './database-errors.ts';
import { createIndexes } from './indexes.ts';

export interface DatabaseOptions {
  url: string;
  database: string;
  /** Hears why the database could not be prepared yet; it is tried again until it can. */
  onPreparing?: (error: unknown) => void;
}

/** An operation ends within this time, so that a request that fails on one is answered within 5 seconds. */
export const OPERATION_TIMEOUT_MS = 4_000;
const SERVER_SELECTION_TIMEOUT_MS = 3_000;
const PREPARE_AGAIN_AFTER_MS = 500;

/**
 * The connection to MongoDB. It begins to connect and to create what indexes are missing when it is made, and tries
 * again until it succeeds; no operation runs before that, since a unique index guards what the rules promise.
 */
export class Database {
  readonly accounts: Collection<AccountDocument>;
  readonly links: Collection<LinkDocument>;
  readonly deletedLinks: Collection<DeletedLinkDocument>;
  readonly idempotency: Collection<IdempotencyDocument>;
  readonly #client: MongoClient;
  readonly #db: Db;
  readonly #closing = new AbortController();
  readonly #prepared: Promise<void>;

  constructor(options: DatabaseOptions) {
    this.#client = new MongoClient(options.url, {
      appName: 'waymark-links-svc',
      serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
      connectTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
      waitQueueTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
      // Above the time of any operation: it only frees connections of which nothing is heard any more.
      socketTimeoutMS: 2 * OPERATION_TIMEOUT_MS,
      writeConcern: { w: 'majority' },
      ignoreUndefined: false,
    });
    this.#db = this.#client.db(options.database);
    this.accounts = this.#db.collection('accounts');
    this.links = this.#db.collection('links');
    this.deletedLinks = this.#db.collection('deleted_links');
    this.idempotency = this.#db.collection('idempotency');
    this.#prepared = this.#prepare(options.onPreparing ?? (() => {}));
  }

  /**
   * Runs an operation of the driver; its result or its error, unless it takes longer than {@link OPERATION_TIMEOUT_MS}.
   * @throws {AppError} `unavailable` where the database cannot be asked or does not answer in time.
   */
  async run<Result>(operation: () => Promise<Result>): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    let late = false;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        late = true;
        reject(unavailable(new Error(`No answer from MongoDB within ${OPERATION_TIMEOUT_MS} ms`)));
      }, OPERATION_TIMEOUT_MS);
    });
    // What has not begun when its request is given up must not begin any more.
    const start = () => (late ? timeout : operation());
    try {
      return await Promise.race([this.#prepared.then(start), timeout]);
    } catch (error) {
      throw translateOutage(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves where the database answers and is prepared. */
  async check(): Promise<void> {
    await this.run(() => this.#db.command({ ping: 1 }));
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#prepared;
    await this.#client.close();
  }

  async #prepare(onPreparing: (error: unknown) => void): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await createIndexes(this);
        return;
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        onPreparing(error);
        await sleep(PREPARE_AGAIN_AFTER_MS, undefined, { signal: this.#closing.signal }).catch(() => {});
      }
    }
  }
}
