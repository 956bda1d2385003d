import { startPeriodicTask } from '@waymark/service-kit';
import type { Agent } from 'undici';
import { ejectIfStopping, requestReplica } from './exchange.ts';
import type { Replica, Replicas } from './replicas.ts';
import { isUnsent } from './upstream-errors.ts';

/** Much shorter than the `SHUTDOWN_DELAY_MS` of the services. */
const EVERY_MS = 500;
const TIMEOUT_MS = 900;

/**
 * Ejects replicas that are starting, stopping or unreachable, also those that get no requests. A request that is sent
 * just when a stopping replica closes an idle connection would fail.
 */
export function watchReplicas(services: readonly Replicas[], agent: Agent): { close(): Promise<void> } {
  async function check(replicas: Replicas, replica: Replica): Promise<void> {
    const request = { path: '/startupz', method: 'GET', signal: AbortSignal.timeout(TIMEOUT_MS) } as const;
    try {
      const response = await requestReplica(agent, replica, request);
      ejectIfStopping(replicas, replica, response);
      if (response.statusCode !== 200) replicas.eject(replica, 'unavailable');
      await response.body.dump();
    } catch (error) {
      if (isUnsent(error)) replicas.eject(replica, 'unavailable');
    }
  }

  return startPeriodicTask({
    everyMs: EVERY_MS,
    async work() {
      // A name that cannot be resolved fails the requests, which report it.
      await Promise.allSettled(
        services.map(async (replicas) => {
          const all = await replicas.all();
          if (all.length > 1) await Promise.all(all.map((replica) => check(replicas, replica)));
        }),
      );
    },
    onError() {},
  });
}
