import { Metadata, type StatusObject, status } from '@grpc/grpc-js';
import {
  AppError,
  ERRORS,
  type ErrorCode,
  errorCodeOfGrpcStatus,
  INTERNAL_MESSAGE,
  UNAUTHENTICATED_MESSAGE,
  UNAVAILABLE_MESSAGE,
} from '@waymark/contract';
import { findMetadata } from './metadata.ts';

/**
 * The trailer with the {@link ErrorCode} of a failure that one of our services reported. Only then is the message
 * public: any other status comes from a library or a proxy, and its message may contain an address.
 */
const ERROR_CODE_TRAILER = 'x-waymark-error';
const RETRY_AFTER_TRAILER = 'retry-after';

/** Returns the gRPC status for an error: its code, its public message and when to retry, but never its cause. */
export function statusOfError(error: AppError): { code: number; details: string; metadata: Metadata } {
  const metadata = new Metadata();
  metadata.set(ERROR_CODE_TRAILER, error.code);
  if (error.retryAfterSeconds !== undefined) metadata.set(RETRY_AFTER_TRAILER, String(error.retryAfterSeconds));
  // Tells the client's channel not to retry, because the service itself has decided
  // (https://github.com/grpc/proposal/blob/master/A6-client-retries.md#pushback).
  metadata.set('grpc-retry-pushback-ms', '-1');
  // grpc-js percent-encodes the message and throws if it has an unpaired surrogate.
  return { code: error.grpcStatus, details: error.message.toWellFormed(), metadata };
}

/** Returns true if one of our services reported the status, and not a library or a proxy. */
export function isFromService({ metadata }: StatusObject): boolean {
  return findMetadata(metadata, ERROR_CODE_TRAILER) !== undefined;
}

/** What grpc-js says, with the status `INTERNAL`, of a connection that broke while it wrote. */
const BROKE_WHILE_WRITING = 'triggered by internal client error';

/** Returns true if the connection broke while the call was written. The server may have got it. */
export function brokeWhileWriting({ code, details }: StatusObject): boolean {
  return code === status.INTERNAL && details.includes(BROKE_WHILE_WRITING);
}

/** Returns the error for a gRPC status. The status becomes its cause. */
export function errorOfStatus(received: StatusObject): AppError {
  const code = findMetadata(received.metadata, ERROR_CODE_TRAILER);
  if (code !== undefined && Object.hasOwn(ERRORS, code)) {
    const retryAfter = Number(findMetadata(received.metadata, RETRY_AFTER_TRAILER));
    return new AppError(code as ErrorCode, received.details, {
      cause: received,
      ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
    });
  }
  if (brokeWhileWriting(received)) return new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: received });
  switch (received.code) {
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED:
      return new AppError(errorCodeOfGrpcStatus(received.code), UNAVAILABLE_MESSAGE, { cause: received });
    case status.CANCELLED:
      return new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: received });
    case status.UNAUTHENTICATED:
      return new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE, { cause: received });
    default:
      return new AppError('internal', INTERNAL_MESSAGE, { cause: received });
  }
}
