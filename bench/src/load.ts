/** How much load, and for how long: whichever bound is reached first ends it. */
export interface Load {
  /** Requests that are under way at one time, each on a connection of its own. */
  connections: number;
  durationMs: number;
  maxRequests: number;
}

/** One request, answered as expected; rejects where it was not. */
export type SendRequest = () => Promise<void>;

/**
 * Sends requests, each connection the next one once its last one is answered. Gives the milliseconds that each took.
 * Rejects with the first failure, once nothing is under way any more: what fails is no measurement.
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
