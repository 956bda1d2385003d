import { withTimeout } from '@waymark/service-kit';

const RESPONSE_TIMEOUT_MS = 4_700;

/**
 * Bounds the time of the whole request. Several steps within their own limits can together exceed the 5 seconds of
 * docs/api.md (Errors).
 */
export function inTime<Result>(work: Promise<Result>): Promise<Result> {
  return withTimeout(work, RESPONSE_TIMEOUT_MS, 'the request');
}
