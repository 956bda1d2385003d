import { AppError, UNKNOWN_HOST_MESSAGE } from '@waymark/contract';
import { LOGO_PATH } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import type { AskedHosts } from '../hosts/asked-hosts.ts';
import type { Brands } from './brands.ts';

/** Waymark's mark. */
const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46e5"/><path d="M8 10.500l3.600 11.500 4.400-9 4.400 9L24 10.500" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>\n';

/** A logo may have scripts, which run if it is opened by itself. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'cache-control': 'public, max-age=3600',
};

/** Adds the logo of the host, or Waymark's mark, where browsers look for the icon of a page. */
export function logoRoute(app: FastifyInstance, { hosts, brands }: { hosts: AskedHosts; brands: Brands }): void {
  app.get(LOGO_PATH, { config: { public: true } }, async (request, reply) => {
    const host = hosts.of(request.headers.host);
    if (host === 'refused') throw new AppError('misdirected', UNKNOWN_HOST_MESSAGE);
    const { logo } = brands.of(host?.name ?? null);
    return reply
      .headers(HEADERS)
      .type(logo?.type ?? 'image/svg+xml')
      .send(logo?.content ?? MARK);
  });
}
