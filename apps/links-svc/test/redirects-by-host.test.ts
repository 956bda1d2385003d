// docs/api.md, Redirects: what visitors get on a host. apps/gateway/test/short-hosts.test.ts has the gateway.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clicksFromMessage, type ReportedClick } from '@waymark/proto';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { HostDocument } from '../src/database/documents/host.ts';
import type { PageTexts } from '../src/pages/languages/page-texts.ts';
import { PAGE_LANGUAGES } from '../src/pages/page-language.ts';
import { changeHosts, writeHost } from './support/hosts.ts';
import { Service, type ServiceOptions, type TestAccount } from './support/service.ts';
import { type Visited, visit } from './support/visit.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const GO = 'go.brand.example';
const SHOP = 'shop.other.example';
const IDN = 'xn--bcher-kva.example';
const ROOT = 'https://root.example/';
const MISSING = 'https://missing.example/ä';

let replicas: Service[];
let service: Service;
let account: TestAccount;
let other: TestAccount;
let go: HostDocument;
let slug: string;
let number = 0;
const clicks: ReportedClick[] = [];

beforeAll(async () => {
  const analytics = {
    recordClicks: async ({ clicks: sent }) => {
      clicks.push(...clicksFromMessage(sent!));
      return {};
    },
  } satisfies ServiceOptions['analytics'];
  service = await Service.start({ analytics });
  const { databaseName } = service;
  const refusing = { UNKNOWN_HOSTS: 'refuse' } as const;
  replicas = [
    service,
    await Service.start({ databaseName, brand: await writeBrands() }),
    await Service.start({ databaseName, config: refusing }),
  ];
  [account, other] = [await service.createAccount(), await service.createAccount()];
  go = await writeHost(service, account, GO);
  await writeHost(service, other, GO, { status: 'pending' });
  await writeHost(service, other, SHOP, { root_url: ROOT, not_found_url: MISSING });
  await writeHost(service, account, IDN);
  await writeHost(service, account, 'wait.brand.example', { status: 'pending' });
  await vi.waitFor(
    async () => {
      for (const { origin } of replicas) expect((await visit(origin, SHOP, '/')).status).toBe(302);
    },
    { timeout: 30_000 },
  );
});
beforeEach(() => {
  slug = `Slug${++number}`;
});
afterAll(async () => {
  for (const replica of replicas.toReversed()) await replica.close();
  await rm(brandFolder, { recursive: true });
});

const NAVIGATION = { accept: 'text/html' };
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 1"><script>alert(1)</script><path d="M0 0h4v1H0z"/></svg>';
let brandFolder: string;

/** Writes the operator's brand and that of one host. */
async function writeBrands() {
  brandFolder = await mkdtemp(join(tmpdir(), 'waymark-brand-'));
  const logo = join(brandFolder, 'logo.svg');
  await writeFile(logo, LOGO);
  const png = new PNG({ width: 2, height: 2 });
  await writeFile(join(brandFolder, `${GO}.png`), PNG.sync.write(png));
  const ofHost = { name: 'Go & <b>See</b>', color: '#ffee00', link: 'https://about.brand.example/"x"' };
  await writeFile(join(brandFolder, `${GO}.json`), JSON.stringify(ofHost));
  return {
    BRAND_NAME: 'Example & Söhne',
    BRAND_LOGO: logo,
    BRAND_COLOR: '#00aa77',
    BRAND_TEXT: 'Ask <us> "anything".',
    BRAND_LINK: 'https://example.com/help',
    BRAND_LINK_TEXT: 'Help',
    BRAND_DIR: brandFolder,
  };
}

const leadsTo = ({ status, headers }: Visited) => (status === 302 ? headers.location : status);
/** Returns where a path leads on a host, twice, because the second request is answered from the cache. */
async function leads(host: string, path: string, { origin } = service) {
  const first = leadsTo(await visit(origin, host, path));
  expect(leadsTo(await visit(origin, host, path))).toBe(first);
  return first;
}

