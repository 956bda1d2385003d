import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { IMPORT_MAX_BYTES } from '@waymark/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startFakeService } from './fake-service.ts';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

// The file of an import is forwarded as it arrives: neither the gateway nor the service holds it.

let gateway: TestGateway;
let service: Server;
let key: string;
let serve: (request: IncomingMessage, response: ServerResponse) => void;
beforeEach(async () => {
  service = createServer((request, response) => {
    if (request.url === '/readyz') response.end('{"status":"ready"}');
    else serve(request, response);
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  gateway = await startGateway({ LINKS_URL: [`http://127.0.0.1:${(service.address() as AddressInfo).port}`] });
  key = gateway.accounts.addKey({ username: 'ada' });
});
afterEach(async () => {
  service.closeAllConnections();
  service.close();
  await gateway.close();
});

const IMPORT = '/api/v1/jobs/import';
const PIECE = Buffer.alloc(64 * 1024, 'x');

function upload(body: Buffer | ReadableStream, { signal, headers }: { signal?: AbortSignal; headers?: object } = {}) {
  return fetch(gateway.url + IMPORT, {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv', ...headers },
    ...(signal && { signal }),
  } as RequestInit);
}

/** A body that the test sends piece by piece. */
function openBody() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(one) {
      controller = one;
    },
  });
  return { body, send: (piece: Uint8Array = PIECE) => controller.enqueue(piece), end: () => controller.close() };
}

/** Counts the bytes of a request, and responds at its end. */
function counting(): { bytes: number; ended: boolean; aborted: boolean; type: string | undefined } {
  const seen = { bytes: 0, ended: false, aborted: false, type: undefined as string | undefined };
  serve = (request, response) => {
    seen.type = request.headers['content-type'];
    request.on('data', (piece: Buffer) => {
      seen.bytes += piece.length;
    });
    request.on('error', () => {
      seen.aborted = true;
    });
    request.on('end', () => {
      seen.ended = true;
      response.writeHead(202, { 'content-type': 'application/json' }).end('{}');
    });
  };
  return seen;
}

test('the service gets each piece before the next one is sent, also over more than 4 seconds', async () => {
  const seen = counting();
  const { body, send, end } = openBody();
  const sent = upload(body);
  for (let pieces = 1; pieces <= 3; pieces++) {
    send();
    await vi.waitFor(() => expect(seen.bytes).toBe(pieces * PIECE.length), { timeout: 30_000 });
    await sleep(2_000);
  }
  end();
  expect((await sent).status).toBe(202);
  expect(seen).toMatchObject({ ended: true, type: 'text/csv' });
});

test('a service that does not read stops the client', async () => {
  let received: IncomingMessage | undefined;
  serve = (request) => {
    received = request;
  };
  let pulled = 0;
  const body = new ReadableStream({
    async pull(controller) {
      await nextTurn();
      pulled += PIECE.length;
      controller.enqueue(PIECE);
    },
  });
  const controller = new AbortController();
  const sent = upload(body, { signal: controller.signal });
  await vi.waitFor(() => expect(received).toBeDefined(), { timeout: 30_000 });
  await vi.waitFor(
    async () => {
      const before = pulled;
      await sleep(300);
      expect(pulled).toBe(before);
    },
    { timeout: 30_000 },
  );
  expect(pulled).toBeLessThan(32 * 1024 * 1024);
  controller.abort();
  await expect(sent).rejects.toThrow();
});

test('a body over 64 MiB is 413, with and without Content-Length, and the service sees that it broke off', async () => {
  const seen = counting();
  const announced = await upload(Buffer.alloc(IMPORT_MAX_BYTES + 1));
  expect([announced.status, await errorOf(announced)]).toEqual([413, 'The body is over 64 MiB; send a smaller one.']);
  let left = IMPORT_MAX_BYTES + 1;
  const body = new ReadableStream({
    pull(controller) {
      const size = Math.min(left, PIECE.length);
      left -= size;
      if (size === 0) controller.close();
      else controller.enqueue(PIECE.subarray(0, size));
    },
  });
  expect((await upload(body)).status).toBe(413);
  await vi.waitFor(() => expect(seen).toMatchObject({ aborted: true, ended: false }), { timeout: 30_000 });
});

test('if the client goes in the middle, the service sees that the body broke off', async () => {
  const seen = counting();
  const { body, send } = openBody();
  const controller = new AbortController();
  const sent = upload(body, { signal: controller.signal });
  send();
  await vi.waitFor(() => expect(seen.bytes).toBe(PIECE.length), { timeout: 30_000 });
  controller.abort();
  await expect(sent).rejects.toThrow();
  await vi.waitFor(() => expect(seen).toMatchObject({ aborted: true, ended: false }), { timeout: 30_000 });
});

test('a response that the service sends before the end of the body reaches the client', async () => {
  serve = (request, response) => {
    request.once('data', () => {
      response.writeHead(422, { 'content-type': 'application/json', connection: 'close' }).end('{"error":"No."}');
    });
  };
  const { body, send } = openBody();
  const sent = upload(body);
  send();
  const response = await sent;
  expect([response.status, await errorOf(response)]).toEqual([422, 'No.']);
});

test('an invalid key is refused before anything is forwarded', async () => {
  const seen = counting();
  const refused = await upload(PIECE, { headers: { authorization: 'Bearer none' } });
  expect([refused.status, seen.bytes]).toEqual([401, 0]);
});

test('a replica that cannot be reached is passed over, and the file is whole', async () => {
  const [gone, there] = [await startFakeService(), await startFakeService()];
  const other = await startGateway({ LINKS_URL: [gone.origin, there.origin] }, { replicaOf: gateway });
  await gone.close();
  const init = { method: 'POST', body: 'url\nhttps://example.com/\n', headers: { authorization: `Bearer ${key}` } };
  for (let n = 0; n < 4; n++) expect((await fetch(other.url + IMPORT, init)).status).toBe(200);
  expect(there.received.map(({ body }) => body)).toEqual(Array(4).fill(init.body));
  await there.close();
  await other.close();
});
