import { CursorBatch } from '../bson/bson.ts';
import type { Document } from '../bson/values.ts';
import type { Batch, Results } from '../cursors.ts';
import { type Execution, PAUSE, runWithPauses } from '../query/execution.ts';
import type { Projection } from '../query/projection.ts';
import { OK } from './ok.ts';
import type { Request } from './request.ts';

/** How many bytes of documents go into one reply, as in MongoDB. */
const BATCH_BYTES = 16 * 1024 * 1024;
/** How many documents the first batch has when the client does not say. */
const FIRST_BATCH = 101;

/** Encoded documents, with pauses on the way. */
export type Documents = Iterator<Buffer | typeof PAUSE, unknown>;

/** What an execution finds: documents as stored, or projected. */
export function* documentsOf(
  execution: Execution,
  projection: Projection | undefined,
): Generator<Buffer | typeof PAUSE> {
  for (const match of execution.matches())
    yield match === PAUSE ? PAUSE : projection ? projection(match.bytes) : match.bytes;
}

/** The documents in batches; `suspend` lets go of what they hold of the store, between two batches. */
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

/** The reply with the first batch; the rest stays behind a cursor unless the client wants a single batch. */
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
    const id = done || isSingle ? 0n : request.state.cursors.open(namespace, results, request.session);
    return { cursor: new CursorBatch('firstBatch', documents, id, namespace), ok: OK };
  }
}
