import { setTimeout as sleep } from 'node:timers/promises';
import { healthV1, type Implementation } from '@waymark/proto';
import type { Health } from './health.ts';

const { HealthCheckResponse_ServingStatus: Status } = healthV1;
/** How often a watched health is checked. A shutdown is reported at once. */
const WATCH_INTERVAL_MS = 1000;
/** Watching needs no identity and no deadline. */
const WATCH_MAX_MS = 300_000;

/**
 * Returns the standard `grpc.health.v1` service, for `addService(healthV1.Health, { authenticate: () => null }, …)`.
 * Every service name has the health of the process. `Watch` reports each change for five minutes.
 */
export function healthService(health: Health): Implementation<typeof healthV1.Health, unknown> {
  const status = async () => ((await health.readiness()).ready ? Status.SERVING : Status.NOT_SERVING);
  return {
    check: async () => ({ status: await status() }),
    async *watch(_request, { signal }) {
      let reported: healthV1.HealthCheckResponse_ServingStatus | undefined;
      const endsAt = performance.now() + WATCH_MAX_MS;
      while (!signal.aborted && performance.now() < endsAt) {
        const now = await status();
        if (now !== reported) {
          reported = now;
          yield { status: now };
        }
        await nextCheck(health, signal);
      }
    },
  };
}

/** Waits for the interval. Returns early if the process is about to stop or the client has gone. */
async function nextCheck(health: Health, signal: AbortSignal): Promise<void> {
  const wake = new AbortController();
  const stopListening = health.onStopping(() => wake.abort());
  try {
    await sleep(WATCH_INTERVAL_MS, undefined, { signal: AbortSignal.any([signal, wake.signal]) });
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
  } finally {
    stopListening();
  }
}
