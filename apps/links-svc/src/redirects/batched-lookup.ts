import { AppError, toAppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';

/** A function that finds values by key. A key without a value is missing in the result. */
export type FindMany<Value> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

/** A result and the time of its query in milliseconds. Changes after that time may or may not be included. */
export interface Found<Value> {
  value: Value | null;
  readAt: number;
}

/** The maximum number of keys in one query. */
const MAX_KEYS = 200;
/** While this many queries run, new keys wait and share the next one. So a slower database gets fewer queries. */
const MAX_QUERIES = 2;
/** How long a key waits for other keys if no visitor waits for it. */
const GATHER_MS = 150;

interface Waiting<Value> {
  key: string;
  resolve: (found: Found<Value>) => void;
  reject: (error: unknown) => void;
}

/**
 * A lookup of keys in batches. The keys of one turn of the event loop share a query, and so do keys that no visitor
 * waits for. One query for many keys needs far less CPU in the driver than a query for each key.
 */
export class BatchedLookup<Value> {
  readonly #findMany: FindMany<Value>;
  readonly #now: () => number;
  #waiting: Waiting<Value>[] = [];
  #running = 0;
  /** True if keys had to wait for a running query to end. */
  #held = false;
  #gathering: NodeJS.Timeout | undefined;
  #scheduled = false;

  constructor(findMany: FindMany<Value>, now: () => number) {
    this.#findMany = findMany;
    this.#now = now;
  }

  /** Returns the value of a key. With `soon`, the query waits a moment for other keys. */
  find(key: string, when: 'now' | 'soon'): Promise<Found<Value>> {
    const { promise, resolve, reject } = Promise.withResolvers<Found<Value>>();
    this.#waiting.push({ key, resolve, reject });
    if (when === 'now') this.hurry();
    else this.#gathering ??= setTimeout(() => this.#run(), GATHER_MS);
    return promise;
  }

  /** Queries all waiting keys at the end of this turn of the event loop. */
  hurry(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    this.#scheduled = false;
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    while (this.#waiting.length > 0 && this.#running < MAX_QUERIES) void this.#query(this.#waiting.splice(0, MAX_KEYS));
    this.#held = this.#waiting.length > 0;
  }

  async #query(batch: Waiting<Value>[]): Promise<void> {
    this.#running += 1;
    const readAt = this.#now();
    try {
      const values = await this.#findMany(batch.map(({ key }) => key));
      for (const { key, resolve } of batch) resolve({ value: values.get(key) ?? null, readAt });
    } catch (error) {
      for (const { reject } of batch) reject(error);
      // Keys that waited for this query must not wait for the next one to fail as well.
      if (isUnavailable(error)) {
        const cause = new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: error });
        for (const { reject } of this.#waiting.splice(0)) reject(cause);
      }
    } finally {
      this.#running -= 1;
      if (this.#held) this.#run();
    }
  }
}

/** Returns true if the error means that the database is unavailable, and not that the query was wrong. */
export function isUnavailable(error: unknown): boolean {
  return toAppError(error).httpStatus === 503;
}
