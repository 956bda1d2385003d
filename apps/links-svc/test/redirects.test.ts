import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createVerifier, identityPlugin } from '@waymark/auth';
import { AppError, LINK_NOT_FOUND_MESSAGE, type Rule } from '@waymark/contract';
import { createHttpApp, createLogger, createMemoryAttempts } from '@waymark/service-kit';
import { readUserAgent } from '@waymark/user-agents';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { ClickLimits } from '../src/click-limits/click-limits.ts';
import type { Click } from '../src/clicks/click.ts';
import type { RedirectDocument } from '../src/database/documents/redirect.ts';
import { readBrands } from '../src/pages/brands.ts';
import { VisitorPages } from '../src/pages/visitor-pages.ts';
import { verifyVisitorPassword } from '../src/passwords/passwords.ts';
import { LinkCache } from '../src/redirects/link-cache.ts';
import { PasswordTries } from '../src/redirects/password-tries.ts';
import { redirectFastPath } from '../src/redirects/redirect-fast-path.ts';
import { redirectRoutes } from '../src/redirects/redirects.routes.ts';
import type { PublicTexts } from '../src/redirects/redirects.store.ts';
import { redirectId } from '../src/slugs/redirect-id.ts';
import type { Visitor } from '../src/visitors/visitors.ts';
import { cheapHash } from './support/passwords.ts';
import { randomRuns } from './support/random-runs.ts';

// docs/api.md, Redirects: what visitors get. The authoritative tests of redirects, over HTTP with links in memory.
// redirects-app.test.ts has what needs a database or a second replica, redirect-fast-path.test.ts the second way.

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

const apps: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0',
};

const NO_TEXTS: PublicTexts = {
  title: null,
  social_title: null,
  social_description: null,
  social_image_url: null,
};

/** Starts the redirect routes of links-svc over real HTTP, with links in memory. */
async function start({
  trustProxy = [] as string[],
  triesPerMinute = 10,
  verifyPassword = verifyVisitorPassword,
} = {}) {
  const links = new Map<string, RedirectDocument>();
  const texts = new Map<string, PublicTexts>();
  const clicks: Click[] = [];
  const state = {
    failure: null as Error | null,
    append: async (_click: Click): Promise<unknown> => true,
    now: Date.now(),
    take: async (_id: string, _count: number): Promise<number | null> => null,
    /** The limits of which nothing is left. */
    expired: [] as string[],
    factsOf: ({ address }: Visitor) => ({ country: '', visitor: address }),
  };
  const cache = new LinkCache({
    changes: { trueUntil: (readAt) => readAt, isStale: () => false },
    findRedirects: async () => {
      if (state.failure) throw state.failure;
      return new Map(links);
    },
  });
  const deps = {
    hosts: { of: () => null, isOfAccount: () => false },
    now: () => state.now,
    links: cache,
    clicks: {
      append: async (click: Click) => {
        await state.append(click);
        clicks.push(click);
      },
    },
    visitors: { factsOf: (visitor: Visitor) => state.factsOf(visitor) },
  };
  const app = createHttpApp({
    logger: createLogger({ service: 'links-svc', level: 'silent' }),
    trustProxy,
    intercept: redirectFastPath(deps, () => app),
  });
  await app.register(identityPlugin, { verifier: createVerifier({ current: 'k'.repeat(32) }) });
  await app.register(async (scope) =>
    redirectRoutes(scope, {
      ...deps,
      pages: new VisitorPages(readBrands({})),
      verifyPassword,
      limits: new ClickLimits({
        store: {
          take: async (_id, count) => {
            const left = await state.take(_id, count);
            return left === null ? null : { _id, account_id: 'account', link_id: 'link', left };
          },
        },
        expire: async ({ _id }) => void state.expired.push(_id),
      }),
      passwordTries: new PasswordTries(triesPerMinute, createMemoryAttempts()),
      findTexts: async ({ id }) => texts.get(id) ?? NO_TEXTS,
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  apps.push(app);
  const { port } = app.server.address() as AddressInfo;
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const req = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false }, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text }));
      });
      req.on('error', reject);
      req.end(body);
    });
  const add = (slug: string, link: Partial<RedirectDocument> = {}) => {
    const destination_url = 'https://example.com/page';
    const _id = redirectId(null, slug);
    const base = {
      _id,
      link_id: `id-${slug}`,
      account_id: 'account',
      visibility: 'public',
      password_hash: null,
    } as const;
    const fields = { expires_at: null, expired_url: null, redirect_code: 302 as const, rules: [] };
    links.set(_id, { ...base, ...fields, destination_url, ...link });
    cache.invalidate(_id);
  };
  const get = (path: string, headers: Record<string, string> = {}) => send('GET', path, headers);
  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams(form).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) };
    return send('POST', path, { ...type, ...headers }, body);
  };
  return { links, texts, clicks, state, cache, send, get, post, add };
}

function protectedLink(password = 'open sesame') {
  return { visibility: 'password-protected', password_hash: cheapHash(password) } as const;
}

