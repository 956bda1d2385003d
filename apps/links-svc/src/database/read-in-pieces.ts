import { timeLeftMs } from '@waymark/service-kit';
import type { ClientSession, FindCursor } from 'mongodb';
import type { Database, Reading } from './database.ts';

/** How many documents are read and held in memory at a time, if the caller does not say. */
const PIECE_SIZE = 10_000;

/**
 * Yields what the cursor that `find` opens in a session finds, at most `size` documents at a time. In the background, each
 * piece has the time limit of one operation. In a request, all pieces together have what is left. The database ends a read
 * that this process has given up. `within` is the session of a caller that goes on to other reads.
 * @throws {AppError} `unavailable` in an outage.
 */
export async function* readInPieces<Found>(
  database: Database,
  find: (session: ClientSession) => FindCursor<Found>,
  { size = PIECE_SIZE, within }: { size?: number; within?: Reading } = {},
): AsyncGenerator<Found[]> {
  const { session, run, end } = within ?? database.openReading();
  const cursor = find(session).batchSize(size);
  const leftMs = timeLeftMs(Infinity);
  if (leftMs !== Infinity) cursor.maxTimeMS(leftMs);
  let isRunning = false;
  const hasNext = async () => {
    isRunning = true;
    const found = await run(() => cursor.hasNext());
    isRunning = false;
    return found;
  };
  try {
    while (await hasNext()) yield cursor.readBufferedDocuments();
  } finally {
    if (isRunning) end('killed');
    else {
      // If closing fails, the server removes the cursor after a while.
      await run(() => cursor.close()).catch(() => {});
      if (within === undefined) end('done');
    }
  }
}
