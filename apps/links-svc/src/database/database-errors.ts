import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoExpiredSessionError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoUnexpectedServerResponseError,
} from 'mongodb';

const DUPLICATE_KEY = 11000;
const UNKNOWN_ERROR = 8;
const WRITE_CONFLICT = 112;

/**
 * The error codes of a server that is temporarily unavailable: it is shutting down, has no primary or no majority, or
 * ran out of time. https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
 */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  11, // UserNotFound, while users are restored
  13, // Unauthorized, while the password or the roles of the user are changed
  18, // AuthenticationFailed
  UNKNOWN_ERROR, // sent by a proxy whose own database is gone
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  WRITE_CONFLICT,
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  239, // SnapshotTooOld
  246, // SnapshotUnavailable
  262, // ExceededTimeLimit
  9001, // SocketException
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
]);

/** The error codes of a server that does not know what a command asks for. */
const UNSUPPORTED_CODES: ReadonlySet<unknown> = new Set([
  59, // CommandNotFound
  72, // InvalidOptions
  115, // CommandNotSupported
  123, // NotAReplicaSet
  238, // NotImplemented
]);

/** The names of classes that the driver does not export. */
const UNAVAILABLE_NAMES: ReadonlySet<string> = new Set(['MongoWaitQueueTimeoutError', 'MongoPoolClosedError']);

const UNAVAILABLE_CLASSES = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoServerClosedError,
  MongoTopologyClosedError,
  MongoNotConnectedError,
  MongoClientClosedError,
  MongoExpiredSessionError, // its client was replaced
  MongoOperationTimeoutError,
  // A connection ended without a response, or the server was lost before a retry.
  MongoUnexpectedServerResponseError,
];

/** Codes of Node's errors about a socket. The driver passes some on as they are if a connection ends while it writes. */
const SOCKET_CODES: ReadonlySet<string> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_STREAM_DESTROYED',
  'ERR_SOCKET_CLOSED',
]);

/** Returns true if the server does not know what the command asks for. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof MongoServerError && UNSUPPORTED_CODES.has(error.code);
}

/** Returns true if a unique index refused the write. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/**
 * Returns true if the server undid the operation or its transaction in favour of another one. A retry then sees what the
 * other one wrote. MongoDB retries single operations itself. A server on PostgreSQL reports a deadlock instead.
 */
export function wasUndone(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false;
  return (
    error.hasErrorLabel('TransientTransactionError') ||
    error.code === WRITE_CONFLICT ||
    (error.code === UNKNOWN_ERROR && error.message.includes('deadlock detected'))
  );
}

/** Returns true if the driver itself failed while it wrote several documents: what a server refuses has a code. */
function isLostBulkWrite(error: unknown): boolean {
  return error instanceof MongoBulkWriteError && error.code === undefined;
}

/** Returns true if the database was unreachable or gave up. The same request may succeed a moment later. */
export function isOutage(error: unknown): boolean {
  if (UNAVAILABLE_CLASSES.some((one) => error instanceof one) || isLostBulkWrite(error)) return true;
  if (error instanceof Error && UNAVAILABLE_NAMES.has(error.name)) return true;
  if (error instanceof Error && 'code' in error && SOCKET_CODES.has(String(error.code))) return true;
  return error instanceof MongoServerError && UNAVAILABLE_CODES.has(Number(error.code));
}

/** Returns true if no response arrived: the server may have done what was sent, and may still work on it. */
export function isUnanswered(error: unknown): boolean {
  return isOutage(error) && (!(error instanceof MongoServerError) || isLostBulkWrite(error));
}

/** Returns an outage as the `unavailable` error that clients get, and any other error unchanged. */
export function translateOutage(error: unknown): unknown {
  return isOutage(error) ? new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: error }) : error;
}