test('the same slug leads elsewhere on each host, on all replicas, and each change is seen on all', async () => {
  const owners = [
    { host: null, name: 'go.example', by: account },
    { host: GO, name: GO, by: account },
    { host: SHOP, name: SHOP, by: other },
  ];
  const urlOf = (name: string, version: number) => `https://${name}.test/${version}`;
  const links = [];
  for (const { host, name, by } of owners)
    links.push(await service.createLink(by.live, { host, slug, destination_url: urlOf(name, 0) }));
  for (const replica of replicas)
    for (const { name } of owners) expect(await leads(name, `/${slug}`, replica)).toBe(urlOf(name, 0));
  for (const [at, { name, by }] of owners.entries()) {
    await service.update(by.live, links[at]!.id, { destination_url: urlOf(name, 1) });
    const seen = replicas.map((replica) =>
      vi.waitFor(async () => expect(await leads(name, `/${slug}`, replica)).toBe(urlOf(name, 1)), { timeout: 30_000 }),
    );
    await Promise.all(seen);
    for (const [next, one] of owners.entries())
      if (next > at) expect(await leads(one.name, `/${slug}`)).toBe(urlOf(one.name, 0));
  }
  // A link that moves leaves nothing behind.
  await service.update(account.live, links[1]!.id, { host: null, slug: `${slug}x` });
  await vi.waitFor(
    async () => {
      for (const replica of replicas)
        expect([await leads(GO, `/${slug}`, replica), await leads('go.example', `/${slug}X`, replica)]).toEqual([
          404,
          urlOf(GO, 1),
        ]);
    },
    { timeout: 30_000 },
  );
});

test('a slug is found on its host alone', async () => {
  await service.createLink(account.live, { slug: `${slug}d`, destination_url: 'https://default.example/' });
  await service.createLink(account.live, { slug: `${slug}g`, host: GO, destination_url: 'https://go.test/' });
  expect(await leads('go.example', `/${slug}d`)).toBe('https://default.example/');
  expect(await leads(GO, `/${slug}g`)).toBe('https://go.test/');
  for (const [host, path] of [
    [GO, `/${slug}d`],
    [IDN, `/${slug}g`],
    ['go.example', `/${slug}g`],
    ['wait.brand.example', `/${slug}g`],
    ['127.0.0.1', `/${slug}g`],
  ] as const)
    expect([host, await leads(host, path)]).toEqual([host, 404]);
  for (const path of [`/${go._id}/${slug}g`, `/${go._id}%2F${slug}g`, `/%2F${slug}d`, `//${slug}d`])
    for (const host of [GO, 'go.example']) expect([host, path, await leads(host, path)]).toEqual([host, path, 404]);
});

test('the host is the Host header, in any case, with or without a port and a dot at its end, and nothing else', async () => {
  const urls = { [GO]: 'https://go.test/', [IDN]: 'https://idn.test/', default: 'https://default.test/' };
  for (const [host, destination_url] of Object.entries(urls))
    await service.createLink(account.live, { slug, host: host === 'default' ? null : host, destination_url });
  for (const [header, url] of [
    [GO.toUpperCase(), urls[GO]],
    [`${GO}:8080`, urls[GO]],
    [`${GO}.`, urls[GO]],
    [`${GO}.:443`, urls[GO]],
    [`${GO}:`, urls[GO]],
    ['XN--BCHER-KVA.example', urls[IDN]],
    ['GO.EXAMPLE:80', urls.default],
    [`x.${GO}`, urls.default],
    [`${GO}..`, urls.default],
    [`${GO}:80:80`, urls.default],
    [`${GO}/`, urls.default],
    [`user@${GO}`, urls.default],
    [`${GO},${IDN}`, urls.default],
    ['a'.repeat(300), urls.default],
    [`${'a.'.repeat(150)}example`, urls.default],
    ['[::1]:80', urls.default],
    ['', urls.default],
  ] as const)
    expect([header, await leads(header, `/${slug}`)]).toEqual([header, url]);
  const forged = { 'x-forwarded-host': GO, forwarded: `host=${GO}`, 'x-host': GO, 'x-original-host': GO };
  expect(leadsTo(await visit(service.origin, 'go.example', `/${slug}`, { headers: forged }))).toBe(urls.default);
  const absolute = `http://go.example/${slug}`;
  expect(leadsTo(await visit(service.origin, GO, absolute))).toBe(urls[GO]);
  const port = Number(new URL(service.origin).port);
  expect(await rawStatus(port, `GET /${slug} HTTP/1.1\r\nHost: go.example\r\nHost: ${GO}\r\n\r\n`)).toBe(400);
  expect(await rawStatus(port, `GET /${slug} HTTP/1.1\r\n\r\n`)).toBe(400);
  expect(await rawStatus(port, `GET /${slug} HTTP/1.0\r\n\r\n`)).toBe(302);
});

