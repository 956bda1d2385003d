import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument, RawDocument } from '../bson/encode.ts';
import type { Document } from '../bson/values.ts';
import type { Batch, Results } from '../cursors.ts';
import { type Execution, type Match, PAUSE, runWithPauses } from '../query/execution.ts';
import type { Filter } from '../query/filter.ts';
import type { Projection } from '../query/projection.ts';
import { OK } from './ok.ts';
import type { Request } from './request.ts';

/** How many bytes of documents go into one reply, as in MongoDB. */
const BATCH_BYTES = 16 * 1024 * 1024;
/** How many documents the first batch has when the client does not say. */
const FIRST_BATCH = 101;

/** The results of a find: documents as stored, or projected. Between two batches nothing is held of the store. */
export function findResults(execution: Execution, projection: Projection | undefined, filter: Filter): Results {
  const matches = execution.matches();
  let ahead: Buffer | undefined;
  function* batch(count: number): Generator<typeof PAUSE, Batch> {
    try {
      return yield* collect(count);
    } finally {
      execution.suspend();
    }
  }
  function* collect(count: number): Generator<typeof PAUSE, Batch> {
    const documents: Buffer[] = [];
    let bytes = 0;
    if (ahead && count > 0) {
      documents.push(ahead);
      bytes = ahead.length;
      ahead = undefined;
    }
    while (documents.length < count) {
      const step = matches.next();
      if (step.done) return { documents, done: true };
      if (step.value === PAUSE) {
        yield PAUSE;
        continue;
      }
      const document = projected(step.value, projection, filter);
      if (documents.length > 0 && bytes + document.length > BATCH_BYTES) {
        ahead = document;
        break;
      }
      documents.push(document);
      bytes += document.length;
    }
    return { documents, done: false };
  }
  return { batch: (count) => runWithPauses(batch(count)) };
}

function projected(match: Match, projection: Projection | undefined, filter: Filter): Buffer {
  if (!projection) return match.bytes;
  const document = decodeDocument(match.bytes, projection.positional ? undefined : projection.fields);
  const position = projection.positional ? filter.positionIn(document) : undefined;
  return encodeDocument(projection.apply(document, position));
}

/** Results that are all there. */
export function listResults(documents: readonly Document[]): Results {
  let at = 0;
  return {
    batch(count) {
      const batch: Buffer[] = [];
      let bytes = 0;
      while (at < documents.length && batch.length < count) {
        const encoded = encodeDocument(documents[at] as Document);
        if (batch.length > 0 && bytes + encoded.length > BATCH_BYTES) break;
        batch.push(encoded);
        bytes += encoded.length;
        at += 1;
      }
      return { documents: batch, done: at === documents.length };
    },
  };
}

/** Results without any. */
export const noResults: Results = { batch: () => ({ documents: [], done: true }) };

/** The reply with the first batch; the rest stays behind a cursor unless the client wants a single batch. */
export function firstReply(
  request: Request,
  namespace: string,
  results: Results,
  batchSize: number | undefined,
  single: boolean,
): Document | Promise<Document> {
  const batch = results.batch(batchSize ?? FIRST_BATCH);
  return batch instanceof Promise ? batch.then(reply) : reply(batch);

  function reply({ documents, done }: Batch): Document {
    const id = done || single ? 0n : request.state.cursors.open(namespace, results, request.session);
    return { cursor: { firstBatch: documents.map((bytes) => new RawDocument(bytes)), id, ns: namespace }, ok: OK };
  }
}
