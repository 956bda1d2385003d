const CONCURRENCY = 10;

/** Does something so many times, ten of it at a time. */
export async function inParallel(times: number, action: () => Promise<void>): Promise<void> {
  let left = times;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left-- > 0) await action();
    }),
  );
}
