import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGateway, type TestGateway } from './gateway.ts';

const MIB = 1024 * 1024;
const CHUNK = Buffer.alloc(MIB, 'x');

let gateway: TestGateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  key = gateway.accounts.addKey({ username: 'ada' });
});
afterEach(() => gateway.close());

/** Lets a path of links-svc write as many chunks as the gateway takes. */
function serve(path: string, chunks: number) {
  const served = { response: undefined as ServerResponse | undefined, written: 0 };
  gateway.links.on(path, (_request, response) => {
    served.response = response;
    const writeMore = () => {
      if (served.written++ < chunks) response.write(CHUNK, writeMore);
      else response.end();
    };
    response.on('error', () => {}).writeHead(200, { 'content-type': 'text/plain' });
    writeMore();
  });
  return served;
}

test('the gateway reads a response no faster than the client, and stops the service when the client is gone', async () => {
  const served = serve('/api/v1/links/endless', Infinity);
  const client = connect(gateway.port, '127.0.0.1');
  client.write(`GET /api/v1/links/endless HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await once(client, 'readable');
  let before = -1;
  while (served.written !== before) {
    before = served.written;
    await sleep(300);
  }
  // What the buffers of two connections hold.
  expect(served.written).toBeLessThan(32);
  const closed = once(served.response!, 'close');
  client.destroy();
  await closed;
});

test('a long response is forwarded whole', async () => {
  serve('/api/v1/links/long', 40);
  const response = await gateway.get('/api/v1/links/long', key);
  expect((await response.arrayBuffer()).byteLength).toBe(40 * MIB);
});
