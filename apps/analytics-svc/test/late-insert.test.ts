import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomCredentials } from '@waymark/embedded';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../src/database/database.ts';
import { record, type SentClick, startFakeLinks, startService } from './harness.ts';

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

/** Returns the number of clicks of the account in each table. */
async function countsOf(accountId: string): Promise<number[]> {
  const database = openDatabase(envOf(url));
  const rows = await database.query<{ n: number }>(
    `SELECT count() AS n FROM clicks WHERE account_id = {account:String}
     UNION ALL SELECT sum(desktop) FROM clicks_by_day WHERE account_id = {account:String} AND link = 0 AND from_source = ''
     UNION ALL SELECT sum(clicks) FROM links_by_day WHERE account_id = {account:String} AND from_source = ''
     UNION ALL SELECT sum(clicks) FROM link_totals WHERE account_id = {account:String}`,
    { parameters: { account: accountId } },
  );
  await database.close();
  return rows.map(({ n }) => n);
}

function envOf(clickhouseUrl: string) {
  return {
    CLICKHOUSE_URL: clickhouseUrl,
    CLICKHOUSE_USER: LOGIN.user,
    CLICKHOUSE_PASSWORD: LOGIN.password,
    CLICKHOUSE_DATABASE: 'waymark',
  };
}

/**
 * Starts a proxy in front of ClickHouse. While it holds, it keeps what clients send, even after they disconnect, as the
 * buffer of a socket does.
 */
async function startHoldingProxy(target: URL) {
  let holding = false;
  const held: (() => void)[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.on('data', (data) => {
      if (holding) held.push(() => upstream.write(data));
      else upstream.write(data);
    });
    upstream.on('data', (data) => client.writable && client.write(data));
    upstream.on('close', () => client.destroy());
  });
  const port = await new Promise<number>((resolve) =>
    proxy.listen(0, '127.0.0.1', () => resolve((proxy.address() as { port: number }).port)),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    hold() {
      holding = true;
    },
    /** Lets new data through. Data that is held stays held. */
    passNew() {
      holding = false;
    },
    heldCount: () => held.length,
    releaseHeld() {
      for (const write of held.splice(0)) write();
    },
    close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
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
  expect(await countsOf(accountId)).toEqual([40, 40, 40, 40]);
  proxy.passNew();
  proxy.releaseHeld();
  expect(await lost).toMatchObject({ httpStatus: 503 });
  expect(await countsOf(accountId)).toEqual([40, 40, 40, 40]);
  await Promise.all([first.close(), second.close()]);
  proxy.close();
  await links.close();
}, 60_000);

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
  expect(await countsOf(accountId)).toEqual([120, 120, 120, 120]);
  await Promise.all(replicas.map((replica) => replica.close()));
  await links.close();
}, 60_000);
