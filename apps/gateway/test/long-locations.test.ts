import { request } from 'node:http';
import { LOCATION_MAX_BYTES } from '@waymark/service-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

/** Sends a request and returns the status and `Location` of the response. Unlike `fetch`, it accepts long headers. */
function send(method: string, path: string): Promise<{ status: number | undefined; location: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(gateway.url + path, { method, agent: false, maxHeaderSize: 1e6 }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, location: response.headers.location });
    });
    sent.on('error', reject).end();
  });
}

test.each([
  ['GET', 302],
  ['POST', 303],
])('the longest Location of a redirect passes: %s', async (method, status) => {
  const location = 'https://example.com/'.padEnd(LOCATION_MAX_BYTES, 'x');
  gateway.links.on('/long', (_request, response) => {
    response.writeHead(status, { location, 'cache-control': 'no-store' }).end();
  });
  expect(await send(method, '/long')).toEqual({ status, location });
});
