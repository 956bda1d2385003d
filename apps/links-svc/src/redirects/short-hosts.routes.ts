import { answerOnShortHost, LOGO_PATH, type ShortHost } from '@waymark/service-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AskedHosts, isVerified } from '../hosts/asked-hosts.ts';
import type { VerifiedHost } from '../hosts/verified-hosts.ts';
import { locationOf } from './location.ts';
import { REDIRECT_ROUTE } from './redirect.ts';

/** Makes short hosts have nothing but redirects, `/`, `/robots.txt` and their logo, whatever routes the app has. */
export function shortHostRoutes(app: FastifyInstance, hosts: AskedHosts): void {
  app.addHook('onRequest', async (request, reply) =>
    isForLink(request) || isForLogo(request, hosts) ? undefined : answerIfShort(request, reply, hosts),
  );
}

/** Answers a request if it is on a short host. */
export async function answerIfShort(
  request: FastifyRequest,
  reply: FastifyReply,
  hosts: AskedHosts,
): Promise<FastifyReply | undefined> {
  const host = hosts.of(request.headers.host);
  return host === null || host === 'refused' ? undefined : answerOnShortHost(request, reply, besidesLinks(host));
}

/** The route matches `/` too, with an empty slug. */
function isForLink({ routeOptions, raw }: FastifyRequest): boolean {
  return routeOptions.url === REDIRECT_ROUTE && !/^\/(?:robots\.txt)?(?:\?|$)/.test(raw.url!);
}

/** A host that is not verified has no logo. */
function isForLogo({ routeOptions, headers }: FastifyRequest, hosts: AskedHosts): boolean {
  const host = hosts.of(headers.host);
  return routeOptions.url === LOGO_PATH && (host === null || host === 'refused' || isVerified(host));
}

/** Returns what a short host has besides links. */
export function besidesLinks(host: VerifiedHost): ShortHost {
  const { rootUrl, notFoundUrl } = host;
  return {
    isVerified: isVerified(host),
    rootLocation: rootUrl === null ? null : locationOf(rootUrl),
    notFoundLocation: notFoundUrl === null ? null : locationOf(notFoundUrl),
  };
}
