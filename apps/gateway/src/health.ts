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

function requireReady(client: ProxyDeps['client'], origin: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = { origin, path: '/readyz', method: 'GET' as const, headersTimeout: TIMEOUT_MS };
    client.request(request, (error, response) => {
      if (error) return reject(error);
      response.body.on('error', reject).resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`/readyz answered ${response.statusCode}`));
    });
  });
}
