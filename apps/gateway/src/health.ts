import type { Check } from '@waymark/service-kit';
import { requestReplica } from './proxy/exchange.ts';
import type { ProxyDeps } from './proxy/proxy-routes.ts';
import type { Replicas } from './proxy/replicas.ts';

export const READY_TIMEOUT_MS = 900;

/** Returns one check for each upstream service. It passes when at least one replica answers `/readyz` with 200. */
export function upstreamChecks({ upstreams, agent }: ProxyDeps): Record<string, Check> {
  const checks = Object.entries(upstreams).map(([name, replicas]) => [
    `${name}-svc`,
    () => requireReady(agent, replicas),
  ]);
  return Object.fromEntries(checks);
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
