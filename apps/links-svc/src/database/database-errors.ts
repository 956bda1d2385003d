import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';

const DUPLICATE_KEY = 11000;
const UNKNOWN_ERROR = 8;
const WRITE_CONFLICT = 112;

/**
 * Codes of a server that cannot serve just now: shutting down, no primary, no time left, no majority.
 * https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
 */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  UNKNOWN_ERROR, // what a proxy says whose own database is gone
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  WRITE_CONFLICT,
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  262, // ExceededTimeLimit
  9001, // SocketException
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
]);

/** The driver does not export the class. */
const WAIT_QUEUE_TIMEOUT = 'MongoWaitQueueTimeoutError';

const UNAVAILABLE_CLASSES = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoServerClosedError,
  MongoTopologyClosedError,
  MongoNotConnectedError,
  MongoClientClosedError,
  MongoOperationTimeoutError,
];

/** True where a unique index refused the write. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/**
 * True where the server undid the operation in favour of another one: made again, it finds what the other one wrote. MongoDB
 * does that itself for what is no transaction; a server on PostgreSQL says so of a deadlock, as among several inserts
 * of one unique value. Of many writes in one operation some may be done, so that is left to the caller.
 */
export function wasUndone(error: unknown): boolean {
  if (!(error instanceof MongoServerError) || error instanceof MongoBulkWriteError) return false;
  return error.code === WRITE_CONFLICT || (error.code === UNKNOWN_ERROR && error.message === 'deadlock detected');
}

/** True where the database could not be asked, or gave up: the same request may succeed in a moment. */
export function isOutage(error: unknown): boolean {
  if (UNAVAILABLE_CLASSES.some((one) => error instanceof one)) return true;
  if (error instanceof Error && error.name === WAIT_QUEUE_TIMEOUT) return true;
  return error instanceof MongoServerError && UNAVAILABLE_CODES.has(Number(error.code));
}

/** An outage as the `unavailable` that clients are told of; anything else as it is. */
export function translateOutage(error: unknown): unknown {
  return isOutage(error) ? new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: error }) : error;
}
