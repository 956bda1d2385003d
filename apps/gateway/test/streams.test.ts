import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { startGateway, type TestGateway } from './gateway.ts';

const EXPORT = '/api/v1/links/export';

let gateway: TestGateway;
afterEach(() => gateway.close());

/** Lets the export wait for the test, which gets the response of links-svc. */
async function startExport(init: RequestInit = {}) {
  gateway = await startGateway();
  const key = gateway.accounts.addKey({ username: 'ada' });
  const asked = new Promise<ServerResponse>((resolve) => {
    gateway.links.on(EXPORT, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' }).write('first\r\n');
      resolve(response);
    });
  });
  const response = await fetch(`${gateway.url}${EXPORT}`, { headers: { authorization: `Bearer ${key}` }, ...init });
  const reader = response.body!.getReader();
  const read = async () => Buffer.from((await reader.read()).value ?? []).toString();
  return { response, upstream: await asked, read };
}

test('an export is forwarded while it arrives', async () => {
  const { response, upstream, read } = await startExport();
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv']);
  expect(await read()).toBe('first\r\n');
  upstream.end('last\r\n');
  expect(await read()).toBe('last\r\n');
});

test('an export that breaks off is an error for the client', async () => {
  const { upstream, read } = await startExport();
  await read();
  upstream.destroy();
  await expect(read()).rejects.toThrow();
});

test('when the client disconnects, so does the gateway', async () => {
  const abort = new AbortController();
  const { upstream, read } = await startExport({ signal: abort.signal });
  await read();
  const closed = once(upstream, 'close');
  abort.abort();
  await closed;
  expect(upstream.writableFinished).toBe(false);
});

test('an error of an export, and one of links-svc being down, is the usual response', async () => {
  gateway = await startGateway();
  const key = gateway.accounts.addKey({ username: 'ada' });
  gateway.links.on(EXPORT, (_request, response) => {
    response.writeHead(422, { 'content-type': 'application/json' }).end('{"error":"No."}');
  });
  const refused = await gateway.get(EXPORT, key);
  expect([refused.status, await refused.json()]).toEqual([422, { error: 'No.' }]);
  await gateway.links.close();
  const down = await gateway.get(EXPORT, key);
  expect(down.status).toBe(503);
  expect(down.headers.get('retry-after')).toBe('1');
});
