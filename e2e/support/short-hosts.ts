import { visit } from '../../apps/links-svc/test/support/visit.ts';
import { BROWSER } from './world.ts';

/** Follows a short link as a browser that asks for it on a host. Returns where it leads, or the status if nowhere. */
export async function followOn(
  origin: string,
  host: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<string | number> {
  const headers = { 'user-agent': BROWSER, ...options.headers };
  const { status, headers: got } = await visit(origin, host, path, { ...options, headers });
  return got.location ?? status;
}
