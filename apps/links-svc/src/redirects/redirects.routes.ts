import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  LINK_EXPIRED_MESSAGE,
  LINK_NOT_FOUND_MESSAGE,
  UNAVAILABLE_MESSAGE,
  UNKNOWN_HOST_MESSAGE,
} from '@waymark/contract';
import { type PageContent, queryOf, redirectOnShortHost, wantsPage } from '@waymark/service-kit';
import { readUserAgent } from '@waymark/user-agents';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ClickLimits } from '../click-limits/click-limits.ts';
import { isPrefetch } from '../clicks/click.ts';
import type { VerifiedHost } from '../hosts/verified-hosts.ts';
import { expiredPage } from '../pages/expired-page.ts';
import type { PageTexts } from '../pages/languages/page-texts.ts';
import { linkPage, type ShownDestination } from '../pages/link-page.ts';
import { notFoundPage } from '../pages/not-found-page.ts';
import { passwordPage, tooManyTriesPage, wrongPasswordPage } from '../pages/password-page.ts';
import type { VisitorPages } from '../pages/visitor-pages.ts';
import { PASSWORD_WAIT_MAX_MS, type PasswordVisitor } from '../passwords/passwords.ts';
import { redirectId } from '../slugs/redirect-id.ts';
import { CARD_HEADERS, cardPage, wantsCard } from './card-page.ts';
import { findLink } from './find-link.ts';
import type { RedirectLink } from './link-cache.ts';
import type { PasswordTries } from './password-tries.ts';
import { REDIRECT_ROUTE, type Redirect, type RedirectDeps, redirectOf } from './redirect.ts';
import type { PublicTexts } from './redirects.store.ts';
import { besidesLinks } from './short-hosts.routes.ts';

export interface RedirectRouteDeps extends RedirectDeps {
  pages: VisitorPages;
  /** Returns true if the hash was made from the password. Waits at most `maxWaitMs` for its turn. */
  verifyPassword(password: string, hash: string, visitor: PasswordVisitor, maxWaitMs: number): Promise<boolean>;
  passwordTries: PasswordTries;
  /** Takes redirects of links with `max_clicks`. */
  limits: Pick<ClickLimits, 'take'>;
  /** Returns the texts of a public or unlisted link, or null if it is none any more. */
  findTexts(link: RedirectLink): Promise<PublicTexts | null>;
}

type ProtectedLink = RedirectLink & { passwordHash: string };
type LimitedLink = RedirectLink & { limitId: string };
/** A page in the language of its texts. */
type Page = (texts: PageTexts) => PageContent;
type SlugRequest = FastifyRequest<{ Params: { slug: string } }>;

/** At the end of a slug, it asks where the link leads. No slug contains it. */
const PAGE_MARK = '+';
const FORM_TYPE = 'application/x-www-form-urlencoded';
/** How long a try that was not checked waits for its 503. With the wait for its turn it is below five seconds. */
const REFUSED_AFTER_MS = 1_000;
/** How often a redirect looks again at a limited link that changes meanwhile. */
const CHANGED_TRIES = 3;
const FORM_MAX_BYTES = 64 * 1_024;

/**
 * Adds `GET`, `HEAD` and `POST /:slug`. The redirect is sent only after the click is in a file or known to be lost. Call
 * it within `register`, because it accepts forms and no other bodies.
 */
