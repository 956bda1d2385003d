import type { BulkOperation, BulkResult, Link } from '@waymark/contract';
import { ApiError } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import { newKey } from '../api/idempotency-key.ts';
import type { Counts } from '../jobs/outcome.ts';
import { links } from '../texts/links.ts';

/** The fields of a link that bulk edits compare. Results have only these. */
export type ComparedLink = Pick<Link, 'hashtags' | 'visibility' | 'archived'>;

/** How far a bulk edit is. */
export interface BulkProgress {
  done: number;
  total: number;
  /** The seconds to wait for the rate limit, or null if it is not waiting. */
  waitSeconds: number | null;
  /** False while the last request runs: stopping would change nothing any more. */
  stoppable: boolean;
}

/** The API's limits of one request. The bytes leave room for the rest of the body. */
const BATCH_MAX_OPERATIONS = 100;
const BATCH_MAX_BYTES = 250 * 1024;
const FAILURES_MAX = 3;
const RETRY_SECONDS = 2;

/** Returns how many operations, from `start`, fit in one request: at least one. */
export function batchSize(operations: readonly BulkOperation[], start: number, max = BATCH_MAX_OPERATIONS): number {
  const encoder = new TextEncoder();
  let bytes = 0;
  let size = 0;
  while (size < max && start + size < operations.length) {
    bytes += encoder.encode(JSON.stringify(operations[start + size])).length + 1;
    if (size > 0 && bytes > BATCH_MAX_BYTES) break;
    size += 1;
  }
  return size;
}

export interface BulkCallbacks {
  onProgress: (progress: BulkProgress) => void;
  /** Called with the result of each operation, in order, as soon as it is known. */
  onResult: (result: BulkResult, index: number) => void;
  /** Ends the edit after the running request. */
  signal: AbortSignal;
}

/**
 * Does operations in order, in as few requests as the API allows. Waits when the rate limit is used up. Sends a batch
 * again if its response got lost; its `Idempotency-Key` keeps it from being done twice.
 * @throws {ApiError} if a whole batch is refused for another reason, or if it is stopped while the outcome of a batch is
 *   unknown. Earlier batches stay done.
 */
export async function runBulk(operations: readonly BulkOperation[], callbacks: BulkCallbacks): Promise<void> {
  const { onProgress, onResult, signal } = callbacks;
  const total = operations.length;
  let done = 0;
  let max = BATCH_MAX_OPERATIONS;
  let failures = 0;
  let key = newKey();
  while (done < total && !signal.aborted) {
    const size = batchSize(operations, done, max);
    onProgress({ done, total, waitSeconds: null, stoppable: done + size < total });
    try {
      const batch = operations.slice(done, done + size);
      const results = await sendBatch(batch, key);
      for (const [index, result] of results.entries()) onResult(settled(batch[index]!, result), done + index);
      done += size;
      failures = 0;
    } catch (error) {
      if (!(error instanceof ApiError) || !(error.isUncertain || error.status === 429)) throw error;
      failures += 1;
      if (error.status !== 429 && failures > FAILURES_MAX) throw error;
      const seconds = error.retryAfterSeconds ?? RETRY_SECONDS;
      onProgress({ done, total, waitSeconds: seconds, stoppable: true });
      await wait(seconds, signal);
      if (signal.aborted && error.isUncertain) throw error;
      // A batch that is refused again may be larger than the limit of a whole minute. Nothing of it was done.
      if (error.status !== 429 || failures < 2 || size === 1) continue;
      max = Math.ceil(size / 2);
    }
    key = newKey();
  }
  onProgress({ done, total, waitSeconds: null, stoppable: false });
}

/** Returns what became of an operation. */
export function outcomeOf({ status, error }: BulkResult): keyof Counts {
  if (error !== undefined) return 'refused';
  return status === 204 ? 'deleted' : 'changed';
}

/** Returns how far a bulk edit is, in words. */
export function progressText({ done, total, waitSeconds }: Omit<BulkProgress, 'stoppable'>): string {
  return waitSeconds === null ? links.bulk.progress(done, total) : links.bulk.waiting(done, total, waitSeconds);
}

/** Returns the result of an operation. A link that is gone already is deleted, too. */
function settled({ op }: BulkOperation, result: BulkResult): BulkResult {
  return op === 'delete' && result.status === 404 ? { status: 204 } : result;
}

async function sendBatch(operations: BulkOperation[], key: string): Promise<BulkResult[]> {
  const headers = { 'Idempotency-Key': key };
  const body = { operations, fields: 'hashtags,visibility,archived' };
  const { results } = await api('POST /api/v1/links/bulk', { headers, body });
  return results;
}

function wait(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
