import type { Check } from '@waymark/service-kit';
import type { ProxyDeps } from './proxy/proxy-routes.ts';
import type { Replicas } from './proxy/replicas.ts';
import type { Upstream } from './routes.ts';

const TIMEOUT_MS = 900;

/** Returns one check for each upstream service. It passes when at least one replica answers `/readyz` with 200. */
export function upstreamChecks({ upstreams, client }: ProxyDeps): Record<string, Check> {
  const names: Record<Upstream, string> = { links: 'links-svc', analytics: 'analytics-svc', mcp: 'mcp-svc' };
  return Object.fromEntries(
    (Object.keys(names) as Upstream[]).map((upstream) => [
      names[upstream],
      () => requireReady(client, upstreams[upstream]),
    ]),
  );
}

async function requireReady(client: ProxyDeps['client'], replicas: Replicas): Promise<void> {
  const origins = new Set(Array.from({ length: replicas.size }, () => replicas.next()));
  const request = { path: '/readyz', method: 'GET', headers: {}, timeoutMs: TIMEOUT_MS };
  await Promise.any(
    [...origins].map(async (origin) => {
      const { status } = await client.exchange({ ...request, origin });
      if (status !== 200) throw new Error(`/readyz answered ${status}`);
    }),
  );
}
