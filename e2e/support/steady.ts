import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `one` at a steady rate until the signal aborts, however long the calls take. Resolves when all calls have
 * ended. A call must not reject.
 */
export async function steadily(
  perSecond: number,
  signal: AbortSignal,
  one: (n: number) => Promise<void>,
): Promise<void> {
  const pending = new Set<Promise<void>>();
  const begun = performance.now();
  for (let n = 0; !signal.aborted; ) {
    const due = Math.floor(((performance.now() - begun) / 1_000) * perSecond);
    for (; n < due; n += 1) {
      const call = one(n);
      pending.add(call);
      call.finally(() => pending.delete(call));
    }
    await sleep(5);
  }
  await Promise.all(pending);
}
