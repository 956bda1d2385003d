import {
  type AnyBulkWriteOperation,
  type AnyClientBulkWriteModel,
  type ClientSession,
  type Collection,
  type Document,
  type MongoClient,
  MongoClientBulkWriteError,
  MongoServerError,
} from 'mongodb';
import { isUnsupported } from './database-errors.ts';
import { BOUNDED } from './operation-options.ts';

/** Thrown if a write that must find its document did not. */
export class DocumentMissed extends Error {
  override readonly name = 'DocumentMissed';
}

/** Writes to one collection, in their order. */
export interface CollectionWrites {
  collection: Collection;
  writes: readonly AnyBulkWriteOperation<Document>[];
  /** True if each of them must find its document, or add one. */
  isGuarded: boolean;
}

export function writesTo<Stored extends Document>(
  collection: Collection<Stored>,
  writes: readonly AnyBulkWriteOperation<Stored>[],
  isGuarded = false,
): CollectionWrites {
  return { collection, writes, isGuarded } as unknown as CollectionWrites;
}

/**
 * Returns true if the database writes to several collections in one command, as MongoDB does from 8.0 on, unless its
 * compatibility version is an older one.
 */
export async function hasBulkWrite(client: MongoClient, namespace: string): Promise<boolean> {
  try {
    const nothing = { name: 'deleteOne' as const, namespace, filter: { _id: '' } };
    await client.bulkWrite<Record<string, { _id: string }>>([nothing], BOUNDED);
    return true;
  } catch (error) {
    const cause = serverErrorOf(error);
    if (isUnsupported(cause)) return false;
    throw cause;
  }
}

/**
 * Runs writes in one command.
 * @throws {DocumentMissed} after all of them. What the server refused, as a single write throws it.
 */
export async function writeInOne(
  client: MongoClient,
  all: readonly CollectionWrites[],
  session: ClientSession,
): Promise<void> {
  const models = all.flatMap(({ collection: { namespace }, writes }) =>
    writes.map((write) => {
      const [[name, model]] = Object.entries(write) as [[string, object]];
      return { name, namespace, ...model } as AnyClientBulkWriteModel<Document>;
    }),
  );
  if (models.length === 0) return;
  // The sums of the response tell if all found their documents. Which one did not is only asked if it matters.
  const mayMiss = all.some(({ isGuarded, writes }) => !isGuarded && writes.some((write) => !('insertOne' in write)));
  const result = await client
    .bulkWrite(models, { session, verboseResults: mayMiss, ...BOUNDED })
    .catch((error: unknown) => {
      throw serverErrorOf(error);
    });
  if (result.insertedCount + result.matchedCount + result.deletedCount === models.length) return;
  const isFound = (at: number) =>
    result.insertResults?.has(at) === true ||
    result.updateResults?.get(at)?.matchedCount === 1 ||
    result.deleteResults?.get(at)?.deletedCount === 1;
  const isGuarded = all.flatMap((one) => one.writes.map(() => one.isGuarded));
  if (isGuarded.some((guarded, at) => guarded && !isFound(at))) throw new DocumentMissed();
}

/**
 * Runs the same writes in a command for each collection.
 * @throws {DocumentMissed} before those to the next collection. What the server refused.
 */
export async function writeEach(all: readonly CollectionWrites[], session: ClientSession): Promise<void> {
  for (const { collection, writes, isGuarded } of all) {
    if (writes.length === 0) continue;
    const { insertedCount, matchedCount, deletedCount } = await collection.bulkWrite(writes, { session, ...BOUNDED });
    if (isGuarded && insertedCount + matchedCount + deletedCount < writes.length) throw new DocumentMissed();
  }
}

/** Returns what the server refused in a bulk write of several collections. The driver wraps it. */
function serverErrorOf(error: unknown): unknown {
  if (!(error instanceof MongoClientBulkWriteError)) return error;
  const [refused] = error.writeErrors.values();
  return error.cause ?? (refused === undefined ? error : new MongoServerError({ ...refused }));
}
