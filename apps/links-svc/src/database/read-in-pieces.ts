import { timeLeftMs } from '@waymark/service-kit';
import type { FindCursor } from 'mongodb';
import type { Database } from './database.ts';

/** How many documents are read and held in memory at a time, if the caller does not say. */
const PIECE_SIZE = 10_000;

/**
 * Yields what a cursor finds, at most `size` documents at a time. In the background, each piece has
 * the time limit of one operation. In a request, all pieces together have what is left.
 * @throws {AppError} `unavailable` in an outage.
 */
export async function* readInPieces<Found>(
  database: Database,
  cursor: FindCursor<Found>,
  size = PIECE_SIZE,
): AsyncGenerator<Found[]> {
  cursor.batchSize(size);
  const leftMs = timeLeftMs(Infinity);
  if (leftMs !== Infinity) cursor.maxTimeMS(leftMs);
  const run = database.pinned();
  try {
    while (await run(() => cursor.hasNext())) yield cursor.readBufferedDocuments();
  } finally {
    // If closing fails, the server removes the cursor after a while.
    cursor.close().catch(() => {});
  }
}