describe('"public, unlisted: 302 to the destination"', () => {
  test('the response is 302 with the destination, "Cache-Control: no-store" and no body', async () => {
    const { add, get, clicks } = await start();
    add('sale', { destination_url: 'https://example.com/a?b=c#d' });
    const answer = await get('/sale', BROWSER);
    expect(answer.status).toBe(302);
    expect(answer.headers).toMatchObject({ location: 'https://example.com/a?b=c#d', 'cache-control': 'no-store' });
    expect(answer.headers).not.toHaveProperty('x-robots-tag');
    expect(answer.headers['x-request-id']).toBeTruthy();
    expect(answer.body).toBe('');
    expect(clicks).toMatchObject([
      { linkId: 'id-sale', accountId: 'account', userAgent: 'Mozilla/5.0', prefetch: false },
    ]);
  });

  test.each([
    [301, 'private, max-age=90'],
    [302, 'no-store'],
    [307, 'no-store'],
    [308, 'private, max-age=90'],
  ] as const)('a link with the redirect_code %i has it, with "Cache-Control: %s"', async (redirect_code, kept) => {
    const { add, send, clicks } = await start();
    add('sale', { redirect_code });
    for (const method of ['GET', 'HEAD']) {
      // The second one finds the link in the cache.
      for (const path of ['/sale', '/sale?a=1']) {
        const answer = await send(method, path, BROWSER);
        expect([answer.status, answer.headers['cache-control']]).toEqual([redirect_code, kept]);
        expect(answer.headers.location).toBe(`https://example.com/page${path.slice(5)}`);
      }
    }
    expect(clicks).toHaveLength(4);
  });

  test('a right password is 303 and is not kept, whatever the redirect_code', async () => {
    const { add, post } = await start();
    add('vault', { ...protectedLink(), redirect_code: 301 });
    const answer = await post('/vault', { password: 'open sesame' });
    expect([answer.status, answer.headers['cache-control']]).toEqual([303, 'no-store']);
  });

  test('a redirect that was stored before redirect_code existed is 302', async () => {
    const { add, get } = await start();
    add('sale', { redirect_code: undefined as never });
    expect((await get('/sale', BROWSER)).status).toBe(302);
  });

  test('"`unlisted` also sends `X-Robots-Tag: noindex`"', async () => {
    const { add, get } = await start();
    add('quiet', { visibility: 'unlisted' });
    const answer = await get('/quiet');
    expect(answer.status).toBe(302);
    expect(answer.headers['x-robots-tag']).toBe('noindex');
  });

  test('a slug is found in any case, and percent-encoded', async () => {
    const { add, get } = await start();
    add('SuMMer-Sale_1');
    for (const path of ['/summer-sale_1', '/SUMMER-SALE_1', '/%53ummer%2DSale_1'])
      expect((await get(path)).status).toBe(302);
  });

  test('"Query parameters on the short URL are added to the destination’s (the destination’s own win)"', async () => {
    const { add, get, clicks } = await start();
    add('q', { destination_url: 'https://example.com/?a=1&b=2#top' });
    const answer = await get('/q?b=9&utm_source=News&c=3&c=4&%C3%A9=%20');
    expect(answer.headers.location).toBe('https://example.com/?a=1&b=2&utm_source=News&c=3&c=4&%C3%A9=%20#top');
    expect(clicks[0]).toMatchObject({ utmSource: 'News' });
  });

  test('the source of a click is "`utm_source` of the short URL, else of the destination", by any path to it', async () => {
    const { add, get, send, post, clicks } = await start();
    const shop = { destination_url: 'https://example.com/?utm_source=Shop&utm_medium=cpc#top' };
    add('open', shop);
    add('vault', { ...shop, ...protectedLink() });
    const right = { password: 'open sesame' };
    for (const [query, utmSource] of [
      ['', 'Shop'],
      ['?a=1', 'Shop'],
      ['?utm_source=', 'Shop'],
      ['?utm_source=Mail', 'Mail'],
    ]) {
      clicks.length = 0;
      const answers = [
        await get(`/open${query}`),
        await get(`/open${query}`),
        await get(`/%6fpen${query}`),
        await send('HEAD', `/open${query}`),
        await post(`/vault${query}`, right),
      ];
      // The destination's own parameter wins there.
      for (const { headers } of answers)
        expect(headers.location).toMatch(/[?]utm_source=Shop&utm_medium=cpc(?:&a=1)?#top$/);
      expect(clicks.map((click) => click.utmSource)).toEqual(answers.map(() => utmSource));
      expect(clicks.map((click) => click.utmMedium)).toEqual(answers.map(() => 'cpc'));
    }
  });

  test('the source of a click changes with the destination, and `expired_url` is no destination of a click', async () => {
    const { add, get, clicks } = await start();
    const expired_url = 'https://example.com/?utm_source=late';
    for (const utmSource of ['one', 'two', '']) {
      add('sale', { destination_url: `https://example.com/?utm_source=${utmSource}`, expired_url });
      await get('/sale');
      await get('/sale');
    }
    expect(clicks.map(({ utmSource }) => utmSource)).toEqual(['one', 'one', 'two', 'two', '', '']);
    add('sale', { destination_url: 'https://example.com/', expired_url, expires_at: new Date(0) });
    expect((await get('/sale')).headers.location).toBe(expired_url);
    expect(clicks).toHaveLength(6);
  });

  test('a query of more than 2,048 characters is not added, by any path to the destination; its source counts', async () => {
    const { add, get, send, post, clicks } = await start();
    const destination_url = 'https://example.com/?a=1#top';
    add('open', { destination_url });
    add('vault', { destination_url, ...protectedLink() });
    const right = { password: 'open sesame' };
    for (const filler of ['x', '%', '&', '%a&b='])
      for (const [length, location] of [
        [2_048, expect.stringMatching(/^https:\/\/example\.com\/\?a=1&utm_source=News&.+#top$/)],
        [2_049, destination_url],
        [15_000, destination_url],
      ] as const) {
        const query = 'utm_source=News&b='.padEnd(length, filler);
        clicks.length = 0;
        const answers = [
          await get(`/open?${query}`),
          await get(`/open?${query}`),
          await get(`/%6fpen?${query}`),
          await send('HEAD', `/open?${query}`),
          await post(`/vault?${query}`, right),
        ];
        expect(answers.map(({ status }) => status)).toEqual([302, 302, 302, 302, 303]);
        for (const { headers } of answers) expect(headers.location).toEqual(location);
        expect(clicks.map(({ utmSource }) => utmSource)).toEqual(answers.map(() => 'News'));
      }
  });

  test('"The destination is sent as a valid header whatever its characters"', async () => {
    const { add, get } = await start();
    add('ru', { destination_url: 'https://пример.рф/путь?к="<>\u2028#\u{1f600}' });
    const { headers } = await get('/ru?x="<');
    expect(headers.location).toMatch(/^[\x21-\x7e]+$/);
    expect(new URL(headers.location!).host).toBe('xn--e1afmkfd.xn--p1ai');
  });

  test('HEAD gets the redirect, and its click has the reason not to count', async () => {
    const { add, send, clicks } = await start();
    add('a');
    const answer = await send('HEAD', '/a');
    expect(answer).toMatchObject({ status: 302, headers: { location: 'https://example.com/page' }, body: '' });
    expect(clicks).toMatchObject([{ prefetch: true }]);
  });

  test('the redirect is sent only after the click is in a file', async () => {
    const { add, get, state } = await start();
    add('a');
    const written = Promise.withResolvers<void>();
    state.append = () => written.promise;
    let answered = false;
    const answer = get('/a').then((value) => {
      answered = true;
      return value;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).toBe(false);
    written.resolve();
    expect((await answer).status).toBe(302);
  });

  test('a click that the spool cannot store does not prevent the redirect', async () => {
    const { add, get, state } = await start();
    add('a');
    state.append = async () => false;
    expect((await get('/a')).status).toBe(302);
  });

  test('"a method that the path does not have" is 404', async () => {
    const { add, send, post, clicks } = await start();
    add('a');
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) expect((await send(method, '/a')).status).toBe(404);
    expect((await post('/a', { password: 'x' })).status).toBe(404);
    expect(clicks).toEqual([]);
  });
});

describe('link previews get a card where one of the social texts is set, else their redirect', () => {
  const TEXTS: PublicTexts = {
    title: 'Title',
    social_title: 'Half "off" & <more>',
    social_description: 'Until Sunday',
    social_image_url: 'https://example.com/ä.png',
  };
  const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

  test.each<[name: string, verdict: string | null, userAgent: string]>([
    ['Slack', 'preview', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
    ['Slack, images', 'preview', 'Slack-ImgProxy (+https://api.slack.com/robots)'],
    ['Slackbot', 'preview', 'Slackbot 1.0 (+https://api.slack.com/robots)'],
    ['WhatsApp', 'preview', 'WhatsApp/2.23.20.0'],
    ['WhatsApp on iOS', 'preview', 'WhatsApp/2.24.10.75 i'],
    [
      'iMessage',
      'preview',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
    ],
    [
      'Teams',
      'preview',
      'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
    ],
    ['Teams, new', 'preview', 'Mozilla/5.0 (compatible; Microsoft-Teams-Preview/1.0)'],
    ['Discord', 'preview', 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)'],
    ['X', 'preview', 'Twitterbot/1.0'],
    ['LinkedIn', 'preview', 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)'],
    ['Mastodon', 'preview', 'Mastodon/4.3.0 (http.rb/5.2.0; +https://mastodon.social/)'],
    ['Telegram', 'preview', 'TelegramBot (like TwitterBot)'],
    ['Facebook', 'preview', 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'],
    ['Facebook, catalog', 'preview', 'facebookcatalog/1.0'],
    ['Pinterest', 'preview', 'Mozilla/5.0 (compatible; Pinterestbot/1.0; +https://www.pinterest.com/bot.html)'],
    ['Bluesky', 'preview', 'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)'],
    ['Reddit', 'preview', 'Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)'],
    ['Viber', 'preview', 'Viber/22.0.0'],
    ['VK', 'preview', 'Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)'],
    ['Embedly', 'preview', 'Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)'],
    ['Iframely', 'preview', 'Iframely/1.3.1 (+https://iframely.com/docs/about)'],
    [
      'Google Chat',
      'preview',
      `Mozilla/5.0 (X11; Linux x86_64) ${CHROME} (compatible; Google-PageRenderer Google (+https://developers.google.com/+/web/snippet/))`,
    ],
    ['LINE', 'preview', 'facebookexternalhit/1.1;line-poker/1.0'],
    ['Snapchat', 'preview', `Mozilla/5.0 (X11; Linux x86_64) ${CHROME} Snap URL Preview Service`],
    ['Zoom', 'preview', 'Mozilla/5.0 (compatible; Zoom.us LinkPreview)'],
    ['Signal', 'preview', 'Signal/7.0 WhatsApp'],
    ['Matrix', 'preview', 'Synapse (bot; +https://github.com/matrix-org/synapse)'],
    ['Matrix, media', 'preview', 'matrix-media-repo/1.3'],
    ['Nextcloud', 'preview', 'Mozilla/5.0 (X11; Linux x86_64; rv:1.0) Nextcloud Server Crawler'],
    ['Googlebot', 'bot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
    ['Bingbot', 'bot', 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'],
    ['Applebot', 'bot', 'Mozilla/5.0 (compatible; Applebot/0.1; +http://www.apple.com/go/applebot)'],
    ['GPTBot', 'bot', 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'],
    ['our own checks', 'bot', 'Waymark/1.0 (link health bot)'],
    ['curl', 'library', 'curl/8.5.0'],
    ['Python', 'library', 'python-requests/2.32.0'],
    ['nobody', 'empty_user_agent', ''],
    ['Chrome', null, `Mozilla/5.0 (X11; Linux x86_64) ${CHROME}`],
    [
      'the browser in the app of Facebook',
      null,
      `Mozilla/5.0 (Linux; Android 14; SM-A546B; wv) ${CHROME} Mobile [FB_IAB/FB4A;FBAV/518.0;FBDV/SM-A546B;]`,
    ],
    ['the browser in WhatsApp', null, `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${CHROME} Mobile WhatsApp/2.24`],
  ])('%s is %s', async (_name, verdict, userAgent) => {
    const { add, texts, get, send, clicks } = await start();
    add('card', { has_card: true });
    add('plain');
    texts.set('id-card', TEXTS);
    expect(readUserAgent(userAgent).notCounted).toBe(verdict);
    const headers = userAgent === '' ? {} : { 'user-agent': userAgent };
    // Also by the fast path, which needs a cached link.
    for (const method of ['GET', 'GET', 'HEAD'])
      for (const slug of ['card', 'plain']) {
        const answer = await send(method, `/${slug}?a=1`, headers);
        const isCard = slug === 'card' && verdict === 'preview';
        expect([answer.status, answer.headers.location]).toEqual(
          isCard ? [200, undefined] : [302, 'https://example.com/page?a=1'],
        );
      }
    // Each is stored, and classified later.
    expect(clicks.map((click) => click.userAgent)).toEqual(Array(6).fill(userAgent));
    expect((await get('/card', { ...headers, 'x-purpose': 'preview' })).status).toBe(verdict === 'preview' ? 200 : 302);
  });

  const slack = { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' };

  test('the card has the texts, escaped, and no other destination than the visitor would get', async () => {
    const { add, texts, get } = await start();
    add('card', { has_card: true, destination_url: 'https://example.com/?a="b' });
    texts.set('id-card', TEXTS);
    const { headers, body } = await get('/card?c=<d>', slack);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect(headers).not.toHaveProperty('x-robots-tag');
    for (const tag of [
      '<title>Half &quot;off&quot; &amp; &lt;more></title>',
      '<meta property="og:title" content="Half &quot;off&quot; &amp; &lt;more>">',
      '<meta property="og:description" content="Until Sunday">',
      '<meta property="og:image" content="https://example.com/%C3%A4.png">',
      '<meta name="twitter:card" content="summary_large_image">',
      '<a href="https://example.com/?a=%22b&amp;c=%3Cd%3E">',
    ])
      expect(body).toContain(tag);
    expect(body).not.toMatch(/<script|refresh/i);
    add('card', { has_card: true, visibility: 'unlisted' });
    expect((await get('/card', slack)).headers['x-robots-tag']).toBe('noindex');
  });

  test('what is not set is left to the title of the link, or is not there', async () => {
    const { add, texts, get } = await start();
    add('card', { has_card: true });
    texts.set('id-card', { ...TEXTS, social_title: null, social_image_url: null });
    const { body } = await get('/card', slack);
    expect(body).toContain('<meta property="og:title" content="Title">');
    expect(body).toContain('<meta name="twitter:card" content="summary">');
    expect(body).not.toContain('og:image');
  });

  test('the card of a link with max_clicks does not tell the destination', async () => {
    const { add, texts, get } = await start();
    add('card', { has_card: true, limit_id: 'l' });
    texts.set('id-card', TEXTS);
    const { status, body } = await get('/card', slack);
    expect(status).toBe(200);
    expect(body).toContain('<a href="/card">');
    expect(body).not.toContain('example.com/page');
  });

  test('private, protected and expired links have none', async () => {
    const { add, get } = await start();
    add('hidden', { has_card: true, visibility: 'private' });
    add('vault', { has_card: true, ...protectedLink() });
    add('over', { has_card: true, expires_at: new Date(0) });
    for (const [path, status] of [
      ['/hidden', 404],
      ['/vault', 200],
      ['/over', 410],
    ] as const) {
      const answer = await get(path, slack);
      expect([answer.status, answer.body.includes('og:')]).toEqual([status, false]);
    }
  });
});

describe('"`GET /{slug}+` shows where a public or unlisted link leads, without a click"', () => {
  test('the page has the title, the destination of this visitor and a button', async () => {
    const { add, texts, get, send, clicks } = await start();
    add('Sale', { destination_url: 'https://example.com/?a="<i>&ä', visibility: 'unlisted' });
    texts.set('id-Sale', { ...NO_TEXTS, title: '<b>Half & "off"' });
    for (const path of ['/Sale+', '/sale%2B', '/SALE%2b']) {
      const { status, headers, body } = await get(path, BROWSER);
      expect([status, headers['content-type'], headers['cache-control'], headers['x-robots-tag']]).toEqual([
        ...[200, 'text/html; charset=utf-8', 'no-store', 'noindex'],
      ]);
      expect(body).toContain('<h1 dir="auto">&lt;b>Half &amp; &quot;off&quot;</h1>');
      expect(body).toContain('https://example.com/?a=%22%3Ci%3E&amp;%C3%A4<');
      expect(body).toMatch(/<a class="button" href="\/sale" rel="noreferrer">/i);
      expect(body).not.toContain('<script');
      expect((await send('HEAD', path)).status).toBe(200);
    }
    expect(clicks).toEqual([]);
  });

  test('parameters are added to the destination, and the button keeps them', async () => {
    const { add, get } = await start();
    add('q', { destination_url: 'https://example.com/?a=1' });
    const { body } = await get('/q+?a=2&b="><i>');
    expect(body).toContain('https://example.com/?a=1&amp;b=%22%3E%3Ci%3E<');
    expect(body).toContain('href="/q?a=2&amp;b=&quot;>&lt;i>"');
  });

  test('every other link is 404 in the words of an unknown one, also once it has expired', async () => {
    const { add, send } = await start();
    add('vault', protectedLink());
    add('hidden', { visibility: 'private' });
    add('over', { expires_at: new Date(0), expired_url: 'https://example.com/over' });
    add('open');
    for (const headers of [BROWSER, {}])
      for (const method of ['GET', 'HEAD', 'POST']) {
        const unknown = await send(method, '/nothing', headers);
        for (const path of ['/vault+', '/hidden+', '/over+', '/nothing+', '/+', '/open++', '/open+x', '/o+en']) {
          const { status, body } = await send(method, path, headers);
          expect([path, status, body]).toEqual([path, 404, unknown.body]);
        }
      }
    expect((await send('POST', '/open+', BROWSER)).status).toBe(404);
  });
});

describe('"private, deleted, unknown: 404 … the three cannot be told apart"', () => {
  const strip = ({ status, headers, body }: Answer) => {
    const { date, 'x-request-id': id, ...rest } = headers;
    return { status, headers: rest, names: Object.keys(headers), body };
  };

  test.each([
    ['a browser', BROWSER],
    ['anyone else', {}],
    ['a client of JSON', { accept: 'application/json' }],
  ])('the responses are identical with their headers for %s', async (_name, headers) => {
    const { add, links, cache, get, post, send } = await start();
    add('secret', { visibility: 'private', destination_url: 'https://secret.example/' });
    add('gone');
    expect((await get('/gone')).status).toBe(302);
    links.delete('/gone');
    cache.invalidate('/gone');
    for (const ask of [
      (slug: string) => get(`/${slug}`, headers),
      (slug: string) => get(`/${slug}?a=1`, headers),
      (slug: string) => send('HEAD', `/${slug}`, headers),
      (slug: string) => post(`/${slug}`, { password: 'x' }, headers),
    ]) {
      const answers = [];
      for (const slug of ['secret', 'gone', 'nothing']) answers.push(strip(await ask(slug)), strip(await ask(slug)));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]!.status).toBe(404);
      expect(JSON.stringify(answers[0])).not.toMatch(/secret|gone|nothing/);
    }
  });

  test('"a small page for a browser, {"error":…} for others"', async () => {
    const { get } = await start();
    const page = await get('/nothing', BROWSER);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.body).toMatch(/^<!doctype html>/);
    expect(page.headers['cache-control']).toBe('no-store');
    const json = await get('/nothing');
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(json.body)).toEqual({ error: 'Link not found.' });
    for (const { headers } of [page, json]) expect(headers.vary).toBe('Accept, Accept-Language');
  });

  test.each([
    ...['/-x', '/_x', `/${'x'.repeat(65)}`, '/a.b', '/%F0%9F%98%80', '/%00', '/a%2Fb', '/..%2f', '/__proto__'],
    ...['/%E2%84%AA', '/ſale'.replace('ſ', '%C5%BF')],
  ])('%s is not a valid slug and not looked up', async (path) => {
    const { get, state } = await start();
    state.failure = new Error('the database was queried');
    expect((await get(path)).status).toBe(404);
  });

  test('a broken percent-encoding gives 404', async () => {
    const { get } = await start();
    expect((await get('/%zz')).status).toBe(404);
  });
});

describe('"password-protected: 200, an HTML page that asks for the password"', () => {
  const secrets = { destination_url: 'https://hidden.example/private-path' };

  test('the page has no destination, title or owner for any client, and is not a click', async () => {
    const { add, get, send, clicks } = await start();
    add('vault', { ...secrets, ...protectedLink() });
    for (const headers of [BROWSER, {}, { accept: 'application/json' }]) {
      const answer = await get('/vault?utm_source=x', headers);
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
      });
      expect(answer.headers).not.toHaveProperty('location');
      expect(answer.body).not.toMatch(/hidden|private-path|account|vault|id-/);
    }
    expect(await send('HEAD', '/vault')).toMatchObject({ status: 200, body: '' });
    expect(clicks).toEqual([]);
  });

  test('the page works without scripts and external resources, and its policy forbids them', async () => {
    const { add, get } = await start();
    add('vault', protectedLink());
    const { body, headers } = await get('/vault', BROWSER);
    expect(body).toMatch(/<label for="password">/);
    expect(body).toMatch(/<form method="post">/);
    expect(body).toMatch(/<html lang="en">/);
    expect(body).toMatch(/<meta name="viewport"/);
    expect(body).not.toMatch(/<script|src=|href=|url\(|@import|http:|https:/);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
    // Browsers apply form-action to the redirect after the form too, and that can lead anywhere.
    expect(headers['content-security-policy']).not.toContain('form-action');
  });

  test('"a POST with the right one is 303 to the destination and counts as the click"', async () => {
    const { add, post, clicks } = await start();
    add('vault', { ...secrets, ...protectedLink('öffne & dich=') });
    const answer = await post('/vault?a=1&utm_source=x', { password: 'öffne & dich=' }, BROWSER);
    expect(answer).toMatchObject({
      status: 303,
      headers: { location: 'https://hidden.example/private-path?a=1&utm_source=x', 'cache-control': 'no-store' },
    });
    expect(clicks).toMatchObject([{ linkId: 'id-vault', utmSource: 'x', prefetch: false, userAgent: 'Mozilla/5.0' }]);
  });

  test('a wrong password gives 403 and the page, whose error is linked to the field', async () => {
    const { add, post, send, clicks } = await start();
    add('vault', { ...secrets, ...protectedLink() });
    for (const answer of [
      await post('/vault', { password: 'wrong' }, BROWSER),
      await post('/vault', { password: '' }),
      await post('/vault', { passwort: 'open sesame' }),
      await post('/vault', { password: 'x'.repeat(60_000) }),
      await send('POST', '/vault'),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.body).toMatch(/aria-invalid="true" aria-describedby="error"/);
      expect(answer.body).toMatch(/<p id="error" role="alert">/);
      expect(answer.body).not.toMatch(/hidden|wrong"/);
    }
    expect(clicks).toEqual([]);
  });

  test('"at most PASSWORD_TRIES_PER_MINUTE wrong tries for each link and address, then 429", also concurrently', async () => {
    const { add, post } = await start({ triesPerMinute: 3, trustProxy: ['127.0.0.1'] });
    add('vault', protectedLink());
    add('other', protectedLink());
    const tries = await Promise.all(Array.from({ length: 8 }, () => post('/vault', { password: 'wrong' }, BROWSER)));
    const statuses = tries.map(({ status }) => status).sort();
    expect(statuses).toEqual([403, 403, 403, 429, 429, 429, 429, 429]);
    const blocked = tries.find(({ status }) => status === 429)!;
    expect(Number(blocked.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(blocked.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(blocked.body).toMatch(/Too many wrong passwords/);
    const json = await post('/vault', { password: 'open sesame' });
    expect([json.status, Object.keys(JSON.parse(json.body))]).toEqual([429, ['error']]);
    expect(json.headers['retry-after']).toBeTruthy();
    expect((await post('/other', { password: 'open sesame' })).status).toBe(303);
    expect((await post('/vault', { password: 'open sesame' }, { 'x-forwarded-for': '192.0.2.9' })).status).toBe(303);
  });

  describe('"Right ones are never 429 while the address has wrong tries left, however many come at once"', () => {
    const vault = () => protectedLink('sesame');
    const statusesOf = async (answers: Promise<Answer>[]) => (await Promise.all(answers)).map(({ status }) => status);

    test.each([0, 2])('3 tries, %i of them used', async (used) => {
      const { add, post } = await start({ triesPerMinute: 3 });
      add('vault', vault());
      for (let n = 0; n < used; n += 1) expect((await post('/vault', { password: 'wrong' })).status).toBe(403);
      const right = Array.from({ length: 30 }, () => post('/vault', { password: 'sesame' }));
      expect(await statusesOf(right)).toEqual(Array(30).fill(303));
    });

    test('wrong tries among them do not exceed the limit', async () => {
      const { add, post } = await start({ triesPerMinute: 3 });
      add('vault', vault());
      const passwords = Array.from({ length: 30 }, (_, n) => (n % 10 === 5 ? 'wrong' : 'sesame'));
      const statuses = await statusesOf(passwords.map((password) => post('/vault', { password })));
      expect(statuses.filter((status) => status === 403)).toHaveLength(3);
      // Counts the right ones before the last wrong one. Concurrent requests have no fixed order, so the number varies.
      expect(statuses.filter((status) => status === 303).length).toBeGreaterThan(3);
      expect(new Set(statuses)).not.toContain(503);
      expect((await post('/vault', { password: 'sesame' })).status).toBe(429);
    });
  });

  describe('"nobody’s tries keep others’ right passwords from being served": 135 links, passwords in a loop', () => {
    const link = () => protectedLink('sesame');
    test.each<[string, (n: number) => { account_id: string; address: string }]>([
      ['from one address, of many accounts', (n) => ({ account_id: `account-${n}`, address: '192.0.2.1' })],
      ['from many addresses, of one account', (n) => ({ account_id: 'flood', address: `198.51.100.${n}` })],
      ['from one address, of the same account', () => ({ account_id: 'account-0', address: '192.0.2.1' })],
    ])('%s', async (_name, flooderOf) => {
      const { add, post } = await start({ trustProxy: ['127.0.0.1'], triesPerMinute: 0 });
      for (let n = 0; n < 10; n += 1) add(`quiet-${n}`, { ...link(), account_id: 'account-0' });
      let isOver = false;
      const flooded: number[] = [];
      const flooders = Array.from({ length: 135 }, async (_, n) => {
        const { account_id, address } = flooderOf(n);
        add(`flood-${n}`, { ...link(), account_id });
        while (!isOver)
          flooded.push((await post(`/flood-${n}`, { password: 'wrong' }, { 'x-forwarded-for': address })).status);
      });
      // Some are refused: as many wait as may wait.
      while (!flooded.includes(503)) await new Promise((resolve) => setTimeout(resolve, 10));
      const quiet: number[] = [];
      for (let n = 0; n < 10; n += 1)
        quiet.push((await post(`/quiet-${n}`, { password: 'sesame' }, { 'x-forwarded-for': '203.0.113.9' })).status);
      isOver = true;
      await Promise.all(flooders);
      expect(quiet).toEqual(Array(10).fill(303));
      // The flooding users may be refused. If none was refused, the test did not flood.
      expect(new Set(flooded)).toEqual(new Set([403, 503]));
    });
  });

  test.each([
    ['192.0.2.1 with ports', (n: number) => `192.0.2.1:${40_000 + n}`],
    ['192.0.2.1 with ports, mapped to IPv6', (n: number) => `[::ffff:192.0.2.1]:${40_000 + n}`],
    ['192.0.2.1, through a proxy with ports', (n: number) => `192.0.2.1, 127.0.0.1:${40_000 + n}`],
    ['an IPv6 address with ports', (n: number) => `[2001:db8:2:1::1]:${40_000 + n}`],
    ['what is no address', (n: number) => `unknown-${n}`],
  ])('"for each link and address", however a proxy writes it: %s', async (_name, addressOf) => {
    const { add, post } = await start({ triesPerMinute: 3, trustProxy: ['127.0.0.1'] });
    add('vault', protectedLink());
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1)
      statuses.push((await post('/vault', { password: 'wrong' }, { 'x-forwarded-for': addressOf(n) })).status);
    expect(statuses).toEqual([403, 403, 403, 429, 429]);
    const other = { 'x-forwarded-for': '192.0.2.2:40000' };
    expect((await post('/vault', { password: 'open sesame' }, other)).status).toBe(303);
  });

  test('"the address … comes from X-Forwarded-For only as far as TRUST_PROXY says"', async () => {
    const { add, post } = await start({ triesPerMinute: 1 });
    add('vault', protectedLink());
    expect((await post('/vault', { password: 'wrong' }, { 'x-forwarded-for': '192.0.2.1' })).status).toBe(403);
    expect((await post('/vault', { password: 'wrong' }, { 'x-forwarded-for': '192.0.2.2' })).status).toBe(429);
  });

  test('the number of right passwords is not limited', async () => {
    const { add, post } = await start({ triesPerMinute: 1 });
    add('vault', protectedLink());
    for (let i = 0; i < 3; i += 1) expect((await post('/vault', { password: 'open sesame' })).status).toBe(303);
  });

  test.each(['application/json', 'multipart/form-data; boundary=x', 'text/plain'])(
    'a body of the type %s gives 422',
    async (type) => {
      const { add, send } = await start();
      add('vault', protectedLink());
      const answer = await send('POST', '/vault', { 'content-type': type, 'content-length': '2' }, '{}');
      expect([answer.status, Object.keys(JSON.parse(answer.body))]).toEqual([422, ['error']]);
    },
  );

  test.each([
    ['JSON', 'application/json', '{"grant_type":"client_credentials"}'],
    ['malformed JSON', 'application/json', '{'],
    ['JSON-RPC', 'application/json; charset=utf-8', '{"jsonrpc":"2.0","id":1,"method":"initialize"}'],
    ['multipart', 'multipart/form-data; boundary=x', '--x--'],
    ['text', 'text/plain', 'hi'],
    ['a malformed type', 'json', '{}'],
    ['a form', 'application/x-www-form-urlencoded', 'grant_type=client_credentials'],
    ['a form over 64 KiB', 'application/x-www-form-urlencoded', `password=${'x'.repeat(65_600)}`],
  ])(
    'a POST of %s is 404 on any path that takes no password, and 410 on an expired link',
    async (_what, type, body) => {
      const { add, send, state } = await start();
      state.now = Date.parse('2027-01-31T12:00:00.000Z');
      add('sale');
      add('hidden', { ...protectedLink(), visibility: 'private', password_hash: null });
      add('over', { ...protectedLink(), expires_at: new Date(state.now) });
      const headers = { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) };
      for (const path of ['/nothing', '/sale', '/hidden', '/token', '/authorize', '/sse', '/healthz', '/a.b', '/_x']) {
        const answer = await send('POST', path, headers, body);
        expect([answer.status, answer.body], path).toEqual([404, JSON.stringify({ error: LINK_NOT_FOUND_MESSAGE })]);
      }
      expect((await send('POST', '/over', headers, body)).status).toBe(410);
    },
  );

  test('a try that is refused because too many wait gets its 503 late, so that a loop of tries delays others little', async () => {
    const { add, post } = await start({ verifyPassword: () => Promise.reject(new AppError('unavailable', 'Busy.')) });
    add('vault', protectedLink('sesame'));
    const begunAt = performance.now();
    expect((await post('/vault', { password: 'sesame' })).status).toBe(503);
    expect(performance.now() - begunAt).toBeGreaterThan(900);
  });

  test('a form over 64 KiB gives 413', async () => {
    const { add, post } = await start();
    add('vault', protectedLink());
    expect((await post('/vault', { password: 'x'.repeat(65_600) })).status).toBe(413);
  });
});

describe('docs/api.md, Redirects: expired links', () => {
  const MOMENT = Date.parse('2027-01-31T12:00:00.000Z');
  const expiring = { expires_at: new Date(MOMENT), expired_url: 'https://example.com/over?a=ä' };
  const PASSWORD = { password: 'open sesame' };

  test('a link expires at the moment itself, not a millisecond earlier', async () => {
    const { add, get, state, clicks } = await start();
    add('sale', expiring);
    state.now = MOMENT - 1;
    expect((await get('/sale', BROWSER)).headers.location).toBe('https://example.com/page');
    state.now = MOMENT;
    const answer = await get('/sale?utm_source=mail', BROWSER);
    expect([answer.status, answer.headers.location]).toEqual([302, 'https://example.com/over?a=%C3%A4']);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(clicks).toHaveLength(1);
  });

  test.each(['GET', 'HEAD', 'POST'])('%s of a link without expired_url is 410, and no click', async (method) => {
    const { add, send, state, clicks } = await start();
    state.now = MOMENT;
    add('sale', { expires_at: new Date(MOMENT) });
    const [page, json] = [await send(method, '/sale', BROWSER), await send(method, '/sale')];
    expect([page.status, json.status]).toEqual([410, 410]);
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    if (method !== 'HEAD') {
      expect(page.body).toContain('Link expired');
      expect(page.body).not.toContain('example.com');
      expect(JSON.parse(json.body)).toEqual({ error: 'This link has expired.' });
    }
    expect(clicks).toEqual([]);
  });

  test.each(['GET', 'HEAD', 'POST'])('%s of a link with expired_url is 302 to it, and no click', async (method) => {
    const { add, send, state, clicks } = await start();
    state.now = MOMENT;
    add('sale', expiring);
    const answer = await send(method, '/sale?b=2', BROWSER);
    expect([answer.status, answer.headers.location]).toEqual([302, 'https://example.com/over?a=%C3%A4']);
    expect(clicks).toEqual([]);
  });

  test('an expired link asks for no password, and a private one stays 404', async () => {
    const { add, get, post, state } = await start();
    add('vault', { ...protectedLink(), ...expiring });
    add('hidden', { visibility: 'private', ...expiring });
    state.now = MOMENT - 1;
    expect([(await get('/vault')).status, (await post('/vault', PASSWORD)).status]).toEqual([200, 303]);
    state.now = MOMENT;
    expect([(await get('/vault')).status, (await post('/vault', { password: 'wrong' })).status]).toEqual([302, 302]);
    expect([(await get('/hidden')).status, (await post('/hidden', PASSWORD)).status]).toEqual([404, 404]);
  });

  test('a link that expires while its password is checked has expired', async () => {
    const { add, post, state, clicks } = await start({
      verifyPassword: async () => {
        state.now = MOMENT;
        return true;
      },
    });
    state.now = MOMENT - 1;
    add('vault', { ...protectedLink(), ...expiring });
    expect((await post('/vault', PASSWORD)).status).toBe(302);
    expect(clicks).toEqual([]);
  });
});

// docs/api.md, Rules
describe('"the first rule that fits decides; all conditions of a rule must hold"', () => {
  const IPHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
  const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0';
  const IPAD = IPHONE.replace('(iPhone; CPU iPhone OS', '(iPad; CPU OS');
  const CLIENTS: Record<string, { device: string; os: string; browser: string }> = {
    [IPHONE]: { device: 'mobile', os: 'iOS', browser: 'Safari' },
    [IPAD]: { device: 'tablet', os: 'iOS', browser: 'Safari' },
    [WINDOWS]: { device: 'desktop', os: 'Windows', browser: 'Firefox' },
    'curl/8.0': { device: 'other', os: 'other', browser: 'other' },
    '': { device: 'other', os: 'other', browser: 'other' },
  };
  const NUMBER = '0123456789abcdef';

  test('any visitor goes where a model says, also by the page of the link, and the click has the `utm_…` of that', async () => {
    const { add, get, state, clicks } = await start();
    const some = <Name extends string>(...names: Name[]) =>
      fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 });
    const times = fc.constantFrom(1_000, 2_000, 3_000).map((ms) => new Date(ms).toISOString());
    const rule = fc
      .record(
        {
          device: some('desktop', 'mobile', 'tablet', 'other'),
          os: some('iOS', 'Windows', 'other', 'Android'),
          browser: some('Safari', 'Firefox', 'other'),
          country: some('DE', 'FR', 'unknown'),
          language: fc.constantFrom('de', 'fr'),
          from: times,
          until: times,
          share: fc.constantFrom(0, 100),
        },
        { requiredKeys: [], noNullPrototype: true },
      )
      .filter((conditions) => Object.keys(conditions).length > 0);
    const visitors = fc.record({
      userAgent: fc.constantFrom(...Object.keys(CLIENTS)),
      country: fc.constantFrom('DE', 'FR', ''),
      language: fc.constantFrom('de-AT,fr;q=0.5', 'fr', 'en', ''),
      now: fc.constantFrom(999, 1_000, 1_999, 2_000, 2_999, 3_000),
    });
    type Conditions = Partial<Omit<Rule, 'to'>>;
    const fits = (
      conditions: Conditions,
      visitor: { userAgent: string; country: string; language: string; now: number },
    ) => {
      const client = CLIENTS[visitor.userAgent]!;
      const { device, os, browser, country, language, from, until, share } = conditions;
      return (
        (device === undefined || (device as string[]).includes(client.device)) &&
        (os === undefined || (os as string[]).includes(client.os)) &&
        (browser === undefined || (browser as string[]).includes(client.browser)) &&
        (country === undefined || country.includes(visitor.country || 'unknown')) &&
        (language === undefined || visitor.language.startsWith(language)) &&
        (from === undefined || visitor.now >= Date.parse(from)) &&
        (until === undefined || visitor.now < Date.parse(until)) &&
        share !== 0
      );
    };
    let slugs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(rule, { maxLength: 4 }),
        fc.array(visitors, { minLength: 1, maxLength: 6 }),
        async (rules, some) => {
          const slug = `r${slugs++}`;
          add(slug, {
            destination_url: 'https://example.com/?utm_source=none',
            rules: rules.map((conditions, n) => ({
              to: `https://example.com/${n}?utm_source=s${n}`,
              ...conditions,
            })) as Rule[],
          });
          for (const visitor of some) {
            state.now = visitor.now;
            state.factsOf = () => ({ country: visitor.country, visitor: NUMBER });
            const headers = {
              'user-agent': visitor.userAgent,
              ...(visitor.language !== '' && { 'accept-language': visitor.language }),
            };
            const n = rules.findIndex((conditions) => fits(conditions, visitor));
            const location =
              n === -1 ? 'https://example.com/?utm_source=none' : `https://example.com/${n}?utm_source=s${n}`;
            const answer = await get(`/${slug}`, headers);
            expect([answer.status, answer.headers.location]).toEqual([302, location]);
            expect(clicks.at(-1)).toMatchObject({ utmSource: n === -1 ? 'none' : `s${n}` });
            expect((await get(`/${slug}+`, headers)).body).toContain(location);
          }
        },
      ),
      { numRuns: randomRuns(60) },
    );
  });

  test('`share` is that part of the visitors, always the same ones, whatever other rules have', async () => {
    const { add, get, state } = await start();
    add('split', {
      rules: [
        { to: 'https://example.com/a', share: 30 },
        { to: 'https://example.com/b', share: 50 },
      ],
    });
    const went = new Map<string, number>();
    for (let n = 0; n < 400; n++) {
      state.factsOf = () => ({ country: '', visitor: n.toString(16).padStart(16, '0') });
      const { location } = (await get('/split', BROWSER)).headers;
      expect((await get('/split', BROWSER)).headers.location).toBe(location);
      went.set(location!.slice(-1), (went.get(location!.slice(-1)) ?? 0) + 1);
    }
    // 120, 140 and 140 are expected. The visitors are always these, so that the numbers never change.
    for (const [name, expected] of [
      ['a', 120],
      ['b', 140],
      ['e', 140],
    ] as const)
      expect(Math.abs(went.get(name)! - expected), name).toBeLessThan(24);
  });

  test('a visitor without a number belongs to a share of 100 only', async () => {
    const { add, get, state } = await start();
    state.factsOf = () => ({ country: '', visitor: '' });
    const to = 'https://example.com/a';
    for (const share of [0, 50, 99, 100]) {
      add(`s${share}`, { rules: [{ to, share }] });
      expect((await get(`/s${share}`, BROWSER)).headers.location === to).toBe(share === 100);
    }
  });

  test('the parameters of the short URL are added to `to`, as to any destination', async () => {
    const { add, get } = await start();
    add('sale', { rules: [{ to: 'https://example.com/ä?a=1#f', share: 100 }] });
    expect((await get('/sale?a=2&b=3', BROWSER)).headers.location).toBe('https://example.com/%C3%A4?a=1&b=3#f');
  });

  test.each(['iw', 'he'])('a code that ISO 639 has replaced is its new one: language %s', async (language) => {
    const { add, get } = await start();
    const to = 'https://example.com/a';
    add('sale', { rules: [{ to, language }] });
    for (const sent of ['he-IL', 'iw'])
      expect((await get('/sale', { ...BROWSER, 'accept-language': sent })).headers.location).toBe(to);
  });

  test('a permanent redirect of a link with rules is not kept', async () => {
    const { add, get } = await start();
    add('sale', { redirect_code: 301, rules: [{ to: 'https://example.com/a', country: ['DE'] }] });
    const answer = await get('/sale', BROWSER);
    expect([answer.status, answer.headers['cache-control']]).toEqual([301, 'no-store']);
  });

  test('a right password leads where the rules say', async () => {
    const { add, post } = await start();
    add('vault', { ...protectedLink(), rules: [{ to: 'https://example.com/a', share: 100 }] });
    expect((await post('/vault', { password: 'open sesame' })).headers.location).toBe('https://example.com/a');
  });
});

describe('"`max_clicks`: exactly so many redirects"', () => {
  const PREVIEW = { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' };

  test('what only looks uses none, and gets the page of the link without its destination', async () => {
    const { add, send, post, state, texts, clicks } = await start();
    state.take = () => Promise.reject(new Error('nothing may be taken'));
    add('few', { limit_id: 'l1', visibility: 'unlisted', expired_url: 'https://example.com/over' });
    add('vault', { ...protectedLink(), limit_id: 'l1' });
    texts.set('id-few', { ...NO_TEXTS, title: 'Few' });
    const looks: [string, Record<string, string>][] = [
      ['HEAD', BROWSER],
      ['GET', PREVIEW],
      ['GET', { ...BROWSER, 'sec-purpose': 'prefetch' }],
      ['GET', { ...BROWSER, 'x-moz': 'prefetch' }],
    ];
    for (const [method, headers] of looks) {
      const answer = await send(method, '/few?a=1', headers);
      expect([answer.status, answer.headers.location]).toEqual([200, undefined]);
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
      if (method === 'GET') expect(answer.body).toContain('href="/few?a=1"');
      expect(answer.body).not.toContain('example.com');
    }
    expect((await send('GET', '/few+', BROWSER)).body).not.toContain('example.com');
    const unlocked = await post('/vault', { password: 'open sesame' }, PREVIEW);
    expect([unlocked.status, unlocked.headers.location]).toEqual([200, undefined]);
    expect(clicks).toEqual([]);
  });

  test('those that are granted are redirected and never kept, the others find the link expired', async () => {
    const { add, get, post, state, clicks } = await start();
    let left = 2;
    state.take = async (_id, count) => {
      const before = left;
      left -= count;
      return before;
    };
    add('few', { limit_id: 'l1', redirect_code: 301 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => get('/few', BROWSER)));
    expect(answers.map(({ status }) => status).sort()).toEqual([301, 301, 410, 410, 410]);
    for (const { headers } of answers) expect(headers['cache-control']).toBe('no-store');
    add('few', { limit_id: 'l1', expired_url: 'https://example.com/over' });
    expect((await get('/few', BROWSER)).headers.location).toBe('https://example.com/over');
    left = 1;
    add('vault', { ...protectedLink(), limit_id: 'l2' });
    const unlocked = [
      await post('/vault', { password: 'open sesame' }),
      await post('/vault', { password: 'open sesame' }),
    ];
    expect(unlocked.map(({ status }) => status)).toEqual([303, 410]);
    expect(state.expired).toEqual(['l1', 'l2']);
    expect(clicks).toHaveLength(3);
  });

  test('while the database is away, the link is 503, and one without a limit redirects', async () => {
    const { add, get, state } = await start();
    state.take = () => Promise.reject(new AppError('unavailable', 'down'));
    add('few', { limit_id: 'l1' });
    add('many');
    expect([(await get('/few', BROWSER)).status, (await get('/many', BROWSER)).status]).toEqual([503, 302]);
  });

  test('a limit that was replaced or removed since the link was read is looked up again', async () => {
    const { add, get, state, links, cache } = await start();
    const taken: string[] = [];
    state.take = async (id) => {
      taken.push(id);
      return id === 'new' ? 1 : null;
    };
    add('few', { limit_id: 'old' });
    await cache.find(redirectId(null, 'few'));
    const stored = links.get('/few')!;
    links.set('/few', { ...stored, limit_id: 'new', destination_url: 'https://example.com/new' });
    expect((await get('/few', BROWSER)).headers.location).toBe('https://example.com/new');
    const { limit_id: _removed, ...open } = stored;
    state.take = async () => null;
    links.set('/few', open);
    expect((await get('/few', BROWSER)).headers.location).toBe('https://example.com/page');
    expect(taken).toEqual(['old', 'new']);
  });
});
