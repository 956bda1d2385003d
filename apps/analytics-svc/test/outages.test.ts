import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DatabaseConfig, openDatabase } from '../src/database/database.ts';
import { startFakeClickHouse } from './fake-clickhouse.ts';
import {
  account,
  openTestDatabase,
  record,
  startFakeLinks,
  startService,
  type TestDatabase,
  type TestService,
} from './harness.ts';

/** The result of a check is kept for a moment. */
const WAIT = { timeout: 30_000 };

let db: TestDatabase;
let silent: Server;
let silentPort: number;
beforeAll(async () => {
  db = await openTestDatabase();
  // Accepts connections and never responds.
  silent = createServer(() => {});
  silentPort = await new Promise((resolve) =>
    silent.listen(0, '127.0.0.1', () => resolve((silent.address() as { port: number }).port)),
  );
});
afterAll(async () => {
  silent?.close();
  await db?.close();
});

/** Starts a proxy that can act as if its server were gone or silent. */
async function startProxy(target: URL) {
  let mode: 'there' | 'gone' | 'silent' = 'there';
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {}).on('close', () => sockets.delete(client));
    if (mode === 'gone') client.destroy();
    if (mode !== 'there') return;
    const upstream = connect(Number(target.port), target.hostname).on('error', () => client.destroy());
    client
      .on('close', () => upstream.destroy())
      .pipe(upstream)
      .pipe(client);
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    set(next: typeof mode) {
      mode = next;
      for (const socket of sockets) socket.destroy();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const NOBODY = '127.0.0.1:9';

/** Expects a 503, with a message that names no host. */
async function expectUnavailable(service: TestService): Promise<void> {
  const { status, body, headers } = await service.get('/api/v1/analytics', account('a'));
  expect({ status, body }).toEqual({
    status: 503,
    body: { error: 'Part of the service is unavailable right now; try again in a moment.' },
  });
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
}

describe('503, never a hang and never a part of the figures', () => {
  test('where links-svc is down', async () => {
    const service = await startService({ ...db.env, LINKS_GRPC: NOBODY });
    await expectUnavailable(service);
    await service.close();
  });

  test('where links-svc hangs', async () => {
    const service = await startService({ ...db.env, LINKS_GRPC: `127.0.0.1:${silentPort}` });
    await expectUnavailable(service);
    await service.close();
  });

  test('where ClickHouse goes away, or hangs, and 200 again when it is back', async () => {
    const proxy = await startProxy(new URL(db.env.CLICKHOUSE_URL!));
    const links = await startFakeLinks();
    const service = await startService({ ...db.env, CLICKHOUSE_URL: proxy.url, LINKS_GRPC: links.address });
    expect((await service.get('/api/v1/analytics', account('a'))).status).toBe(200);
    for (const mode of ['gone', 'silent'] as const) {
      proxy.set(mode);
      await expectUnavailable(service);
      await expect(record(service.client, [{ accountId: 'a', linkId: 'l', atMs: 0 }])).rejects.toMatchObject({
        httpStatus: 503,
      });
      proxy.set('there');
      expect((await service.get('/api/v1/analytics', account('a'))).status).toBe(200);
    }
    await service.close();
    await links.close();
    proxy.close();
  });

  test.each([516, 192, 193, 194])(
    'where ClickHouse refuses the password (%d), and 200 once it is right',
    async (code) => {
      const clickhouse = await startFakeClickHouse('25.8.1.1');
      const links = await startFakeLinks();
      const service = await startService(
        { CLICKHOUSE_URL: clickhouse.url, LINKS_GRPC: links.address },
        { wait: false },
      );
      clickhouse.failure = code;
      await expectUnavailable(service);
      expect((await service.get('/readyz')).status).toBe(503);
      clickhouse.failure = 0;
      await expect.poll(async () => (await service.get('/readyz')).status, WAIT).toBe(200);
      await service.close();
      await links.close();
      await clickhouse.close();
    },
  );

  test('where the tables are gone, and /readyz says so until they are back', async () => {
    const name = `${db.env.CLICKHOUSE_DATABASE}_restored`;
    const env = { ...db.env, CLICKHOUSE_DATABASE: name };
    const database = openDatabase(env as typeof env & DatabaseConfig);
    const links = await startFakeLinks();
    const service = await startService({ ...env, LINKS_GRPC: links.address });
    await database.command('RENAME TABLE clicks TO clicks_elsewhere');
    await expectUnavailable(service);
    const readiness = async () => {
      const { status, body } = await service.get('/readyz');
      return [status, (body as { error?: string }).error];
    };
    await expect
      .poll(readiness, WAIT)
      .toEqual([
        503,
        'Not ready: clickhouse. ClickHouse lacks tables that were there before (clicks): restore them, or restart analytics-svc, which creates empty ones.',
      ]);
    await database.command('RENAME TABLE clicks_elsewhere TO clicks');
    await expect.poll(readiness, WAIT).toEqual([200, undefined]);
    await database.command(`DROP DATABASE ${name}`, { database: false });
    await expect.poll(async () => (await service.get('/readyz')).status, WAIT).toBe(503);
    await service.close();
    await links.close();
    await database.close();
  });

  test('where ClickHouse was never there', async () => {
    const links = await startFakeLinks();
    const service = await startService(
      { ...db.env, CLICKHOUSE_URL: `http://${NOBODY}`, LINKS_GRPC: links.address },
      { wait: false },
    );
    await expectUnavailable(service);
    expect((await service.get('/readyz')).status).toBe(503);
    expect((await service.get('/livez')).status).toBe(200);
    await service.close();
    await links.close();
  });
});
