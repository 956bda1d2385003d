import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

const MIB = 1024 * 1024;

let gateway: TestGateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  key = gateway.accounts.addKey({ username: 'ada' });
});
afterEach(() => gateway.close());

test('a service’s response over 16 MiB is not read to its end, and the client gets an error that says what to do', async () => {
  let isCut = false;
  gateway.links.on('/api/v1/links/endless', (_request, response) => {
    response
      .on('error', () => {})
      .on('close', () => {
        isCut = true;
      });
    const chunk = Buffer.alloc(MIB, 'x');
    const writeMore = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(200).on('drain', writeMore);
    writeMore();
  });
  gateway.links.on('/api/v1/links/long', (_request, response) => void response.end(Buffer.alloc(16 * MIB, 'x')));
  const refused = await gateway.get('/api/v1/links/endless', key);
  expect(refused.status).toBe(422);
  expect(await errorOf(refused)).toBe('The response is over 16 MiB; request less at once.');
  await vi.waitFor(() => expect(isCut).toBe(true));
  const passed = await gateway.get('/api/v1/links/long', key);
  expect([passed.status, (await passed.text()).length]).toEqual([200, 16 * MIB]);
});

test('pending responses of services hold at most 128 MiB together; further ones give 503, and the others are served', async () => {
  const held: ServerResponse[] = [];
  gateway.links.on('/api/v1/links/held', (_request, response) => {
    response.on('error', () => {});
    response.writeHead(200).write(Buffer.alloc(15 * MIB, 'x'));
    held.push(response);
  });
  const refusals: string[] = [];
  const lengths: number[] = [];
  const all = Array.from({ length: 12 }, async () => {
    const response = await gateway.get('/api/v1/links/held', key);
    if (response.status === 200) return lengths.push((await response.arrayBuffer()).byteLength);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    return refusals.push(await errorOf(response));
  });
  await vi.waitFor(() => expect(refusals).toHaveLength(4), { timeout: 4_000 });
  expect(new Set(refusals)).toEqual(new Set(['The service is too busy right now; try again in a moment.']));
  expect((await gateway.get('/api/v1/links/other', key)).status).toBe(200);
  for (const response of held) response.end();
  await Promise.all(all);
  expect(lengths).toEqual(Array(8).fill(15 * MIB));
  expect((await gateway.get('/api/v1/links/other', key)).status).toBe(200);
});