describe('on a short host', () => {
  test('there is nothing but links, "/" and robots.txt', async () => {
    const headers = { 'x-waymark-identity': 'forged', 'content-type': 'application/json' };
    for (const path of [
      '/api/v1/me',
      '/api/v1/links',
      '/readyz',
      '/healthz',
      '/livez',
      '/metrics',
      '/a/b',
      '/%zz',
      '/',
    ])
      for (const method of ['GET', 'POST', 'PUT', 'OPTIONS', 'DELETE']) {
        const there = await visit(service.origin, GO, path, { method, headers });
        expect([method, path, there.status]).toEqual([method, path, 404]);
      }
    const robots = await visit(service.origin, GO, '/robots.txt?x');
    expect([robots.status, robots.headers['content-type'], robots.text]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'User-agent: *\nDisallow:\n',
    ]);
    expect((await visit(service.origin, 'go.example', '/robots.txt')).status).toBe(404);
  });

  test('"/" leads to root_url, and every 404 to not_found_url, as headers that are valid', async () => {
    await service.createLink(other.live, {
      slug,
      host: SHOP,
      visibility: 'private',
      destination_url: 'https://x.test/',
    });
    expect(await leads(SHOP, '/')).toBe(ROOT);
    const paths = [`/${slug}`, '/none', '/a/b', '/readyz', '/api/v1/me', '/%zz', '/-'];
    for (const path of paths) expect([path, await leads(SHOP, path)]).toEqual([path, 'https://missing.example/%C3%A4']);
    for (const method of ['POST', 'PUT'])
      expect((await visit(service.origin, SHOP, `/${slug}`, { method })).status).toBe(302);
    for (const path of ['/robots.txt', '/favicon.ico'])
      expect([path, (await visit(service.origin, SHOP, path)).status]).toEqual([path, 200]);
    await changeHosts(service, other, SHOP, { root_url: null });
    await vi.waitFor(async () => expect(await leads(SHOP, '/')).toBe('https://missing.example/%C3%A4'), {
      timeout: 30_000,
    });
  });

  test('a password is that of the link on this host', async () => {
    const password = 'right horse';
    const ofDefault = await service.createLink(account.live, {
      slug,
      password: 'other',
      destination_url: 'https://d.test/',
    });
    await service.createLink(account.live, { slug, host: GO, password, destination_url: 'https://g.test/' });
    await service.createLink(account.live, { slug, host: IDN, destination_url: 'https://i.test/' });
    const post = async (host: string, sent: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams({ password: sent }).toString();
      const { status, headers: got } = await visit(service.origin, host, `/${slug}`, { method: 'POST', headers, body });
      return [status, got.location];
    };
    expect((await visit(service.origin, GO, `/${slug}`)).status).toBe(200);
    expect(await post(GO, password)).toEqual([303, 'https://g.test/']);
    expect(await post('go.example', password)).toEqual([403, undefined]);
    expect(await post('go.example', 'other')).toEqual([303, ofDefault.destination_url]);
    expect(await post(GO, 'other')).toEqual([403, undefined]);
    expect(await post(IDN, password)).toEqual([404, undefined]);
  });
});

