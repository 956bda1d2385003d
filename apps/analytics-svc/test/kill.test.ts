import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomCredentials } from '@waymark/embedded';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../src/database/database.ts';
import { UTC_DAY } from '../src/database/projections.ts';
import { record, type SentClick, startFakeLinks, startService } from './harness.ts';

const MAIN = join(import.meta.dirname, 'clickhouse-process.ts');
const LOGIN = randomCredentials();
const KILLS = 12;

let directory: string;
let server: ChildProcess | undefined;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waymark-kill-'));
});
afterAll(async () => {
  server?.kill('SIGKILL');
  await rm(directory, { recursive: true, maxRetries: 3 });
});

/** Starts a ClickHouse process that can be killed, always on the same data. Resolves with its URL when it listens. */
async function startServer(port: number): Promise<string> {
  server = spawn(process.execPath, ['--conditions=@waymark/source', MAIN], {
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: directory,
      DATABASE_USER: LOGIN.user,
      DATABASE_PASSWORD: LOGIN.password,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(server.stdout!, 'data')) as [Buffer];
  return line.toString().trim();
}

test('none is lost and none counted twice when the database is killed with SIGKILL in the middle of inserts', async () => {
  const url = await startServer(0);
  const port = Number(new URL(url).port);
  const links = await startFakeLinks();
  const env = {
    CLICKHOUSE_URL: url,
    CLICKHOUSE_USER: LOGIN.user,
    CLICKHOUSE_PASSWORD: LOGIN.password,
    CLICKHOUSE_DATABASE: 'waymark',
  };
  const service = await startService({ ...env, LINKS_GRPC: links.address });
  const accountId = randomUUID();
  let sent = 0;
  let retries = 0;
  let stopping = false;

  /** Sends batches as links-svc does: repeats each one until it is acknowledged. */
  async function send(): Promise<void> {
    while (!stopping) {
      const token = randomUUID();
      const clicks: SentClick[] = Array.from({ length: 400 }, (_, n) => ({
        id: randomUUID(),
        accountId,
        linkId: `link-${n % 40}`,
        atMs: Date.now() - n * 3_600_000,
        utmSource: `s${n % 7}`,
      }));
      sent += clicks.length;
      for (let maybeStored = false; ; maybeStored = true) {
        try {
          await record(service.client, clicks, { token, maybeStored });
          break;
        } catch {
          // It is unknown whether the batch was stored. The next attempt must handle both cases.
          retries++;
          await sleep(50);
        }
      }
    }
  }

  const senders = Promise.all([send(), send()]);
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(200 + Math.random() * 500);
    const exited = once(server!, 'exit');
    server!.kill('SIGKILL');
    await exited;
    await startServer(port);
  }
  await sleep(500);
  stopping = true;
  await senders;

  const database = openDatabase(env);
  // Each count is made from other sums, or from the clicks themselves.
  const counts = await database.query<{ n: number }>(
    `SELECT uniqExact(id) AS n FROM clicks
     UNION ALL ${['device', 'source', 'country', 'browser', 'os']
       .map((name) => `SELECT sum(n) FROM (SELECT account_id, ${name}, quarter, count() AS n FROM clicks GROUP BY ALL)`)
       .join(' UNION ALL ')}
     UNION ALL SELECT sum(n) FROM (SELECT account_id, link, ${UTC_DAY}, count() AS n FROM clicks GROUP BY ALL)
     UNION ALL SELECT count() FROM clicks WHERE account_id = '${accountId}' AND link != 0`,
  );
  expect(retries).toBeGreaterThan(0);
  expect(counts.map(({ n }) => n)).toEqual(Array(8).fill(sent));
  await database.close();
  await service.close();
  await links.close();
}, 180_000);
