import type { Check } from '@waymark/service-kit';
import type { ProxyDeps } from './proxy/proxy-routes.ts';
import type { Upstream } from './routes.ts';

const TIMEOUT_MS = 900;

/** A check for each service behind: that it answers `/readyz` with 200. */
export function upstreamChecks({ upstreams, client }: ProxyDeps): Record<string, Check> {
  const names: Record<Upstream, string> = { links: 'links-svc', analytics: 'analytics-svc', mcp: 'mcp-svc' };
  return Object.fromEntries(
    (Object.keys(names) as Upstream[]).map((upstream) => [
      names[upstream],
      () => requireReady(client, upstreams[upstream]),
    ]),
  );
}

async function requireReady(client: ProxyDeps['client'], origin: string): Promise<void> {
  const { status } = await client.exchange({
    origin,
    path: '/readyz',
    method: 'GET',
    headers: {},
    timeoutMs: TIMEOUT_MS,
  });
  if (status !== 200) throw new Error(`/readyz answered ${status}`);
}
