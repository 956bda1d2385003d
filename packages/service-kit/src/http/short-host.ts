import { AppError } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NOT_FOUND_MESSAGE, sendFailure } from './http-errors.ts';

/** What a short host has besides links. Locations are valid `Location` headers. */
export interface ShortHost {
  /** Otherwise nothing is there: an account waits for the name, has lost it or has deleted it. */
  isVerified: boolean;
  rootLocation: string | null;
  notFoundLocation: string | null;
}

/** Everything may be indexed: links say for themselves if they may not. */
const ROBOTS = 'User-agent: *\nDisallow:\n';

/** Answers a request on a short host that is not for a link (docs/api.md, Redirects). */
export function answerOnShortHost(
  request: FastifyRequest,
  reply: FastifyReply,
  { isVerified, rootLocation, notFoundLocation }: ShortHost,
): FastifyReply {
  // Fastify runs no hook for a path that it cannot route.
  reply.header('x-request-id', request.id);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const [path] = request.raw.url!.split('?', 1);
  if (isRead && isVerified && path === '/robots.txt') return reply.type('text/plain; charset=utf-8').send(ROBOTS);
  const location = isRead && path === '/' ? (rootLocation ?? notFoundLocation) : notFoundLocation;
  return location === null
    ? sendFailure(new AppError('not_found', NOT_FOUND_MESSAGE), request, reply)
    : redirectOnShortHost(reply, location);
}

/** Sends a redirect that a short host has instead of a link. It is not a click. */
export function redirectOnShortHost(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(302).header('location', location).header('cache-control', 'no-store').send();
}
