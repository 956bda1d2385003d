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
 * Trailer with the {@link ErrorCode} of a failure that a service of ours decided on. Only then is the status message
 * a public one; every other status comes from a library or a proxy, whose message may hold an address.
 */
const ERROR_CODE_TRAILER = 'x-waymark-error';
const RETRY_AFTER_TRAILER = 'retry-after';

/** The gRPC status that carries a failure: its public message, its code and when to retry; never its cause. */
export function statusOfError(error: AppError): { code: number; details: string; metadata: Metadata } {
  const metadata = new Metadata();
  metadata.set(ERROR_CODE_TRAILER, error.code);
  if (error.retryAfterSeconds !== undefined) metadata.set(RETRY_AFTER_TRAILER, String(error.retryAfterSeconds));
  // The service has answered: a retry by the channel is for calls that reached none
  // (https://github.com/grpc/proposal/blob/master/A6-client-retries.md#pushback).
  metadata.set('grpc-retry-pushback-ms', '-1');
  // grpc-js percent-encodes the message, which throws for an unpaired surrogate.
  return { code: error.grpcStatus, details: error.message.toWellFormed(), metadata };
}

/** Whether a status is what a service of ours decided on, and not what became of the call on its way. */
export function isAnswer({ metadata }: StatusObject): boolean {
  return findMetadata(metadata, ERROR_CODE_TRAILER) !== undefined;
}

/** The failure that a status stands for; the status itself is its cause. */
export function errorOfStatus(received: StatusObject): AppError {
  const code = findMetadata(received.metadata, ERROR_CODE_TRAILER);
  if (code !== undefined && Object.hasOwn(ERRORS, code)) {
    const retryAfter = Number(findMetadata(received.metadata, RETRY_AFTER_TRAILER));
    return new AppError(code as ErrorCode, received.details, {
      cause: received,
      ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
    });
  }
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
