import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Link } from '@waymark/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAuthority } from '../../../packages/proto/test/certificates.ts';
import { HOST_PAUSE_MS } from '../src/health/destination-checks.ts';
import { DestinationClient } from '../src/health/destination-client.ts';
import { DestinationsStore } from '../src/health/destinations.store.ts';
import { eventsOf } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Health: the checks of destinations. src/health/health.test.ts has which findings make a destination broken.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const USER_AGENT = 'Waymark/1.0 (link health bot)';

/** What a destination got, as `METHOD host/path`. */
let requests: string[] = [];
const routes = new Map<string, RequestListener>();
const servers: Server[] = [];
let port: number;

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  port = await listen(
    createServer((request, response) => {
      const { hostname, pathname } = new URL(request.url!, `http://${request.headers.host}`);
      requests.push(`${request.method} ${hostname}${pathname}`);
      expect(request.headers['user-agent']).toBe(USER_AGENT);
      const route = routes.get(pathname);
      if (route) route(request, response);
      else response.writeHead(404).end();
    }),
  );
});
beforeEach(() => {
  requests = [];
  routes.clear();
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const status =
  (code: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(code, headers).end('body');
const byMethod = (methods: Record<string, RequestListener>) => (request: IncomingMessage, response: ServerResponse) =>
  methods[request.method!]!(request, response);
const hang: RequestListener = () => {};

describe('one request', () => {
  const client = () =>
    new DestinationClient({
      allow: ['127.0.0.0/8'],
      userAgent: USER_AGENT,
      timeoutMs: 500,
      lookup: async (name) => {
        if (name === 'gone.test') throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
        if (name === 'servfail.test') throw new Error('no answer');
        return name === 'private.test' ? ['10.0.0.1'] : ['127.0.0.1'];
      },
    });
  /** Returns what a destination answers once its robots.txt is read. */
  const ask = async (url: string, method: 'HEAD' | 'GET' = 'GET') => {
    const one = client();
    const first = await one.ask({ url, method });
    return first.kind === 'again' ? one.ask({ url, method }) : first;
  };

  test.each([200, 204, 404, 410, 401, 403, 429, 500, 503])('a response of %s is reported as that', async (code) => {
    routes.set('/a', status(code));
    for (const method of ['HEAD', 'GET'] as const)
      expect(await ask(`http://a.test:${port}/a`, method)).toEqual({ kind: 'response', status: code });
  });

  test('a redirect is reported, and followed by nobody', async () => {
    routes.set('/a', status(302, { location: '/b' }));
    expect(await ask(`http://a.test:${port}/a`)).toEqual({ kind: 'redirect', location: '/b' });
    expect(requests).toEqual(['GET a.test/robots.txt', 'GET a.test/a']);
  });

  test('a body of 200 MB is not read', async () => {
    let sent = 0;
    routes.set('/large', (_request, response) => {
      response.writeHead(200, { 'content-length': String(200e6) });
      const chunk = Buffer.alloc(1e6);
      const more = () => {
        while (sent < 200e6 && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    expect(await ask(`http://a.test:${port}/large`)).toEqual({ kind: 'response', status: 200 });
    expect(sent).toBeLessThan(50e6);
  });

  test('no response, no port and an answer that is no HTTP are silent', async () => {
    routes.set('/hang', hang);
    routes.set('/cut', (request) => request.socket.destroy());
    for (const path of ['/hang', '/cut']) expect(await ask(`http://a.test:${port}${path}`)).toEqual({ kind: 'silent' });
    expect(await ask('http://a.test:1/')).toEqual({ kind: 'silent' });
    expect(await ask('http://servfail.test/')).toEqual({ kind: 'silent' });
  });

  test('a name that does not exist is broken, and an address that is not public is refused', async () => {
    expect(await ask('http://gone.test/')).toEqual({ kind: 'broken' });
    for (const url of ['http://private.test/', 'http://10.0.0.1/', 'http://169.254.169.254/latest', 'http://[::1]/'])
      expect(await ask(url), url).toEqual({ kind: 'unknown' });
  });

  test('a certificate that is not valid is broken', async () => {
    const authority = createAuthority('Nobody');
    const { cert, key } = authority.issue('localhost');
    const tlsPort = await listen(createTlsServer({ cert: cert + authority.cert, key }, status(200)));
    expect(await ask(`https://a.test:${tlsPort}/`)).toEqual({ kind: 'broken' });
  });

  describe('robots.txt is obeyed', () => {
    test.each([
      ['User-agent: *\nDisallow: /private', '/private/a', { kind: 'unknown' }],
      ['User-agent: waymark\nDisallow: /\n\nUser-agent: *\nAllow: /', '/a', { kind: 'unknown' }],
      ['User-agent: *\nDisallow: /\n\nUser-agent: Waymark\nAllow: /', '/a', { kind: 'response', status: 200 }],
      ['User-agent: *\nDisallow: /private', '/a', { kind: 'response', status: 200 }],
      ['<html>', '/a', { kind: 'response', status: 200 }],
    ])('%j for %s', async (robots, path, answer) => {
      routes.set('/robots.txt', (_request, response) => void response.end(robots));
      routes.set('/a', status(200));
      expect(await ask(`http://a.test:${port}${path}`)).toEqual(answer);
      expect(requests.includes(`GET a.test${path}`)).toBe(answer.kind === 'response');
    });

    test('one that is missing permits all, one that fails nothing, and one that hangs is silent', async () => {
      routes.set('/a', status(200));
      for (const [robots, kind] of [
        [status(404), 'response'],
        [status(301, { location: '/elsewhere' }), 'response'],
        [status(503), 'unknown'],
        [hang, 'silent'],
      ] as const) {
        routes.set('/robots.txt', robots);
        expect((await ask(`http://a.test:${port}/a`)).kind).toBe(kind);
      }
    });

    test('it is read once a day, and at most 512 KiB of it', async () => {
      const one = client();
      let size = 0;
      routes.set('/robots.txt', (_request, response) => {
        size = 2e6;
        response.end(`${'#'.repeat(size)}\nUser-agent: *\nDisallow: /`);
      });
      routes.set('/a', status(200));
      const url = `http://a.test:${port}/a`;
      for (let n = 0; n < 3; n += 1) await one.ask({ url, method: 'GET' });
      expect(requests).toEqual(['GET a.test/robots.txt', 'GET a.test/a', 'GET a.test/a']);
    });
  });
});

describe('links with clicks', () => {
  let nowMs = Date.UTC(2027, 0, 31, 12);
  let service: Service;
  let replica: Service;
  let account: TestAccount;
  let others: TestAccount;
  beforeAll(async () => {
    const options = { config: { AUTO_META_ALLOW: ['127.0.0.0/8', '::1'], HEALTH_CHECK_HOURS: 24 }, now: () => nowMs };
    service = await Service.start(options);
    replica = await Service.start({ ...options, databaseName: service.databaseName });
    account = await service.createAccount();
    others = await service.createAccount();
  });
  afterAll(async () => {
    await replica.close();
    await service.close();
  });

  let hosts = 0;
  /** Returns a URL on a host of its own. */
  const urlOf = (path: string) => `http://h${++hosts}.localhost:${port}${path}`;
  const create = async (destination_url: string, owner = account): Promise<Link> => {
    const link = await service.createLink(owner.live, { destination_url });
    await click(link.id, owner);
    return link;
  };
  const click = (id: string, owner = account) =>
    service.database.collections.links.updateOne(
      { _id: id, account_id: owner.id },
      { $set: { clicks: 1, last_clicked_at: new Date(nowMs) } },
    );
  const healthOf = async ({ id }: Link, owner = account) => (await service.get(owner.live, id)).body.health;
  const events = async ({ id }: Link, owner = account) =>
    (await eventsOf(service.database, owner.id)).filter(
      ({ type, link_id }) => link_id === id && /broken|recovered/.test(type),
    );
  const destinations = () => new DestinationsStore(service.database);
  /** Lets time pass until the pass over the links and all checks are done. */
  const settle = async () => {
    const { collections } = service.database;
    nowMs += HOUR_MS;
    await expect
      .poll(
        async () => {
          nowMs += HOST_PAUSE_MS;
          const links = await collections.links.find({ account_id: account.id }).toArray();
          const clicked = links.filter(({ last_clicked_at }) => last_clicked_at.getTime() > nowMs - 90 * DAY_MS);
          const known = await destinations().find(clicked.map(({ destination_url }) => destination_url));
          return clicked.every(({ destination_url }) => {
            const one = known.get(destination_url);
            return one !== undefined && one.step === undefined && one.check_at.getTime() > nowMs;
          });
        },
        { timeout: 60_000, interval: 20 },
      )
      .toBe(true);
    // The next pass gives the links what the checks found.
    nowMs += HOUR_MS;
  };
  const state = async (link: Link, owner = account) => (await healthOf(link, owner)).state;

  test('get the health of their destination, which is asked with HEAD and then with GET', async () => {
    routes.set('/ok', status(200));
    routes.set('/no-head', byMethod({ HEAD: status(405), GET: status(200) }));
    routes.set('/wrong-head', byMethod({ HEAD: status(404), GET: status(200) }));
    routes.set('/secret', status(403));
    routes.set('/loop', status(302, { location: '/loop' }));
    routes.set('/moved', status(301, { location: '/ok' }));
    routes.set('/out', status(302, { location: 'ftp://example.com/' }));
    const urls = ['/ok', '/no-head', '/wrong-head', '/secret', '/loop', '/moved', '/out'].map(urlOf);
    const links = await Promise.all(urls.map((url) => create(url)));
    await settle();
    await expect
      .poll(() => Promise.all(links.map((link) => state(link))))
      .toEqual(['ok', 'ok', 'ok', 'unknown', 'unknown', 'ok', 'unknown']);
    const ok = await healthOf(links[0]!);
    expect(ok).toMatchObject({ state: 'ok', status: 200, since: ok.checked_at });
    expect(await healthOf(links[3]!)).toEqual({ state: 'unknown', status: null, since: null, checked_at: null });
    const to = (n: number) =>
      requests.filter((one) => one.includes(` h${n}.`)).map((one) => one.replace(/h\d+\.localhost/, ''));
    const first = hosts - 6;
    expect(to(first)).toEqual(['GET /robots.txt', 'HEAD /ok']);
    expect(to(first + 1)).toEqual(['GET /robots.txt', 'HEAD /no-head', 'GET /no-head']);
    expect(to(first + 4)).toEqual(['GET /robots.txt', ...Array(4).fill('HEAD /loop')]);
    expect(to(first + 5)).toEqual(['GET /robots.txt', 'HEAD /moved', 'HEAD /ok']);
    for (const link of links) {
      const { updated_at } = (await service.get(account.live, link.id)).body;
      expect(updated_at).toBe(link.updated_at);
    }
    for (const link of links) expect(await events(link)).toEqual([]);
    const listed = async (health: string) =>
      (await service.list(account.live, { health })).body.links.map(({ id }) => id).sort();
    expect(await listed('ok')).toEqual([0, 1, 2, 5].map((n) => links[n]!.id).sort());
    expect(await listed('broken')).toEqual([]);
    expect((await service.list(account.live, { health: 'dead' })).status).toBe(422);
  });

  test('break after two checks with a day between, and recover; each with one event, and `updated_at` stays', async () => {
    routes.set('/page', status(404));
    const url = urlOf('/page');
    const [link, other] = [await create(url), await create(url, others)];
    await settle();
    expect(await state(link)).toBe('unknown');
    nowMs += DAY_MS;
    await settle();
    await expect.poll(() => state(link)).toBe('broken');
    await expect.poll(() => state(other, others)).toBe('broken');
    const broken = { health: 'broken', destination_url: url };
    const { links, total } = (await service.list(account.live, broken)).body;
    expect([links.map(({ id }) => id), total]).toEqual([[link.id], 1]);
    expect(links[0]).toMatchObject({ health: { state: 'broken', status: 404 }, updated_at: link.updated_at });
    for (const health of ['ok', 'unknown'])
      expect((await service.list(account.live, { ...broken, health })).body.total).toBe(0);
    const [event, ...more] = await events(link);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'link.broken',
      actor: { kind: 'system' },
      link_id: link.id,
      data: { link: { id: link.id, destination_url: url, health: { state: 'broken', status: 404 } } },
    });
    expect((await events(other, others)).map(({ type }) => type)).toEqual(['link.broken']);
    // Each URL is asked once for both links.
    expect(requests.filter((one) => /^HEAD .*\/page$/.test(one))).toHaveLength(2);

    routes.set('/page', status(200));
    nowMs += DAY_MS;
    await settle();
    await expect.poll(() => state(link)).toBe('ok');
    expect((await events(link)).map(({ type }) => type)).toEqual(['link.broken', 'link.recovered']);
    expect((await service.get(account.live, link.id)).body.updated_at).toBe(link.updated_at);
    expect((await service.list(account.live, broken)).body.total).toBe(0);
  });

  test('are unknown once they have another destination, and recover with it', async () => {
    routes.set('/old', status(410));
    routes.set('/new', status(200));
    const link = await create(urlOf('/old'));
    await settle();
    nowMs += DAY_MS;
    await settle();
    await expect.poll(() => state(link)).toBe('broken');
    const { body } = await service.update(account.live, link.id, { destination_url: urlOf('/new') });
    expect(body.health.state).toBe('unknown');
    await settle();
    await expect.poll(() => state(link)).toBe('ok');
    const types = (await events(link)).map(({ type }) => type);
    expect(types).toEqual(['link.broken', 'link.recovered']);
  });

  test('a host gets one request in 10 seconds, also from two replicas, and delays no other one', async () => {
    routes.set('/a', status(200));
    const host = `busy${hosts}.localhost`;
    const times: number[] = [];
    for (const path of ['/p0', '/p1', '/p2', '/p3'])
      routes.set(path, (_request, response) => {
        times.push(nowMs);
        response.end();
      });
    for (const path of ['/p0', '/p1', '/p2', '/p3']) await create(`http://${host}:${port}${path}`);
    const other = await create(urlOf('/a'));
    await settle();
    await expect.poll(() => state(other)).toBe('ok');
    expect(times).toHaveLength(4);
    const pauses = times.slice(1).map((time, n) => time - times[n]!);
    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(HOST_PAUSE_MS);
  });

  test('without a click in 90 days are not checked, and what nobody has any more is forgotten', async () => {
    routes.set('/a', status(200));
    const [quiet, clicked] = [urlOf('/a'), urlOf('/a')];
    const never = await service.createLink(account.live, { destination_url: quiet });
    const link = await create(clicked);
    await settle();
    await expect.poll(() => state(link)).toBe('ok');
    expect(await state(never)).toBe('unknown');
    expect((await destinations().find([quiet])).size).toBe(0);
    await service.delete(account.live, link.id);
    nowMs += 2 * DAY_MS;
    await settle();
    await expect.poll(async () => (await destinations().find([clicked])).size).toBe(0);
  });

  test('go with their account, but for a destination that another account has', async () => {
    routes.set('/a', status(200));
    const leaving = await service.createAccount();
    const [own, shared] = [urlOf('/a'), urlOf('/a')];
    await create(own, leaving);
    await create(shared, leaving);
    const link = await create(shared);
    await settle();
    await expect.poll(() => state(link)).toBe('ok');
    await expect.poll(async () => (await destinations().find([own])).get(own)?.health?.state).toBe('ok');
    const admin = await service.asService('admin');
    await service.accounts.deleteAccount({ username: leaving.username }, admin);
    expect([...(await destinations().find([own, shared])).keys()]).toEqual([shared]);
    const hostsOf = [own, shared].map((url) => new URL(url).hostname);
    const left = await service.database.collections.checkedHosts.find({ _id: { $in: hostsOf } }).toArray();
    expect(left.map(({ _id }) => _id)).toEqual([hostsOf[1]]);
    expect(await state(link)).toBe('ok');
  });
});