describe('with a brand', () => {
  const branded = () => replicas[1]!.origin;
  /** Makes a link of each kind on a host, and returns the requests that get its page. */
  async function makePages(host: string | null) {
    const of = (end: string) => ({ slug: `${slug}${end}`, host, destination_url: 'https://secret.test/' });
    await service.createLink(account.live, { ...of('e'), expires_at: '2020-01-01T00:00:00Z' });
    await service.createLink(account.live, { ...of('p'), password: 'right' });
    await service.createLink(account.live, of('o'));
    const wrong = { method: 'POST', body: 'password=wrong', headers: { ...NAVIGATION, ...FORM } };
    const get = { method: 'GET', headers: NAVIGATION };
    return [
      { path: `/${slug}x`, status: 404, sent: get, title: ({ notFound }: PageTexts) => notFound.title },
      { path: `/${slug}e`, status: 410, sent: get, title: ({ expired }: PageTexts) => expired.title },
      { path: `/${slug}p`, status: 200, sent: get, title: ({ password }: PageTexts) => password.title },
      { path: `/${slug}p`, status: 403, sent: wrong, title: ({ password }: PageTexts) => password.wrong },
      { path: `/${slug}o+`, status: 200, sent: get, title: ({ link }: PageTexts) => link.leadsTo },
    ];
  }

  test.each([
    [
      null,
      'go.example',
      'Example &amp; Söhne',
      ['Ask &lt;us> &quot;anything&quot;.', 'href="https://example.com/help"'],
    ],
    [GO, GO, 'Go &amp; &lt;b>See&lt;/b>', ['href="https://about.brand.example/%22x%22"', '>about.brand.example</a>']],
  ])('each page on %s has it, in each language', async (host, header, name, below) => {
    for (const { path, status, sent, title } of await makePages(host))
      for (const [code, texts] of Object.entries(PAGE_LANGUAGES)) {
        // A password takes long to check.
        if (status === 403 && code !== 'ja') continue;
        const headers = { ...sent.headers, 'accept-language': `xx, ${code}-XX;q=0.8, en;q=0.1` };
        const page = await visit(branded(), header, path, { ...sent, headers });
        expect([path, code, page.status]).toEqual([path, code, status]);
        expect(page.headers).toMatchObject({ 'content-language': texts.language, 'cache-control': 'no-store' });
        expect(page.headers.vary).toMatch(/(^|, )Accept-Language$/);
        expect(page.headers['content-security-policy']).toMatch(
          /^default-src 'none'; style-src 'sha256-[^ ]+' 'sha256-[^ ]+'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'$/,
        );
        for (const part of [`<html lang="${texts.language}">`, title(texts), name, ...below, '<img src="/favicon.ico"'])
          expect(page.text).toContain(part);
        expect(page.text).not.toMatch(/<script|<b>|<us>/);
      }
  });

  test('errors for programs stay as they are, and private, deleted and unknown links cannot be told apart', async () => {
    const link = { slug: `${slug}s`, host: GO, destination_url: 'https://secret.test/' };
    await service.createLink(account.live, { ...link, visibility: 'private' });
    const gone = await service.createLink(account.live, { ...link, slug: `${slug}d` });
    await service.delete(account.live, gone.id);
    const answers = [];
    for (const path of [`/${slug}s`, `/${slug}d`, `/${slug}u`]) {
      const json = await visit(branded(), GO, path, { headers: { 'accept-language': 'de' } });
      expect([json.status, json.text]).toEqual([404, '{"error":"Link not found."}']);
      const page = await visit(branded(), GO, path, { headers: { ...NAVIGATION, 'accept-language': 'ja' } });
      const { date: _, 'x-request-id': __, ...headers } = page.headers;
      answers.push({ ...page, headers });
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  test('the icon is the logo of the host, else the operator’s, else Waymark’s, and its scripts do not run', async () => {
    const iconOf = async (origin: string, host: string) => {
      const { status, headers, text } = await visit(origin, host, '/favicon.ico');
      expect([status, headers['content-security-policy'], headers['x-content-type-options']]).toEqual([
        200,
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        'nosniff',
      ]);
      return [headers['content-type'], text] as const;
    };
    expect(await iconOf(branded(), 'go.example')).toEqual(['image/svg+xml', LOGO]);
    expect(await iconOf(branded(), IDN)).toEqual(['image/svg+xml', LOGO]);
    expect((await iconOf(branded(), GO))[0]).toBe('image/png');
    for (const host of ['go.example', GO, SHOP])
      expect(await iconOf(service.origin, host)).toEqual(['image/svg+xml', expect.stringContaining('#4f46e5')]);
  });
});

test('a host that is lost does not redirect, and its links do again when it is verified again', async () => {
  await service.createLink(account.live, { slug, host: GO, destination_url: 'https://go.test/' });
  const becomes = async (status: 'lost' | 'verified', expected: string | number) => {
    await changeHosts(service, account, GO, { status });
    for (const replica of replicas.slice(0, 2))
      await vi.waitFor(async () => expect(await leads(GO, `/${slug}`, replica)).toBe(expected), { timeout: 30_000 });
  };
  await becomes('lost', 404);
  // The other account's host of the same name takes no slugs along, and its slugs are free.
  await changeHosts(service, other, GO, { status: 'verified' });
  await service.createLink(other.live, { slug, host: GO, destination_url: 'https://second.test/' });
  await vi.waitFor(async () => expect(await leads(GO, `/${slug}`)).toBe('https://second.test/'), { timeout: 30_000 });
  await changeHosts(service, other, GO, { status: 'lost' });
  await becomes('verified', 'https://go.test/');
});

test('a name that an account waits for or has lost is never served as the default host', async () => {
  const lost = 'gone.brand.example';
  await writeHost(service, account, lost, { root_url: ROOT, not_found_url: MISSING });
  await service.createLink(other.live, { slug, destination_url: 'https://default.test/' });
  await vi.waitFor(async () => expect(await leads(lost, '/')).toBe(ROOT), { timeout: 30_000 });
  await changeHosts(service, account, lost, { status: 'lost' });
  for (const replica of replicas)
    for (const host of [lost, 'wait.brand.example', 'WAIT.brand.example:8080'])
      for (const path of [`/${slug}`, '/', '/docs', '/api/v1/me', '/healthz', '/robots.txt', '/favicon.ico', '/%zz'])
        for (const method of ['GET', 'HEAD', 'POST'])
          await vi.waitFor(
            async () =>
              expect([host, path, method, (await visit(replica.origin, host, path, { method })).status]).toEqual([
                host,
                path,
                method,
                404,
              ]),
            { timeout: 30_000 },
          );
});

/** Waits until a path on a host has this result on each replica. */
async function becomesEverywhere(host: string, path: string, expected: string | number): Promise<void> {
  for (const replica of replicas)
    await vi.waitFor(async () => expect(leadsTo(await visit(replica.origin, host, path))).toBe(expected), {
      timeout: 30_000,
    });
}

test('a name that was deleted is never served as the default host, until somebody verifies it again', async () => {
  const name = 'had.brand.example';
  const host = await writeHost(service, account, name, { root_url: ROOT });
  await service.createLink(other.live, { slug, destination_url: 'https://default.test/' });
  await becomesEverywhere(name, '/', ROOT);
  expect((await service.request(account.live, 'DELETE', `/api/v1/hosts/${host._id}`)).status).toBe(204);
  for (const path of [`/${slug}`, '/', '/healthz', '/robots.txt']) await becomesEverywhere(name, path, 404);
  // As long as the new account waits, too.
  await writeHost(service, other, name, { status: 'pending' });
  await becomesEverywhere(name, `/${slug}`, 404);
  await service.createLink(other.live, { slug: `${slug}n`, destination_url: 'https://default.test/' });
  await changeHosts(service, other, name, { status: 'verified', root_url: MISSING });
  await becomesEverywhere(name, '/', 'https://missing.example/%C3%A4');
});

test('the names of a deleted account are never served as the default host', async () => {
  const leaver = await service.createAccount();
  const [verified, pending] = ['left.brand.example', 'waited.brand.example'];
  await writeHost(service, leaver, verified, { root_url: ROOT });
  await writeHost(service, leaver, pending, { status: 'pending' });
  await service.createLink(other.live, { slug, destination_url: 'https://default.test/' });
  await becomesEverywhere(verified, '/', ROOT);
  await service.accounts.deleteAccount({ username: leaver.username }, await service.asService('admin'));
  for (const host of [verified, pending])
    for (const path of [`/${slug}`, '/', '/healthz', '/robots.txt']) await becomesEverywhere(host, path, 404);
});

test('90 days after it was deleted, a name is one that nobody owns', async () => {
  const name = 'once.brand.example';
  const host = await writeHost(service, account, name, { root_url: ROOT });
  await becomesEverywhere(name, '/', ROOT);
  await service.request(account.live, 'DELETE', `/api/v1/hosts/${host._id}`);
  await becomesEverywhere(name, '/', 404);
  const { releasedHosts } = service.database.collections;
  const { expires_at } = (await releasedHosts.findOne({ host: name }))!;
  const days = (expires_at.getTime() - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(89);
  expect(days).toBeLessThanOrEqual(90);
  await releasedHosts.updateOne({ host: name }, { $set: { expires_at: new Date(0) } });
  await service.createLink(other.live, { slug, destination_url: 'https://default.test/' });
  // Replicas read it again.
  await changeHosts(service, account, name, {});
  const [first, second, refusing] = replicas;
  for (const replica of [first!, second!])
    await vi.waitFor(async () => expect(await leads(name, `/${slug}`, replica)).toBe('https://default.test/'), {
      timeout: 30_000,
    });
  await vi.waitFor(async () => expect(await leads(name, `/${slug}`, refusing)).toBe(421), { timeout: 30_000 });
});

test('with UNKNOWN_HOSTS=refuse, the redirects of a host that nobody owns are 421, and nothing else is', async () => {
  const [, , refusing] = replicas;
  await service.createLink(account.live, { slug, destination_url: 'https://default.test/' });
  for (const host of ['none.example', '127.0.0.1', '', 'a'.repeat(300)]) {
    expect([host, await leads(host, `/${slug}`)]).toEqual([host, 'https://default.test/']);
    for (const method of ['GET', 'HEAD', 'POST'])
      for (const path of [`/${slug}`, '/', '/?x', '/robots.txt', '/favicon.ico', '/none'])
        expect([host, path, (await visit(refusing!.origin, host, path, { method })).status]).toEqual([host, path, 421]);
    expect([host, (await visit(refusing!.origin, host, '/healthz')).status]).toEqual([host, 200]);
  }
  const { text } = await visit(refusing!.origin, 'none.example', `/${slug}`);
  expect(JSON.parse(text)).toEqual({ error: 'No short links are served on this host.' });
  expect(await leads('GO.example:80', `/${slug}`, refusing)).toBe('https://default.test/');
});

describe('a click', () => {
  let run = 0;
  /** Follows links with these referrers, and returns the clicks, in the same order. */
  async function clicksOf(visits: readonly { host: string; referer?: string; password?: string }[]) {
    const source = `run-${++run}`;
    for (const [n, { host, referer, password }] of visits.entries()) {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const headers = { 'user-agent': 'Mozilla/5.0', ...(referer && { referer }), ...(password && form) };
      const post = password === undefined ? {} : { method: 'POST', body: `password=${password}` };
      const { status } = await visit(service.origin, host, `/${slug}?utm_source=${source}`, { ...post, headers });
      expect([n, status]).toEqual([n, password === undefined ? 302 : 303]);
    }
    const found = () => clicks.filter(({ utmSource }) => utmSource === source);
    await vi.waitFor(() => expect(found()).toHaveLength(visits.length), { timeout: 30_000 });
    return found();
  }

  test('has the host of its link, whether the link is cached, is not, or has a password', async () => {
    for (const host of [null, GO, IDN]) await service.createLink(account.live, { slug, host });
    const hosts = ['go.example', 'none.example', GO.toUpperCase(), `${GO}:8080`, IDN];
    const twice = [...hosts, ...hosts].map((host) => ({ host }));
    const names = ['', '', GO, GO, IDN];
    expect((await clicksOf(twice)).map(({ host }) => host)).toEqual([...names, ...names]);
    slug += 'p';
    await service.createLink(account.live, { slug, host: GO, password: 'sesame' });
    expect(await clicksOf([{ host: GO, password: 'sesame' }])).toMatchObject([{ host: GO, accountId: account.id }]);
  });

  test('has no referrer on a verified host of the account, and one on all other hosts', async () => {
    await service.createLink(account.live, { slug });
    await service.createLink(account.live, { slug, host: GO });
    const own = [
      `https://${GO}/`,
      `http://${GO.toUpperCase()}:8080/a?b#c`,
      `https://x:y@${IDN}./`,
      'https://bücher.example',
    ];
    const others = [
      ...['https://www.example.com/', `https://${SHOP}/`, `https://x.${GO}/`, `https://${GO}.evil.example/`],
      ...[
        'https://wait.brand.example/',
        `android-app://${GO}/`,
        `//${GO}/`,
        GO,
        `https://x.example/?${GO}`,
        'https://',
      ],
    ];
    const visits = [...own, ...others].flatMap((referer) => ['go.example', GO].map((host) => ({ host, referer })));
    const expected = [...own.map(() => ''), ...others].flatMap((referrer) => [referrer, referrer]);
    expect((await clicksOf(visits)).map(({ referrer }) => referrer)).toEqual(expected);
  });

  test('of an account has the referrer on a host that it has lost', async () => {
    await service.createLink(account.live, { slug });
    const lost = 'lost.brand.example';
    const referer = `https://${lost}/`;
    const becomes = async (referrer: string) =>
      vi.waitFor(async () => expect(await clicksOf([{ host: 'go.example', referer }])).toMatchObject([{ referrer }]), {
        timeout: 30_000,
      });
    await writeHost(service, account, lost);
    await becomes('');
    await changeHosts(service, account, lost, { status: 'lost' });
    await becomes(referer);
  });
});

function rawStatus(port: number, bytes: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('error', reject).once('data', (chunk) => {
      resolve(Number(chunk.toString('latin1').split(' ')[1]));
      socket.destroy();
    });
  });
}
