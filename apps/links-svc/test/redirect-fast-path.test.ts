import { type AddressInfo, connect } from 'node:net';
import { createHttpApp, createLogger, createMemoryAttempts, createMetrics } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Click } from '../src/clicks/click.ts';
import type { RedirectDocument } from '../src/database/documents/redirect.ts';
import { readBrands } from '../src/pages/brands.ts';
import { VisitorPages } from '../src/pages/visitor-pages.ts';
import { LinkCache } from '../src/redirects/link-cache.ts';
import { PasswordTries } from '../src/redirects/password-tries.ts';
import { redirectFastPath } from '../src/redirects/redirect-fast-path.ts';
import { redirectRoutes } from '../src/redirects/redirects.routes.ts';
import type { Visitor } from '../src/visitors/visitors.ts';

// docs/api.md, Redirects: the response is the same whether the fast path or Fastify's route sends it.

const LINK: RedirectDocument = {
  _id: '/summer',
  link_id: 'id-1',
  account_id: 'account',
  destination_url: 'https://example.com/?a=1#f',
  visibility: 'public',
  password_hash: null,
  expires_at: null,
  expired_url: null,
  redirect_code: 302,
  rules: [],
};
const LINKS = new Map<string, RedirectDocument>([
  ['/summer', LINK],
  ['/quiet', { ...LINK, link_id: 'id-2', visibility: 'unlisted' }],
  ['/moved', { ...LINK, link_id: 'id-6', redirect_code: 301 }],
  ['/split', { ...LINK, link_id: 'id-7', rules: [{ to: 'https://example.com/a?utm_term=t', browser: ['other'] }] }],
  ['/hidden', { ...LINK, link_id: 'id-3', visibility: 'private' }],
  ['/over', { ...LINK, link_id: 'id-5', expires_at: new Date(0), expired_url: 'https://example.com/over' }],
  ['/vault', { ...LINK, link_id: 'id-4', visibility: 'password-protected', password_hash: 'scrypt$…' }],
]);

type Server = Awaited<ReturnType<typeof start>>;
const running: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const app of running.splice(0)) await app.close();
});

async function start({ fastPath }: { fastPath: boolean }) {
  const lines: Record<string, unknown>[] = [];
  const clicks: Click[] = [];
  const state = {
    append: async (_click: Click): Promise<unknown> => true,
    factsOf: ({ address }: Visitor) => ({ country: '', visitor: address }),
    intercepted: 0,
  };
  const links = new LinkCache({
    changes: { trueUntil: (readAt) => readAt, isStale: () => false },
    findRedirects: async () => new Map(LINKS),
  });
  for (const id of LINKS.keys()) await links.find(id);
  const deps = {
    hosts: { of: () => null, isOfAccount: () => false },
    now: Date.now,
    links,
    clicks: {
      append: async (click: Click) => {
        await state.append(click);
        clicks.push(click);
      },
    },
    visitors: { factsOf: (visitor: Visitor) => state.factsOf(visitor) },
  };
  const metrics = createMetrics('links-svc');
  const fast = redirectFastPath(deps, () => app);
  const app: FastifyInstance = createHttpApp({
    logger: createLogger(
      { service: 'links-svc', level: 'debug' },
      { write: (line) => void lines.push(JSON.parse(line)) },
    ),
    registry: metrics.registry,
    intercept(request, response, next) {
      if (!fastPath) return next();
      state.intercepted += 1;
      fast(request, response, () => {
        state.intercepted -= 1;
        next();
      });
    },
  });
  await app.register(async (scope) =>
    redirectRoutes(scope, {
      ...deps,
      pages: new VisitorPages(readBrands({})),
      verifyPassword: async () => false,
      limits: { take: () => Promise.reject(new Error('no limits here')) },
      passwordTries: new PasswordTries(0, createMemoryAttempts()),
      findTexts: async () => ({
        title: null,
        social_title: 'Card',
        social_description: null,
        social_image_url: null,
      }),
    }),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  lines.length = 0;
  const server = {
    app,
    clicks,
    lines,
    metrics,
    state,
    /** Sends raw bytes and returns everything received until the server closes the connection. */
    send: (bytes: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
        let received = '';
        socket.on('data', (data) => {
          received += data;
        });
        socket.on('error', reject).on('close', () => resolve(received));
      }),
    get: (path: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...init }),
  };
  running.push(app);
  return server;
}

const HEAD =
  'Host: a\r\nConnection: close\r\nX-Request-Id: r-1\r\nUser-Agent: Mozilla/5.0\r\nAccept-Language: de-DE,de;q=0.9\r\nReferer: https://a.example/\r\n';
const sorted = (response: string) => {
  const [head = '', body] = response.replace(/^Date: .*\r\n/im, '').split('\r\n\r\n');
  return { head: head.toLowerCase().split('\r\n').sort(), body };
};
const withoutMoment = (values: object[]) =>
  values.map((value) => ({ ...value, id: '', clickedAtMs: 0, time: '', duration_ms: 0 }));

