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
import { record, type SentClick, startFakeLinks, startService } from './harness.ts';
import { startHoldingProxy } from './holding-proxy.ts';

const MAIN = join(import.meta.dirname, 'clickhouse-process.ts');

const LOGIN = randomCredentials();

let directory: string;
let server: ChildProcess;
let url: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waymark-late-'));
  server = spawn(process.execPath, ['--conditions=@waymark/source', MAIN], {
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: directory,
      DATABASE_USER: LOGIN.user,
      DATABASE_PASSWORD: LOGIN.password,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(server.stdout!, 'data')) as [Buffer];
  url = line.toString().trim();
});
afterAll(async () => {
  server?.kill('SIGKILL');
  await rm(directory, { recursive: true, maxRetries: 3 });
});

function someClicks(accountId: string): SentClick[] {
  return Array.from({ length: 40 }, (_, n) => ({ accountId, linkId: `${accountId}-${n % 4}`, atMs: Date.now() - n }));
}

/** Returns the number of clicks of the account. */
async function countOf(accountId: string): Promise<number> {
  const database = openDatabase(envOf(url));
  const [row] = await database.query<{ n: number }>(
    'SELECT count() AS n FROM clicks WHERE account_id = {account:String}',
    { parameters: { account: accountId } },
  );
  await database.close();
  return row!.n;
}

function envOf(clickhouseUrl: string) {
  return {
    CLICKHOUSE_URL: clickhouseUrl,
    CLICKHOUSE_USER: LOGIN.user,
    CLICKHOUSE_PASSWORD: LOGIN.password,
    CLICKHOUSE_DATABASE: 'waymark',
  };
}

test('an insert that arrives after its batch was sent again and stored adds nothing', async () => {
  const links = await startFakeLinks();
  const proxy = await startHoldingProxy(new URL(url));
  const first = await startService({ ...envOf(proxy.url), LINKS_GRPC: links.address });
  const second = await startService({ ...envOf(url), LINKS_GRPC: links.address });
  const accountId = randomUUID();
  const [token, clicks] = [randomUUID(), someClicks(accountId)];
  proxy.hold();
  const lost = record(first.client, clicks, { token }).catch((error: unknown) => error);
  while (proxy.heldCount() === 0) await sleep(10);
  await sleep(200);
  await record(second.client, clicks, { token, maybeStored: true });
  expect(await countOf(accountId)).toBe(40);
  proxy.passNew();
  proxy.releaseHeld();
  expect(await lost).toMatchObject({ httpStatus: 503 });
  expect(await countOf(accountId)).toBe(40);
  await Promise.all([first.close(), second.close()]);
  proxy.close();
  await links.close();
});

test('batches sent to a ClickHouse that is paused, and sent again to another replica before it goes on, count once', async () => {
  const links = await startFakeLinks();
  const env = { ...envOf(url), LINKS_GRPC: links.address };
  const replicas = [await startService(env), await startService(env)];
  const accountId = randomUUID();
  const batches = Array.from({ length: 3 }, () => ({ token: randomUUID(), clicks: someClicks(accountId) }));
  server.kill('SIGSTOP');
  const lost = batches.map(({ token, clicks }) => record(replicas[0]!.client, clicks, { token }).catch(() => {}));
  // By now the inserts are in the socket of the paused process.
  await sleep(500);
  const again = batches.map(({ token, clicks }) =>
    record(replicas[1]!.client, clicks, { token, maybeStored: true }).catch((error: unknown) => error),
  );
  await sleep(500);
  server.kill('SIGCONT');
  await Promise.all([...lost, ...again]);
  for (const { token, clicks } of batches) await record(replicas[1]!.client, clicks, { token, maybeStored: true });
  expect(await countOf(accountId)).toBe(120);
  await Promise.all(replicas.map((replica) => replica.close()));
  await links.close();
});
