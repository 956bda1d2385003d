import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { createGunzip, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGateway, type TestGateway } from './gateway.ts';

// docs/adr/0044: lists of the dashboard are compressed, and nothing that a program gets.

const LINKS = '/api/v1/links';
const LIST = JSON.stringify({ links: Array.from({ length: 200 }, (_, n) => ({ slug: `slug-${n}`, clicks: n })) });
const SHORT_LIST = JSON.stringify({ links: [] });

let gateway: TestGateway;
let session: string;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  key = gateway.accounts.addKey({ username: 'ada' });
  session = gateway.accounts.addSession({ username: 'ada' });
});
afterEach(() => gateway.close());

function answerWith(body: string, type = 'application/json; charset=utf-8'): void {
  gateway.links.on(LINKS, (_request, response) => {
    response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
  });
}

/** Sends a request without what `fetch` adds to it. */
async function send(credential: string, acceptEncoding: string | undefined, method = 'GET') {
  const headers = {
    authorization: `Bearer ${credential}`,
    ...(acceptEncoding && { 'accept-encoding': acceptEncoding }),
  };
  const sent = request(gateway.url + LINKS, { method, headers }).end();
  const [response] = await once(sent, 'response');
  const { 'content-encoding': encoding, 'content-length': length, vary } = response.headers;
  return { response, encoding, length, vary };
}

test.each([
  ['whole', LIST, String(gzipSync(LIST, { level: 4 }).length)],
  ['as a stream', JSON.stringify({ links: [LIST.repeat(5)] }), undefined],
])('a list of a session that is forwarded %s is compressed for a browser', async (_how, body, expectedLength) => {
  answerWith(body);
  const { response, encoding, length, vary } = await send(session, 'gzip, deflate, br, zstd');
  expect([encoding, length, vary]).toEqual(['gzip', expectedLength, 'Accept-Encoding']);
  expect(await text(response.pipe(createGunzip()))).toBe(body);
});

test.each([
  ['a key', () => key, 'gzip', LIST, 'application/json'],
  ['a client that does not read gzip', () => session, undefined, LIST, 'application/json'],
  ['a client that refuses gzip', () => session, 'br, gzip;q=0', LIST, 'application/json'],
  ['a short response', () => session, 'gzip', SHORT_LIST, 'application/json'],
  ['a file', () => session, 'gzip', LIST, 'text/csv'],
])('nothing is compressed: %s', async (_what, credential, acceptEncoding, body, type) => {
  answerWith(body, type);
  const { response, encoding, length } = await send(credential(), acceptEncoding);
  expect([encoding, length]).toEqual([undefined, String(body.length)]);
  expect(await text(response)).toBe(body);
});

test('the headers of a list, without its body, are those of the list', async () => {
  answerWith(LIST);
  const { response, encoding, length } = await send(session, 'gzip', 'HEAD');
  expect([response.statusCode, encoding, length]).toEqual([200, undefined, String(LIST.length)]);
  expect(await text(response)).toBe('');
});

test('a compressed list that breaks off is an error for the client, and one that nobody reads is not read either', async () => {
  const asked: ServerResponse[] = [];
  const long = 4 * LIST.length + 20_000;
  gateway.links.on(LINKS, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': long }).write(LIST);
    asked.push(response);
  });
  const broken = await send(session, 'gzip');
  asked[0]!.destroy();
  await expect(text(broken.response)).rejects.toThrow();
  const left = await send(session, 'gzip');
  const closed = once(asked[1]!, 'close');
  left.response.destroy();
  await closed;
  expect(asked[1]!.writableFinished).toBe(false);
});
