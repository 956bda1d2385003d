/** The amount of load; it ends when the first bound is reached. */
export interface Load {
  /** Concurrent requests, each on its own connection. */
  connections: number;
  durationMs: number;
  maxRequests: number;
}

/** Sends one request; rejects if the response is not the expected one. */
export type SendRequest = () => Promise<void>;

/**
 * Sends requests; each connection sends its next request when the previous one has completed. Returns the latency of
 * each request in milliseconds. Rejects with the first failure, after all pending requests have ended: a run with
 * failures is not a valid measurement.
 */
export async function drive(send: SendRequest, { connections, durationMs, maxRequests }: Load): Promise<number[]> {
  const latenciesMs: number[] = [];
  const deadline = performance.now() + durationMs;
  let left = maxRequests;
  let failure: { reason: unknown } | undefined;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (left > 0 && failure === undefined) {
        const began = performance.now();
        if (began >= deadline) return;
        left -= 1;
        try {
          await send();
        } catch (reason) {
          failure ??= { reason };
          return;
        }
        latenciesMs.push(performance.now() - began);
      }
    }),
  );
  if (failure !== undefined) throw failure.reason;
  return latenciesMs;
}
