import { QueryClient } from '@tanstack/preact-query';
import { WaymarkError } from '@waymark/client';

const RETRIES = 2;
const RETRY_MAX_SECONDS = 5;

/** Creates the cache of responses. Repeats reads that may succeed soon: after no response and 503. */
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
  return error instanceof WaymarkError && (error.status === 0 || error.status === 503);
}

function waitSeconds(error: unknown): number | null {
  const seconds = error instanceof WaymarkError ? error.retryAfterSeconds : null;
  return seconds === null ? null : Math.min(seconds, RETRY_MAX_SECONDS);
}
