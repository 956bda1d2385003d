import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@waymark/service-kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Previews } from '../src/previews/previews.ts';
import { Service, type TestAccount } from './support/service.ts';

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
  const createMany = (account: TestAccount, count: number) =>
    Promise.all(Array.from({ length: count }, () => create(account, '/slow')));

  test('to 8 for one account: after 3 seconds including the wait, values stay null, and other accounts do not wait', async () => {
    const [busy, other] = [await service.createAccount(), await service.createAccount()];
    // Starts the thread, which takes a while on a busy machine.
    await create(other, '/fast');
    const slow = createMany(busy, 20);
    let isSlowOver = false;
    void slow.finally(() => {
      isSlowOver = true;
    });
    await expect.poll(() => open.size).toBe(8);
    expect((await create(other, '/fast')).body.title).toBe('Fast');
    expect(isSlowOver).toBe(false);
    expect((await slow).map(({ status, body }) => [status, body.title])).toEqual(Array(20).fill([201, null]));
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
