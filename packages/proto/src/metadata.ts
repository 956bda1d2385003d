import { randomUUID } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';

/** The HTTP header and gRPC metadata key of the signed identity. */
export const IDENTITY_HEADER = 'x-waymark-identity';

/** The HTTP header and gRPC metadata key of the request id. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** Returns the first value of a text entry, or undefined. */
export function findMetadata(metadata: Metadata, name: string): string | undefined {
  const value = metadata.get(name)[0];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the given request id if it is well-formed (1–128 of `A–Z a–z 0–9 . _ -`), otherwise a new one. */
export function requestIdOr(given: string | undefined): string {
  return given !== undefined && SANE_REQUEST_ID.test(given) ? given : randomUUID();
}

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
