import { answerOnShortHost } from '@waymark/service-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AskedHosts } from '../hosts/asked-hosts.ts';
import type { VerifiedHost } from '../hosts/verified-hosts.ts';
import { locationOf } from './location.ts';
import { REDIRECT_ROUTE } from './redirect.ts';

/** Makes short hosts have nothing but redirects, `/` and `/robots.txt`, whatever routes the app has. */
export function shortHostRoutes(app: FastifyInstance, hosts: AskedHosts): void {
  app.addHook('onRequest', async (request, reply) =>
    isForLink(request) ? undefined : answerIfShort(request, reply, hosts),
  );
}

/** Answers a request if it is on a short host. */
export async function answerIfShort(
  request: FastifyRequest,
  reply: FastifyReply,
  hosts: AskedHosts,
): Promise<FastifyReply | undefined> {
  const host = hosts.of(request.headers.host);
  return host === null || host === 'refused' ? undefined : answerOnShortHost(request, reply, locationsOf(host));
}

/** The route matches `/` too, with an empty slug. */
function isForLink({ routeOptions, raw }: FastifyRequest): boolean {
  return routeOptions.url === REDIRECT_ROUTE && !/^\/(?:robots\.txt)?(?:\?|$)/.test(raw.url!);
}

/** Returns where a short host leads, as valid `Location` headers. */
export function locationsOf({ rootUrl, notFoundUrl }: VerifiedHost) {
  return {
    rootLocation: rootUrl === null ? null : locationOf(rootUrl),
    notFoundLocation: notFoundUrl === null ? null : locationOf(notFoundUrl),
  };
}
