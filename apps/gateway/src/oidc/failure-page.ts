import { escapeHtml, failureOf, type PageTemplate, sendFailure, wantsPage } from '@waymark/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TITLES: Record<number, string> = { 403: 'No access', 429: 'Too many requests', 503: 'Sign-in is not available' };

/** Sends why a sign-in failed: as a page to browsers, and otherwise as all errors are sent. */
export function sendOidcFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  pages: PageTemplate,
): FastifyReply {
  const failure = failureOf(error, request.routeOptions.bodyLimit!);
  if (!wantsPage(request.headers.accept)) return sendFailure(failure, request, reply);
  const title = TITLES[failure.httpStatus] ?? 'You are not signed in';
  const body = `<h1>${title}</h1>\n<p>${escapeHtml(failure.message)}</p>\n<p><a href="/app/">Go to the sign-in page</a></p>`;
  const headers = { ...pages.headers, 'cache-control': 'no-store' };
  return sendFailure(failure, request, reply.headers(headers), { html: pages.render({ title, body }) });
}
