import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startClickHouseServer } from '../../src/clickhouse/server.ts';
import { randomCredentials } from '../../src/credentials.ts';
import { LOGIN_HEADERS, spawnServer, temporaryDirectory } from './harness.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

describe('one data directory', () => {
  test('a second process is refused with a clear message, and the first continues', async () => {
    const first = await spawnServer(directory.path);
    await expect(spawnServer(directory.path)).rejects.toThrow(
      /Cannot open the ClickHouse data directory .*: process \d+ has it open; only one process may use it\n$/,
    );
    expect((await fetch(`${first.url}/ping`)).status).toBe(200);
    expect(await first.stop('SIGTERM')).toBe(0);
  });

  test('SIGTERM lets running requests finish', async () => {
    const server = await spawnServer(directory.path);
    const running = fetch(server.url, { method: 'POST', headers: LOGIN_HEADERS, body: 'SELECT sleep(0.5)' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(await (await running).text()).toBe('0\n');
  });

  test('a client that disconnected does not delay the shutdown', async () => {
    const server = await spawnServer(directory.path);
    const controller = new AbortController();
    const query = 'SELECT sum(sipHash64(number)) FROM numbers(100000000000)';
    const gone = fetch(server.url, { method: 'POST', headers: LOGIN_HEADERS, body: query, signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 200));
    controller.abort();
    await expect(gone).rejects.toThrow();
    expect(await server.stop('SIGTERM')).toBe(0);
  });

  test('other addresses than loopback are refused', async () => {
    const credentials = randomCredentials();
    await expect(startClickHouseServer({ dataDir: directory.path, credentials, host: '0.0.0.0' })).rejects.toThrow(
      /loopback only/,
    );
  });
});

test('without chDB the error says what to install or set', async () => {
  const elsewhere = join(directory.path, 'src');
  cpSync(join(import.meta.dirname, '../../src'), elsewhere, { recursive: true });
  writeFileSync(join(elsewhere, 'package.json'), '{"type":"module"}');
  await expect(spawnServer(directory.path, 0, join(elsewhere, 'clickhouse/main.ts'))).rejects.toThrow(
    /^The embedded ClickHouse needs the optional npm package "chdb": .* or set CLICKHOUSE_URL to a ClickHouse server\n$/,
  );
});
