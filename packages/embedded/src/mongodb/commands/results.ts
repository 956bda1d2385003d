import { CursorBatch } from '../bson/bson.ts';
import type { Document } from '../bson/values.ts';
import type { Batch, Results } from '../cursors.ts';
import { type Execution, PAUSE, runWithPauses } from '../query/execution.ts';
import type { Projection } from '../query/projection.ts';
import { OK } from './ok.ts';
import type { Request } from './request.ts';

/** The maximum size of the documents in one reply, as in MongoDB. */
const BATCH_BYTES = 16 * 1024 * 1024;
/** The number of documents in the first batch if the client does not specify it. */
const FIRST_BATCH = 101;

/** An iterator over encoded documents, with pauses in between. */
export type Documents = Iterator<Buffer | typeof PAUSE, unknown>;

/** Yields the documents that an execution finds, projected if there is a projection. */
export function* documentsOf(
  execution: Execution,
  projection: Projection | undefined,
): Generator<Buffer | typeof PAUSE> {
  for (const match of execution.matches())
    yield match === PAUSE ? PAUSE : projection ? projection(match.bytes) : match.bytes;
}

/**
 * Returns the documents in batches; calls `suspend` after each batch, so that nothing of the store is held in between.
 */
export function resultsOf(documents: Documents, suspend: () => void): Results {
  let ahead: Buffer | undefined;
  function* collect(count: number): Generator<typeof PAUSE, Batch> {
    const batch: Buffer[] = [];
    let bytes = 0;
    try {
      while (batch.length < count) {
        let document = ahead;
        ahead = undefined;
        if (!document) {
          const step = documents.next();
          if (step.done) return { documents: batch, done: true };
          if (step.value === PAUSE) {
            yield PAUSE;
            continue;
          }
          document = step.value;
        }
        if (batch.length > 0 && bytes + document.length > BATCH_BYTES) {
          ahead = document;
          break;
        }
        batch.push(document);
        bytes += document.length;
      }
      return { documents: batch, done: false };
    } finally {
      suspend();
    }
  }
  return { batch: (count) => runWithPauses(collect(count)) };
}

/** Returns the reply with the first batch and opens a cursor for the rest, unless the client wants a single batch. */
export function firstReply(
  request: Request,
  namespace: string,
  results: Results,
  batchSize: number | undefined,
  isSingle = false,
): Document | Promise<Document> {
  const batch = results.batch(batchSize ?? FIRST_BATCH);
  return batch instanceof Promise ? batch.then(reply) : reply(batch);

  function reply({ documents, done }: Batch): Document {
    const id =
      done || isSingle
        ? 0n
        : request.state.cursors.open(namespace, results, request.session, request.transaction !== undefined);
    return { cursor: new CursorBatch('firstBatch', documents, id, namespace, request.snapshot?.time), ok: OK };
  }
}