describe('"the same response from the fast path and from Fastify’s route": headers, click, log line, metric', () => {
  test.each<[string, boolean, string]>([
    ['an open link', true, `GET /summer HTTP/1.1\r\n${HEAD}\r\n`],
    ['with a query', true, `GET /Summer?utm_source=News&a=2&utm_campaign=Summer&b=%E4 HTTP/1.1\r\n${HEAD}\r\n`],
    ['with the longest query', true, `GET /summer?${'%a&b='.padEnd(2_048, 'x')} HTTP/1.1\r\n${HEAD}\r\n`],
    ['with a longer query', true, `GET /summer?${'%a&b='.padEnd(2_049, 'x')} HTTP/1.1\r\n${HEAD}\r\n`],
    ['an unlisted one', true, `GET /quiet HTTP/1.1\r\n${HEAD}\r\n`],
    ['a permanent redirect', true, `GET /moved HTTP/1.1\r\n${HEAD}\r\n`],
    ['a link with rules', true, `GET /split?utm_source=s HTTP/1.1\r\n${HEAD}\r\n`],
    ['HEAD', true, `HEAD /summer HTTP/1.1\r\n${HEAD}\r\n`],
    ['a prefetch', true, `GET /summer HTTP/1.1\r\n${HEAD}Sec-Purpose: prefetch\r\n\r\n`],
    ['a preview', true, `GET /summer HTTP/1.1\r\n${HEAD}x-purpose: Preview\r\nX-PURPOSE: x\r\n\r\n`],
    ['an offer to upgrade', true, `GET /summer HTTP/1.1\r\n${HEAD}Upgrade: h2c\r\n\r\n`],
    ['HTTP/1.0 without Host', true, 'GET /summer HTTP/1.0\r\nX-Request-Id: r-1\r\n\r\n'],
    ['an escaped slug', false, `GET /s%75mmer HTTP/1.1\r\n${HEAD}\r\n`],
    ['a GET with a body', false, `GET /summer HTTP/1.1\r\n${HEAD}Content-Length: 2\r\n\r\nhi`],
    ['a GET with a chunked body', false, `GET /summer HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a private link', false, `GET /hidden HTTP/1.1\r\n${HEAD}\r\n`],
    ['a protected link', false, `GET /vault HTTP/1.1\r\n${HEAD}\r\n`],
    ['an unknown slug', false, `GET /nobody HTTP/1.1\r\n${HEAD}\r\n`],
    ['two segments', false, `GET /summer/sale HTTP/1.1\r\n${HEAD}\r\n`],
    ['no Host', false, 'GET /summer HTTP/1.1\r\nConnection: close\r\nX-Request-Id: r-1\r\n\r\n'],
  ])('%s', async (_what, isFast, bytes) => {
    const [fast, routed] = [await start({ fastPath: true }), await start({ fastPath: false })];
    const [fromFast, fromRoute] = [await fast.send(bytes), await routed.send(bytes)];
    expect(sorted(fromFast)).toEqual(sorted(fromRoute));
    expect(fast.state.intercepted).toBe(isFast ? 1 : 0);
    expect(withoutMoment(fast.clicks)).toEqual(withoutMoment(routed.clicks));
    expect(withoutMoment(fast.lines)).toEqual(withoutMoment(routed.lines));
    expect(await countsOf(fast)).toEqual(await countsOf(routed));
  });

  async function countsOf({ metrics }: Server): Promise<string[]> {
    const text = await metrics.registry.metrics();
    return text.split('\n').filter((line) => line.startsWith('http_request_duration_seconds_count'));
  }
});

test('the fast path sends the redirect only after the click is in a file', async () => {
  const server = await start({ fastPath: true });
  const written = Promise.withResolvers<boolean>();
  server.state.append = () => written.promise;
  let answered = false;
  const answering = server.get('/summer').then((response) => {
    answered = true;
    return response;
  });
  await vi.waitFor(() => expect(server.state.intercepted).toBe(1), { timeout: 30_000 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(answered).toBe(false);
  written.resolve(true);
  expect((await answering).status).toBe(302);
});

test('a redirect that was in flight when draining began closes its connection', async () => {
  const server = await start({ fastPath: true });
  const written = Promise.withResolvers<boolean>();
  server.state.append = () => written.promise;
  const answering = server.get('/summer');
  await vi.waitFor(() => expect(server.state.intercepted).toBe(1), { timeout: 30_000 });
  server.app.drainConnections();
  written.resolve(true);
  expect((await answering).headers.get('connection')).toBe('close');
});

test.each<[string, (state: Server['state']) => void]>([
  [
    'the spool',
    (state) => {
      state.append = () => Promise.reject(new Error('boom'));
    },
  ],
  [
    'what is known of the visitor',
    (state) => {
      state.factsOf = () => {
        throw new Error('boom');
      };
    },
  ],
])('a failure of %s gives 500 with an error of one field, no click and one log line', async (_what, fail) => {
  const server = await start({ fastPath: true });
  fail(server.state);
  const response = await server.get('/summer');
  expect(response.status).toBe(500);
  expect(Object.keys((await response.json()) as object)).toEqual(['error']);
  expect(server.clicks).toEqual([]);
  await vi.waitFor(() => expect(server.lines.filter(({ msg }) => msg === 'request')).toMatchObject([{ status: 500 }]), {
    timeout: 30_000,
  });
});
