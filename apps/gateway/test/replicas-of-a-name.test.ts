import type { LookupAddress } from 'node:dns';
import dnsPromises from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type FakeService, startFakeService } from './fake-service.ts';
import { startGateway, type TestGateway } from './gateway.ts';

/** What DNS answers for the name `links-svc`. */
const dns = { addresses: [] as string[], isDown: false };
async function lookup(name: string): Promise<LookupAddress[]> {
  if (name !== 'links-svc') return [{ address: name, family: 4 }];
  if (dns.isDown) throw Object.assign(new Error('getaddrinfo EAI_AGAIN links-svc'), { code: 'EAI_AGAIN' });
  return dns.addresses.map((address) => ({ address, family: 4 }));
}
beforeAll(() => {
  vi.spyOn(dnsPromises, 'lookup').mockImplementation(lookup as unknown as typeof dnsPromises.lookup);
  syncBuiltinESMExports();
});
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

let replicas: FakeService[];
let gateway: TestGateway;
let key: string;
beforeEach(async () => {
  const first = await startFakeService();
  const { port } = new URL(first.origin);
  replicas = [
    first,
    await startFakeService('127.0.0.2', Number(port)),
    await startFakeService('127.0.0.3', Number(port)),
  ];
  dns.addresses = ['127.0.0.1', '127.0.0.2'];
  dns.isDown = false;
  await start();
});
afterEach(async () => {
  await gateway.close();
  await Promise.all(replicas.map((one) => one.close()));
});

async function start(): Promise<void> {
  const { port } = new URL(replicas[0]!.origin);
  gateway = await startGateway({ LINKS_URL: [`http://links-svc:${port}`] });
  key = gateway.accounts.addKey({ username: 'ada' });
}

/** Sends six creations and returns how many each replica got. */
async function create(): Promise<number[]> {
  for (const one of replicas) one.received.length = 0;
  for (let n = 0; n < 6; n++) {
    const init = { method: 'POST', body: '{}', headers: { authorization: `Bearer ${key}` } };
    expect((await fetch(`${gateway.url}/api/v1/links`, init)).status).toBe(200);
  }
  return replicas.map((one) => one.received.length);
}

/** Waits until the name is resolved again. */
async function resolveAgain(): Promise<void> {
  await sleep(1_050);
  await gateway.get('/readyz');
}

test('requests are balanced over all addresses of a name; new ones are found, and old ones are forgotten', async () => {
  expect(await create()).toEqual([3, 3, 0]);
  dns.addresses = ['127.0.0.2', '127.0.0.3'];
  await resolveAgain();
  expect(await create()).toEqual([0, 3, 3]);
});

test('an address that refuses connections is skipped, and no request fails', async () => {
  await create();
  await replicas[0]!.close();
  expect(await create()).toEqual([0, 6, 0]);
});

test('while DNS does not answer, requests go to the addresses from before', async () => {
  await create();
  dns.isDown = true;
  await resolveAgain();
  expect(await create()).toEqual([3, 3, 0]);
});

test('a name that was never resolved gives 503', async () => {
  await gateway.close();
  dns.isDown = true;
  await start();
  expect((await gateway.get('/api/v1/me', key)).status).toBe(503);
  dns.isDown = false;
  expect((await gateway.get('/api/v1/me', key)).status).toBe(200);
});
