import { REQUEST_MAX_MS, timeLeftMs } from '@waymark/service-kit';

/** The time limit of an operation in the background, and of a redirect. */
const OPERATION_MAX_MS = 4_000;

/** Returns the time limit of an operation that begins now: what is left for a request. Some streams may last an hour. */
export function operationTimeMs(): number {
  return Math.min(REQUEST_MAX_MS, timeLeftMs(OPERATION_MAX_MS));
}

/** The options of an operation. MongoDB ends it when its time is over. */
export const BOUNDED = {
  get maxTimeMS() {
    return operationTimeMs();
  },
};

/**
 * The options of a query that finds up to 1,000 documents. They come in one response: by default, the driver fetches
 * those beyond the first 101 separately, and a process that is killed in between leaves a cursor open.
 */
export const BOUNDED_FIND = {
  get maxTimeMS() {
    return operationTimeMs();
  },
  batchSize: 1_000,
};
