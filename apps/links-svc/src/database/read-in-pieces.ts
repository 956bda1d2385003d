import { timeLeftMs } from '@waymark/service-kit';
import type { ClientSession, FindCursor } from 'mongodb';
import type { Database, Reading } from './database.ts';
import { operationTimeMs } from './operation-options.ts';

/** How many documents are read and held in memory at a time, if the caller does not say. */
const PIECE_SIZE = 2_500;
/** How many ids are one command, which is short also if many read at once. */
const IDS_SIZE = 1_000;

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

/**
 * Yields what `find` finds after an id, in ascending order, in pieces. A client may read them slowly: nothing is
 * open in the database between two pieces, each of which is as of its own moment. So what is found all the time is read
 * exactly once, and what changes meanwhile may be missing.
 * @throws {AppError} `unavailable` in an outage.
 */
export async function* readIdsInPieces<Found extends { _id: string }>(
  database: Database,
  find: (after: string, session: ClientSession) => FindCursor<Found>,
): AsyncGenerator<Found[]> {
  for (let after = '', isEnd = false; !isEnd; ) {
    const piece = await database.runInSnapshot((session) =>
      find(after, session).sort({ _id: 1 }).limit(IDS_SIZE).batchSize(IDS_SIZE).maxTimeMS(operationTimeMs()).toArray(),
    );
    isEnd = piece.length < IDS_SIZE;
    after = piece.at(-1)?._id ?? after;
    if (piece.length > 0) yield piece;
  }
}
