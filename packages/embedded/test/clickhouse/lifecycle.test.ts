import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startClickHouseServer } from '../../src/clickhouse/server.ts';
import { randomCredentials } from '../../src/credentials.ts';
import { LOGIN, LOGIN_HEADERS, spawnServer, temporaryDirectory } from './harness.ts';

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

/**
 * Retrying with the same token is not enough: the engine logs a token before it commits the part, so that a kill in
 * between leaves a token without rows. The client checks what is stored, and retries with a new token.
 */
test('after SIGKILL every acknowledged row exists exactly once, if the client checks before it retries', async () => {
  const batchRows = 500;
  let server = await spawnServer(directory.path);
  const port = Number(new URL(server.url).port);
  const client = createClient({
    url: server.url,
    ...LOGIN,
    max_open_connections: 4,
    log: { level: ClickHouseLogLevel.OFF },
  });
  await client.command({
    query:
      'CREATE TABLE clicks (batch UInt32, n UInt32) ENGINE = MergeTree ORDER BY (batch, n) SETTINGS non_replicated_deduplication_window = 1000',
  });
  const rowsOf = async (batch: number) => {
    const result = await client.query({
      query: 'SELECT count() AS rows FROM clicks WHERE batch = {batch:UInt32}',
      query_params: { batch },
      format: 'JSONEachRow',
    });
    return Number((await result.json<{ rows: string }>())[0]?.rows);
  };
  const insert = (batch: number, attempt: number) =>
    client.insert({
      table: 'clicks',
      values: Array.from({ length: batchRows }, (_, n) => ({ batch, n })),
      format: 'JSONEachRow',
      clickhouse_settings: { insert_deduplication_token: `${batch}-${attempt}` },
    });
  const store = async (batch: number): Promise<void> => {
    for (let attempt = 0; ; attempt++) {
      try {
        if (attempt > 0 && (await rowsOf(batch)) === batchRows) return;
        await insert(batch, attempt);
        return;
      } catch {
        // The server is restarting; the loop retries.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const acknowledged: number[] = [];
  let next = 0;
  let stopping = false;
  const insertUntilStopped = async () => {
    while (!stopping) {
      const batch = next++;
      await store(batch);
      acknowledged.push(batch);
    }
  };
  const inserting = Promise.all([insertUntilStopped(), insertUntilStopped()]);
  for (let kill = 0; kill < 4; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 100));
    await server.stop('SIGKILL');
    server = await spawnServer(directory.path, port);
  }
  stopping = true;
  await inserting;
  const counts = await client.query({
    query: 'SELECT batch, count() AS rows, uniqExact(n) AS distinct FROM clicks GROUP BY batch ORDER BY batch',
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  });
  expect(acknowledged.length).toBeGreaterThan(4);
  expect(await counts.json()).toEqual(
    acknowledged.sort((a, b) => a - b).map((batch) => ({ batch, rows: batchRows, distinct: batchRows })),
  );
  await client.close();
  await server.stop('SIGTERM');
}, 60_000);
