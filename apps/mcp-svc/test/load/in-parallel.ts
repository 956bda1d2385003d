const CONCURRENCY = 10;

/** Runs an action `times` times, ten concurrently. */
export async function inParallel(times: number, action: () => Promise<void>): Promise<void> {
  let left = times;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left-- > 0) await action();
    }),
  );
}
