import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Identity } from '@waymark/auth';
import type { Action, AutoMeta, Role } from '@waymark/contract';
import { createLogger } from '@waymark/service-kit';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Previews } from '../src/previews/previews.ts';
import { PUBLIC_URL, Service, type TestAccount } from './support/service.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

describe('the number of pages that are read concurrently is limited', () => {
  let service: Service;
  let origin: string;
  /** Requests for pages that have no response yet. */
  const open = new Set<ServerResponse>();
  let mostOpen: number;
  beforeEach(async () => {
    mostOpen = 0;
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      if (request.url !== '/slow') return void response.end('<title>Fast</title>');
      open.add(response);
      mostOpen = Math.max(mostOpen, open.size);
      response.on('close', () => open.delete(response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    cleanups.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    service = await Service.start({ config: { AUTO_META_ALLOW: ['127.0.0.0/8'] } });
    cleanups.push(() => service.close());
  });
  const create = (account: TestAccount, path: string) =>
    service.create(account.live, { destination_url: origin + path, auto_meta: true });
  /** Reads a page without creating a link. */
  const readOnly = (account: TestAccount, path: string) =>
    service.request<AutoMeta>(
      account.live,
      'GET',
      `/api/v1/auto-meta?destination_url=${encodeURIComponent(origin + path)}`,
    );
  const createMany = (account: TestAccount, count: number) =>
    Promise.all(Array.from({ length: count }, () => create(account, '/slow')));

  test('to 8 for one account, creations or not: after 3 seconds including the wait, values stay null, and other accounts do not wait', async () => {
    const [busy, other] = [await service.createAccount(), await service.createAccount()];
    // Starts the thread, which takes a while on a busy machine.
    await create(other, '/fast');
    const slow = Promise.all([...Array.from({ length: 10 }, () => readOnly(busy, '/slow')), createMany(busy, 10)]);
    let isSlowOver = false;
    void slow.finally(() => {
      isSlowOver = true;
    });
    await expect.poll(() => open.size).toBe(8);
    expect((await create(other, '/fast')).body.title).toBe('Fast');
    expect(isSlowOver).toBe(false);
    const results = (await slow).flat().map(({ status, body }) => [status, body.title]);
    expect(results).toEqual([...Array(10).fill([200, null]), ...Array(10).fill([201, null])]);
    expect(mostOpen).toBe(8);
    expect((await create(busy, '/fast')).body.title).toBe('Fast');
  });

  test('to 32 for all accounts', async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => service.createAccount()));
    await create(accounts[0]!, '/fast');
    const creations = Promise.all(accounts.map((account) => createMany(account, 10)));
    await expect.poll(() => open.size).toBe(32);
    // Each page gets its response only now, so that the next ones can begin. None waits for the 3 seconds.
    let areOver = false;
    void creations.finally(() => {
      areOver = true;
    });
    while (!areOver) {
      for (const response of open) response.end('<title>Slow</title>');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await creations).flat().map(({ status }) => status)).toEqual(Array(60).fill(201));
    expect(mostOpen).toBe(32);
  });
});

