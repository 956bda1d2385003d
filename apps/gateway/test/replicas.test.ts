import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { startFakeService } from './fake-service.ts';
import { startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

test('requests rotate over the replicas of a service, and clients do not notice a lost one', async () => {
  const [first, second] = [await startFakeService(), await startFakeService()];
  gateway = await startGateway({ MCP_URL: [first.origin, second.origin] });
  const key = gateway.accounts.addKey({ username: 'ada' });
  const post = async () => {
    const init = { method: 'POST', body: '{}', headers: { authorization: `Bearer ${key}` } };
    return (await fetch(`${gateway.url}/mcp`, init)).status;
  };
  for (let i = 0; i < 6; i++) expect(await post()).toBe(200);
  expect([first.received.length, second.received.length]).toEqual([3, 3]);
  await first.close();
  expect((await gateway.get('/readyz')).status).toBe(200);
  for (let i = 0; i < 6; i++) expect(await post()).toBe(200);
  expect(second.received.length).toBe(9);
  await second.close();
  expect(await post()).toBe(503);
});

test('a stopping replica, which closes its connections, gets no new requests while another one is available', async () => {
  const [first, second] = [await startFakeService(), await startFakeService()];
  gateway = await startGateway({ MCP_URL: [first.origin, second.origin] });
  const key = gateway.accounts.addKey({ username: 'ada' });
  first.on('/mcp', (_request, response) => response.writeHead(200, { connection: 'close' }).end('{}'));
  for (let i = 0; i < 6; i++) expect((await gateway.get('/mcp', key)).status).toBe(200);
  expect([first.received.length, second.received.length]).toEqual([1, 5]);
  await Promise.all([first.close(), second.close()]);
});

test.each([
  ['stops', 200, 'close'],
  ['starts', 503, 'keep-alive'],
])('a replica that %s gets no requests while another one is available', async (_, status, connection) => {
  const [first, second] = [await startFakeService(), await startFakeService()];
  gateway = await startGateway({ MCP_URL: [first.origin, second.origin] });
  const key = gateway.accounts.addKey({ username: 'ada' });
  first.on('/startupz', (_request, response) => response.writeHead(status, { connection }).end('{}'));
  await sleep(1_000);
  for (let i = 0; i < 6; i++) expect((await gateway.get('/mcp', key)).status).toBe(200);
  expect([first.received.length, second.received.length]).toEqual([0, 6]);
  await Promise.all([first.close(), second.close()]);
});

test('a request that a replica refuses to read does not eject the replica', async () => {
  const [first, second] = [await startFakeService(), await startFakeService()];
  gateway = await startGateway({ MCP_URL: [first.origin, second.origin] });
  const key = gateway.accounts.addKey({ username: 'ada' });
  first.on('/mcp', (_request, response) => response.writeHead(431, { connection: 'close' }).end('{}'));
  for (let i = 0; i < 6; i++) await gateway.get('/mcp', key);
  expect([first.received.length, second.received.length]).toEqual([3, 3]);
  await Promise.all([first.close(), second.close()]);
});
