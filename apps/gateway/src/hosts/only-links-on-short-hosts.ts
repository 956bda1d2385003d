import { AppError, UNKNOWN_HOST_MESSAGE } from '@waymark/contract';
import { answerOnShortHost } from '@waymark/service-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ShortHosts } from './short-hosts.ts';

/** The route of links and of the logo. links-svc decides by the host what they return. */
const LINK_ROUTE = '/:slug';
const PLAIN_PATH = /^\/(?:[^/\\%.?]+\/?|favicon\.ico)(?:\?|$)/;

/** Makes short hosts have nothing but links, `/`, `/robots.txt` and their logo, whatever routes the app has. */
export function onlyLinksOnShortHosts(app: FastifyInstance, hosts: ShortHosts): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isForLink = request.routeOptions.url === LINK_ROUTE && PLAIN_PATH.test(request.raw.url!);
    if (isForLink || hosts.isOwn(request.headers.host)) return done();
    answerIfShort(request, reply, hosts).then((answered) => {
      if (answered === undefined) done();
    }, done);
  });
}

/**
 * Answers a request if it is on a short host.
 * @throws {AppError} `misdirected` for `/` of a host that is refused. It has what is no link, such as the API.
 */
export async function answerIfShort(
  request: FastifyRequest,
  reply: FastifyReply,
  hosts: ShortHosts,
): Promise<FastifyReply | undefined> {
  const { headers, id, raw } = request;
  const isRoot = /^\/(?:\?|$)/.test(raw.url!);
  const host = await (isRoot ? hosts.findAny(headers.host, id) : hosts.find(headers.host, id));
  if (host === 'refused' && isRoot) throw new AppError('misdirected', UNKNOWN_HOST_MESSAGE);
  return host === null || host === 'refused' ? undefined : answerOnShortHost(request, reply, host);
}
