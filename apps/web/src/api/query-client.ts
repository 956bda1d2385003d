import { QueryClient } from '@tanstack/preact-query';
import { ApiError } from './api-error.ts';

const RETRIES = 2;
const RETRY_MAX_SECONDS = 5;

/** Creates the cache of responses. Repeats reads that may succeed soon: after no response, 429 with a short wait, 503. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => failures < RETRIES && mayPass(error),
        retryDelay: (failures, error) => 1000 * (waitSeconds(error) ?? 2 ** failures),
      },
      mutations: { retry: false },
    },
  });
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 0 || error.status === 503) return true;
  return error.status === 429 && (error.retryAfterSeconds ?? 0) <= RETRY_MAX_SECONDS;
}

function waitSeconds(error: unknown): number | null {
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
  return seconds === null ? null : Math.min(seconds, RETRY_MAX_SECONDS);
}