describe('GET /api/v1/auto-meta reads a page before its link is created', () => {
  let service: Service;
  let account: TestAccount;
  let origin: string;
  const seen: string[] = [];
  beforeAll(async () => {
    const server = createServer((request, response) => {
      seen.push(request.url!);
      if (request.url === '/slow') return;
      response.setHeader('content-type', 'text/html');
      response.end('<title>Fast &amp; good</title><meta name="description" content="A page">');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    service = await Service.start({ config: { AUTO_META_ALLOW: ['127.0.0.1/32'] } });
    account = await service.createAccount();
    return async () => {
      server.close();
      server.closeAllConnections();
      await service.close();
    };
  });
  const NOTHING = { title: null, description: null };
  const read = (url: string, identity: Identity | null = account.live) =>
    service.request<AutoMeta & { error?: string }>(
      identity,
      'GET',
      `/api/v1/auto-meta?destination_url=${encodeURIComponent(url)}`,
    );

  test('with either key, what the page says about itself', async () => {
    for (const identity of [account.live, account.public]) {
      const { status, body } = await read(`${origin}/page`, identity);
      expect([status, body]).toEqual([200, { title: 'Fast & good', description: 'A page' }]);
    }
  });

  test('null for a slow page, and for every address that is not public, none of which is fetched', async () => {
    const { port } = new URL(origin);
    seen.length = 0;
    const urls = [
      `${origin}/slow`,
      ...[`127.0.0.2:${port}`, `[::1]:${port}`, '10.0.0.1', '169.254.169.254', '[::ffff:127.0.0.2]'].map(
        (host) => `http://${host}/latest`,
      ),
    ];
    const answers = await Promise.all(urls.map((url) => read(url)));
    expect(answers.map(({ status, body }) => [status, body])).toEqual(urls.map(() => [200, NOTHING]));
    expect(seen).toEqual(['/slow']);
  });

  test('422 with the name of the field for what no link may have as destination, and nothing is fetched', async () => {
    seen.length = 0;
    for (const url of ['', 'example.com', 'ftp://example.com/', 'https://a:b@example.com/', `${PUBLIC_URL}/sale`]) {
      const { status, body } = await read(url);
      expect([url, status, body.error]).toEqual([url, 422, expect.stringMatching(/^"destination_url" /)]);
    }
    for (const query of ['', '?destination_url=a&destination_url=b', `?destination_url=${origin}&url=x`])
      expect((await service.request(account.live, 'GET', `/api/v1/auto-meta${query}`)).status).toBe(422);
    expect(seen).toEqual([]);
  });

  test('for keys and people that may create or update links, and no others', async () => {
    const withAction = (action: Action) => ({
      ...account.live,
      key: { id: 'k1', name: 'agent', actions: [action], hashtag: null, expiresAt: null },
    });
    const withRole = (role: Role) => ({ ...account.live, person: { name: 'Vera', role } });
    seen.length = 0;
    for (const action of ['read', 'delete', 'analytics'] as const)
      expect([action, (await read(`${origin}/page`, withAction(action))).status]).toEqual([action, 403]);
    expect((await read(`${origin}/page`, withRole('viewer'))).status).toBe(403);
    expect((await read(`${origin}/page`, null)).status).toBe(401);
    expect(seen).toEqual([]);
    for (const action of ['create', 'update'] as const)
      expect([action, (await read(`${origin}/page`, withAction(action))).status]).toEqual([action, 200]);
    expect((await read(`${origin}/page`, withRole('editor'))).status).toBe(200);
  });
});

describe('the preview thread', () => {
  function start(script = 'hanging-preview-thread') {
    const log: string[] = [];
    const previews = new Previews({
      allow: ['127.0.0.0/8'],
      userAgent: 'test',
      logger: createLogger({ service: 'test', level: 'info' }, { write: (line) => void log.push(line) }),
      thread: new URL(`./support/${script}.ts`, import.meta.url),
    });
    cleanups.push(() => previews.close());
    return { previews, titleOf: async (url: string) => (await previews.fetchPreview('account', url)).title, log };
  }

  test('counts its start towards the 3 seconds of a page, and is not considered hung', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    const { titleOf, log } = start('slow-preview-thread');
    expect(await titleOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).toBeNull();
    expect(log).toEqual([]);
  });

  test('is replaced when it hangs; its values stay null, and the main thread continues', async () => {
    const { titleOf, log } = start();
    expect(await titleOf('first')).toBe('first');
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    expect(await Promise.all([titleOf('hang'), titleOf('behind it')])).toEqual([null, null]);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(100);
    expect(await titleOf('next')).toBe('next');
    expect(log.map((line) => JSON.parse(line).level)).toEqual(['error']);
  });

  test('is replaced when it dies, and its values stay null', async () => {
    const { titleOf, log } = start();
    expect(await titleOf('crash')).toBeNull();
    expect(await titleOf('next')).toBe('next');
    expect(log.join()).toContain('crashed');
  });

  test('ends after the requested pages', async () => {
    const { previews, titleOf } = start();
    const titles = Promise.all(['a', 'b'].map(titleOf));
    await previews.close();
    expect(await titles).toEqual(['a', 'b']);
  });
});
