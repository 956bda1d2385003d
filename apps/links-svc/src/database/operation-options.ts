/** The time limit of an operation. It leaves time to respond within 5 seconds when an operation fails. */
export const OPERATION_TIMEOUT_MS = 4_000;

/** The options of an operation. */
export const BOUNDED = { maxTimeMS: OPERATION_TIMEOUT_MS };

/**
 * The options of a query that finds up to 1,000 documents. They come in one response: by default, the driver fetches
 * those beyond the first 101 separately, and a process that is killed in between leaves a cursor open.
 */
export const BOUNDED_FIND = { ...BOUNDED, batchSize: 1_000 };
