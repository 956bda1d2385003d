import type { Check } from '@waymark/service-kit';
import { type ClockDifference, checkClocks, clockDifference } from './clocks.ts';
import { requestReplica } from './proxy/exchange.ts';
import type { ProxyDeps } from './proxy/proxy-routes.ts';
import type { Replica, Replicas } from './proxy/replicas.ts';

export const READY_TIMEOUT_MS = 900;

/**
 * Returns one check for each upstream service, which passes when at least one replica answers `/readyz` with 200, and one
 * that compares the clocks of all replicas.
 */
export function upstreamChecks({ upstreams, agent }: ProxyDeps): Record<string, Check> {
  const checks = Object.entries(upstreams).map(([name, replicas]) => [
    `${name}-svc`,
    () => requireReady(agent, replicas),
  ]);
  return { ...Object.fromEntries(checks), clocks: () => requireSameTime(agent, upstreams) };
}

/** Compares the clocks of the replicas that respond. */
async function requireSameTime(agent: ProxyDeps['agent'], upstreams: ProxyDeps['upstreams']): Promise<void> {
  const differences = new Map<string, ClockDifference>();
  const compare = async (name: string, replica: Replica) => {
    const sentAtMs = Date.now();
    const request = { path: '/livez', method: 'GET', signal: AbortSignal.timeout(READY_TIMEOUT_MS) } as const;
    const { headers, body } = await requestReplica(agent, replica, request);
    const difference = clockDifference(headers.date, sentAtMs, Date.now());
    await body.dump();
    if (difference !== null) differences.set(name, difference);
  };
  await Promise.all(
    Object.entries(upstreams).map(async ([service, replicas]) => {
      const all = await replicas.all();
      const nameOf = ({ origin }: Replica) => (all.length === 1 ? `${service}-svc` : `${service}-svc at ${origin}`);
      // The other check reports unreachable services.
      await Promise.allSettled(all.map((replica) => compare(nameOf(replica), replica)));
    }),
  );
  checkClocks(differences);
}

async function requireReady(agent: ProxyDeps['agent'], replicas: Replicas): Promise<void> {
  const request = { path: '/readyz', method: 'GET', signal: AbortSignal.timeout(READY_TIMEOUT_MS) } as const;
  await Promise.any(
    (await replicas.all()).map(async (replica) => {
      const { statusCode, body } = await requestReplica(agent, replica, request);
      await body.dump();
      if (statusCode !== 200) throw new Error(`/readyz answered ${statusCode}`);
    }),
  );
}
