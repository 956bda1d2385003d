import { answerOnShortHost } from '@waymark/service-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ShortHosts } from './short-hosts.ts';

/** Routes of links. links-svc decides by the host what they return. */
const LINK_ROUTE = '/:slug';
const PLAIN_PATH = /^\/[^/\\%.]+\/?$/;

/** Makes short hosts have nothing but links, `/` and `/robots.txt`, whatever routes the app has. */
export function onlyLinksOnShortHosts(app: FastifyInstance, hosts: ShortHosts): void {
  app.addHook('onRequest', async (request, reply) => {
    const [path] = request.raw.url!.split('?', 1);
    const isForLink = request.routeOptions.url === LINK_ROUTE && PLAIN_PATH.test(path!);
    return isForLink ? undefined : answerIfShort(request, reply, hosts);
  });
}

/** Answers a request if it is on a short host. */
export async function answerIfShort(
  request: FastifyRequest,
  reply: FastifyReply,
  hosts: ShortHosts,
): Promise<FastifyReply | undefined> {
  const host = await hosts.find(request.headers.host, request.id);
  return host === null ? undefined : answerOnShortHost(request, reply, host);
}
