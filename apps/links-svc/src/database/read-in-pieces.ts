import type { FindCursor } from 'mongodb';
import type { Database } from './database.ts';

/** How many documents are read, and held, at a time. */
const PIECE_SIZE = 10_000;

/**
 * What a cursor finds, some thousands of documents at a time, however many there are. Each piece has the time of an
 * operation, so the cursor must not have a `maxTimeMS`, which is for all of them together.
 * @throws {AppError} `unavailable` in an outage.
 */
export async function* readInPieces<Found>(database: Database, cursor: FindCursor<Found>): AsyncGenerator<Found[]> {
  cursor.batchSize(PIECE_SIZE);
  try {
    while (await database.run(() => cursor.hasNext())) yield cursor.readBufferedDocuments();
  } finally {
    // A cursor that cannot be closed is forgotten by the server.
    cursor.close().catch(() => {});
  }
}
