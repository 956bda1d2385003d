import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { analyticsV1, createGrpcClient, IDENTITY_HEADER } from '@waymark/proto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findFreePorts } from '../../../packages/stack/src/ports.ts';
import {
  account,
  type FakeLinks,
  openTestDatabase,
  SIGNING_KEY,
  signer,
  startFakeLinks,
  type TestDatabase,
} from './harness.ts';
import { startHoldingProxy } from './holding-proxy.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

let db: TestDatabase;
let links: FakeLinks;
let child: ChildProcess | undefined;
beforeAll(async () => {
  db = await openTestDatabase();
  links = await startFakeLinks();
});
afterEach(async () => {
  if (child?.exitCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
});
afterAll(async () => {
  await links?.close();
  await db?.close();
});

/** Starts the process of the service. Returns its HTTP origin, on which nothing may listen yet. */
async function startProcess(env: Record<string, string>): Promise<string> {
  const [port] = await findFreePorts(1, '127.0.0.1');
  child = spawn(process.execPath, ['--conditions=@waymark/source', MAIN], {
    env: {
      ...process.env,
      ...db.env,
      SIGNING_KEY,
      HOST: '127.0.0.1',
      HTTP_PORT: String(port),
      GRPC_PORT: '0',
      LINKS_GRPC: links.address,
      LOG_LEVEL: 'fatal',
      ...env,
    },
    stdio: 'inherit',
  });
  return `http://127.0.0.1:${port}`;
}

/** Returns the status of the first response. Until then connections are refused. */
async function firstAnswer(url: string): Promise<number> {
  const headers = { [IDENTITY_HEADER]: await signer.mint(account('a')) };
  for (;;) {
    const response = await fetch(url, { headers }).catch(() => null);
    if (response !== null) return response.status;
    await sleep(2);
  }
}

test('a process that takes requests can answer them: a replica that starts beside others refuses nobody', async () => {
  expect(await firstAnswer(`${await startProcess({})}/api/v1/analytics`)).toBe(200);
});

test('a process whose database does not answer is alive all the same, and says that it cannot serve', async () => {
  const origin = await startProcess({ CLICKHOUSE_URL: 'http://127.0.0.1:9' });
  expect(await firstAnswer(`${origin}/livez`)).toBe(200);
  expect(await firstAnswer(`${origin}/readyz`)).toBe(503);
  expect(await firstAnswer(`${origin}/api/v1/analytics`)).toBe(503);
});

test('a process listens for gRPC calls when it can answer them: clients that balance over replicas get no failure', async () => {
  const [databasePort, grpcPort] = (await findFreePorts(2, '127.0.0.1')) as [number, number];
  const env = { CLICKHOUSE_URL: `http://127.0.0.1:${databasePort}`, GRPC_PORT: String(grpcPort) };
  const origin = await startProcess(env);
  expect(await firstAnswer(`${origin}/livez`)).toBe(200);
  await expect(once(connect(grpcPort, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');

  const database = await startHoldingProxy(new URL(db.env.CLICKHOUSE_URL!), databasePort);
  const client = createGrpcClient(analyticsV1.AnalyticsService, { address: `127.0.0.1:${grpcPort}` });
  const identity = await signer.mint(account('a'));
  await expect
    .poll(() => client.getAnalytics({ days: 1, tz: 'UTC' }, { timeoutMs: 5_000, identity }))
    .toMatchObject({ clicks: 0n });
  client.close();
  database.close();
});