export function redirectRoutes(app: FastifyInstance, deps: RedirectRouteDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: REDIRECT_ROUTE,
    config: { public: true },
    handler: async (request: SlugRequest, reply) => {
      const host = hostOf(request);
      const { slug } = request.params;
      if (slug.endsWith(PAGE_MARK)) return sendLinkPage(request, reply, host, slug.slice(0, -PAGE_MARK.length));
      const link = await findLink(host, slug, deps.links);
      if (link === null) return notFound(request, reply, host);
      if (isExpired(link)) return sendExpired(request, reply, host, link);
      if (link.passwordHash !== null) return sendPage(request, reply.code(200), host, passwordPage);
      const isCard = wantsCard(link, request.headers['user-agent']);
      return isCard ? sendCard(request, reply, host, link) : sendRedirect(request, reply, host, link);
    },
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>(
    FORM_TYPE,
    { parseAs: 'string', bodyLimit: FORM_MAX_BYTES },
    (_request, body, done) => done(null, new URLSearchParams(body)),
  );
  app.addContentTypeParser('*', (_request, _payload, done) =>
    done(new AppError('invalid', `Send the password as a form, with the header "Content-Type: ${FORM_TYPE}".`)),
  );
  app.route({
    method: 'POST',
    url: REDIRECT_ROUTE,
    config: { public: true },
    // Before the body is read: where no password is taken, it does not matter what was sent.
    onRequest: async (request: SlugRequest, reply) => {
      if ((await findProtectedLink(request, reply)) === null) return reply;
    },
    handler: async (request: SlugRequest, reply) => {
      const found = await findProtectedLink(request, reply);
      if (found === null) return reply;
      const { host, link } = found;
      const endsAt = performance.now() + PASSWORD_WAIT_MAX_MS;
      const { waitSeconds, end } = await deps.passwordTries.begin(link.id, request.ip, endsAt);
      if (waitSeconds > 0) return tooManyTries(request, reply, host, waitSeconds);
      const password = request.body instanceof URLSearchParams ? (request.body.get('password') ?? '') : '';
      const visitor = { accountId: link.accountId, linkId: link.id, address: request.ip };
      let isWrong = false;
      try {
        const leftMs = Math.max(0, endsAt - performance.now());
        isWrong = !(await deps.verifyPassword(password, link.passwordHash, visitor, leftMs));
      } catch (error) {
        // A password that could not be checked is not a wrong one.
        end(false);
        // A client that repeats refused tries in a loop would take the CPU from all others.
        await sleep(REFUSED_AFTER_MS);
        throw error;
      }
      end(isWrong);
      if (isWrong) return sendPage(request, reply.code(403), host, wrongPasswordPage);
      // The check takes time.
      return isExpired(link) ? sendExpired(request, reply, host, link) : sendRedirect(request, reply, host, link, 303);
    },
  });

  /** Returns the link of a request and its host if it takes a password. Otherwise sends the response and returns null. */
  async function findProtectedLink(
    request: SlugRequest,
    reply: FastifyReply,
  ): Promise<{ host: VerifiedHost | null; link: ProtectedLink } | null> {
    const host = hostOf(request);
    const link = await findLink(host, request.params.slug, deps.links);
    if (link !== null && isExpired(link)) sendExpired(request, reply, host, link);
    else if (link !== null && isProtected(link)) return { host, link };
    else notFound(request, reply, host);
    return null;
  }

  /** @throws {AppError} `misdirected` if nobody owns the host and such requests are refused. */
  function hostOf({ headers }: FastifyRequest): VerifiedHost | null {
    const host = deps.hosts.of(headers.host);
    if (host === 'refused') throw new AppError('misdirected', UNKNOWN_HOST_MESSAGE);
    return host;
  }

  function isExpired({ expiresAt }: RedirectLink): boolean {
    return deps.now() >= expiresAt;
  }

  function redirectFor(
    { method, headers, raw, ip }: FastifyRequest,
    host: VerifiedHost | null,
    link: RedirectLink,
    status?: 303,
  ): Redirect {
    return redirectOf({ method, headers, host, query: queryOf(raw.url ?? ''), address: ip }, link, deps, status);
  }

  /** Sends the card of an open link to a link preview, whose click is stored like that of its redirect. */
  async function sendCard(
    request: SlugRequest,
    reply: FastifyReply,
    host: VerifiedHost | null,
    link: RedirectLink,
  ): Promise<FastifyReply> {
    const texts = await deps.findTexts(link);
    if (texts === null) return notFound(request, reply, host);
    const { click, location } = redirectFor(request, host, link);
    await deps.clicks.append(click);
    const href = isLimited(link) ? hrefOf(request, request.params.slug) : location;
    if (link.unlisted) reply.header('x-robots-tag', 'noindex');
    return reply.headers({ ...CARD_HEADERS, 'cache-control': 'no-store' }).send(cardPage({ texts, href }));
  }

  /** Shows where an open link redirects this visitor to. All other links are not found. */
  async function sendLinkPage(
    request: FastifyRequest,
    reply: FastifyReply,
    host: VerifiedHost | null,
    slug: string,
  ): Promise<FastifyReply> {
    const link = await findLink(host, slug, deps.links);
    const isOpen = link !== null && link.passwordHash === null && !isExpired(link);
    const texts = isOpen ? await deps.findTexts(link) : null;
    if (link === null || texts === null) return notFound(request, reply, host);
    const location = link.limitId === null ? redirectFor(request, host, link).location : null;
    return sendLinkPageOf(request, reply, host, { title: texts.title, location, href: hrefOf(request, slug) });
  }

  /**
   * Redirects if the limit of the link allows it. What only looks at the link uses nothing of it, and gets its page without
   * the destination.
   */
  async function sendLimited(
    request: SlugRequest,
    reply: FastifyReply,
    host: VerifiedHost | null,
    link: LimitedLink,
    { status, tries }: { status: 303 | undefined; tries: number },
  ): Promise<FastifyReply> {
    const { slug } = request.params;
    if (isOnlyLook(request)) {
      const title = (await deps.findTexts(link))?.title ?? null;
      if (link.unlisted) reply.header('x-robots-tag', 'noindex');
      return sendLinkPageOf(request, reply, host, { title, location: null, href: hrefOf(request, slug) });
    }
    const taken = await deps.limits.take(link.limitId);
    if (taken === 'granted') return sendCounted(request, reply, host, link, status);
    if (taken === 'spent') return sendExpired(request, reply, host, link);
    // The link was changed less than two seconds ago.
    if (tries === 0) throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
    deps.links.invalidate(redirectId(host?.id ?? null, slug));
    const current = await findLink(host, slug, deps.links);
    if (current === null) return notFound(request, reply, host);
    if (isExpired(current)) return sendExpired(request, reply, host, current);
    const isPasswordNew = current.passwordHash !== null && current.passwordHash !== link.passwordHash;
    if (isPasswordNew) return sendPage(request, reply.code(200), host, passwordPage);
    return isLimited(current)
      ? sendLimited(request, reply, host, current, { status, tries: tries - 1 })
      : sendCounted(request, reply, host, current, status);
  }

  async function sendRedirect(
    request: SlugRequest,
    reply: FastifyReply,
    host: VerifiedHost | null,
    link: RedirectLink,
    status?: 303,
  ): Promise<FastifyReply> {
    return isLimited(link)
      ? sendLimited(request, reply, host, link, { status, tries: CHANGED_TRIES })
      : sendCounted(request, reply, host, link, status);
  }

  async function sendCounted(
    request: FastifyRequest,
    reply: FastifyReply,
    host: VerifiedHost | null,
    link: RedirectLink,
    status?: 303,
  ): Promise<FastifyReply> {
    const redirect = redirectFor(request, host, link, status);
    await deps.clicks.append(redirect.click);
    return reply.code(redirect.status).headers(redirect.headers).send();
  }

  function sendLinkPageOf(
    request: FastifyRequest,
    reply: FastifyReply,
    host: VerifiedHost | null,
    shown: ShownDestination,
  ): FastifyReply {
    return sendPage(request, reply.code(200), host, (texts) => linkPage(texts, shown));
  }

  /**
   * Sends the 404 response for private, deleted and unknown links, or what the short host has instead. It is identical
   * for all of them.
   */
  function notFound(request: FastifyRequest, reply: FastifyReply, host: VerifiedHost | null): FastifyReply {
    const location = host && besidesLinks(host).notFoundLocation;
    if (location !== null) return redirectOnShortHost(reply, location);
    return refuse(request, reply.code(404), host, { page: notFoundPage, error: LINK_NOT_FOUND_MESSAGE });
  }

  /** Sends the visitor of an expired link to its `expired_url`, or a 410 response. It is not a click. */
  function sendExpired(
    request: FastifyRequest,
    reply: FastifyReply,
    host: VerifiedHost | null,
    { expiredLocation }: RedirectLink,
  ): FastifyReply {
    return expiredLocation === null
      ? refuse(request, reply.code(410), host, { page: expiredPage, error: LINK_EXPIRED_MESSAGE })
      : reply.code(302).header('location', expiredLocation).header('cache-control', 'no-store').send();
  }

  /** Sends a page to a browser, and JSON to other clients. */
  function refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    host: VerifiedHost | null,
    { page, error }: { page: Page; error: string },
  ): FastifyReply {
    reply.header('vary', 'Accept, Accept-Language');
    return wantsPage(request.headers.accept)
      ? deps.pages.send(request, reply, host, page)
      : reply.header('cache-control', 'no-store').send({ error });
  }

  function sendPage(request: FastifyRequest, reply: FastifyReply, host: VerifiedHost | null, page: Page): FastifyReply {
    return deps.pages.send(request, reply.header('vary', 'Accept-Language'), host, page);
  }

  function tooManyTries(
    request: FastifyRequest,
    reply: FastifyReply,
    host: VerifiedHost | null,
    waitSeconds: number,
  ): FastifyReply {
    if (!wantsPage(request.headers.accept))
      throw new AppError('rate_limited', 'Too many wrong passwords for this link; try again later.', {
        retryAfterSeconds: waitSeconds,
      });
    return sendPage(request, reply.code(429).header('retry-after', waitSeconds), host, tooManyTriesPage);
  }
}

function isLimited(link: RedirectLink): link is LimitedLink {
  return link.limitId !== null;
}

/** Returns true for a request after which no visitor goes anywhere. */
function isOnlyLook({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'HEAD' || isPrefetch(headers) || readUserAgent(headers['user-agent'] ?? '').notCounted === 'preview'
  );
}

/** Returns the short URL that the request asks for, with its query. */
function hrefOf({ raw }: FastifyRequest, slug: string): string {
  const query = queryOf(raw.url ?? '');
  return `/${slug}${query === '' ? '' : `?${query}`}`;
}

function isProtected(link: RedirectLink): link is ProtectedLink {
  return link.passwordHash !== null;
}
