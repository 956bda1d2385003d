// Holds what streams of requests promise: `rpc Method(stream Request) returns (Response)`.
import { once } from 'node:events';
import { constants } from 'node:http2';
import { AppError } from '@waymark/contract';
import { afterEach, expect, test } from 'vitest';
import {
  createGrpcClient,
  createGrpcServer,
  type GrpcServerOptions,
  IDENTITY_HEADER,
  type Implementation,
  jobsV1,
} from '../src/index.ts';
import { encode } from '../src/messages.ts';
import type { ServiceOptions } from '../src/server.ts';
import { beginCall, ended, grpcMessage, openHttp2 } from './http2-clients.ts';

type Upload = Implementation<typeof jobsV1.JobsService, string>['importLinks'];
type Requests = Parameters<Upload>[0];

const IMPORT_LINKS = '/jobs.v1.JobsService/ImportLinks';
const PIECE = new Uint8Array(65_536);
const TIMEOUT_MS = 10_000;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(
  importLinks: Upload,
  options: Partial<ServiceOptions<string>> & { server?: GrpcServerOptions } = {},
) {
  const calls: string[] = [];
  const unexpected = (): never => {
    throw new Error('the test did not expect this call');
  };
  const server = createGrpcServer(options.server);
  server.addService(
    jobsV1.JobsService,
    {
      authenticate: options.authenticate ?? ((metadata) => String(metadata.get(IDENTITY_HEADER)[0])),
      onCall: ({ code }) => calls.push(code),
    },
    {
      startJob: async () => unexpected(),
      getJob: async () => unexpected(),
      undoJob: async () => unexpected(),
      importLinks,
      getAccountJob: async () => unexpected(),
      getRefusedRows: unexpected,
    },
  );
  const port = await server.listen('127.0.0.1', 0);
  cleanups.push(() => server.close(0));
  const client = createGrpcClient(jobsV1.JobsService, { address: `127.0.0.1:${port}` });
  cleanups.push(() => client.close());
  return { server, port, client, calls };
}

async function open(port: number) {
  const session = await openHttp2(port);
  cleanups.push(() => session.destroy());
  return session;
}

async function* pieces(count: number, onPiece: () => void = () => {}) {
  for (let n = 0; n < count; n++) {
    onPiece();
    yield { piece: PIECE };
  }
}

/** Sends pieces for as long as the call lasts. */
async function* endless(onEnd: () => void = () => {}) {
  try {
    for (;;) yield { piece: PIECE };
  } finally {
    onEnd();
  }
}

async function bytesIn(requests: Requests): Promise<number> {
  let bytes = 0;
  for await (const { piece } of requests) bytes += piece.length;
  return bytes;
}

/** Returns a handler that reads everything, and how its reading ended. */
function reader() {
  const { promise: first, resolve: begin } = Promise.withResolvers<void>();
  const { promise: end, resolve } = Promise.withResolvers<{ error?: unknown; aborted: boolean }>();
  const handle: Upload = async (requests, { signal }) => {
    try {
      for await (const _ of requests) begin();
      resolve({ aborted: signal.aborted });
    } catch (error) {
      resolve({ error, aborted: signal.aborted });
      throw error;
    }
    return {};
  };
  return { handle, first, end };
}

/** Node's client closes both directions of a stream that it cancels, so that the server may see either first. */
async function expectBroken(calls: string[]): Promise<void> {
  await expect.poll(() => calls).toHaveLength(1);
  expect(['cancelled', 'invalid']).toContain(calls[0]);
}

test('every request arrives in its order, then the response, with the identity and the deadline of the call', async () => {
  const seen: unknown[] = [];
  const { client, calls } = await start(async (requests, { caller, deadline, requestId }) => {
    seen.push(caller, requestId, deadline.getTime() > Date.now());
    for await (const { username } of requests) seen.push(username);
    return { guessedEncoding: 'all' };
  });
  const names = Array.from({ length: 100 }, (_, n) => `name${n}`);
  async function* requests() {
    for (const username of names) yield { username };
  }
  const call = { timeoutMs: TIMEOUT_MS, identity: 'token', requestId: 'req-1' };
  expect(await client.importLinks(requests(), call)).toMatchObject({ guessedEncoding: 'all' });
  expect(seen).toEqual(['token', 'req-1', true, ...names]);
  expect(calls).toEqual(['ok']);
});

test('a stream of no requests is one', async () => {
  const { client } = await start(async (requests) => ({ guessedEncoding: String(await bytesIn(requests)) }));
  expect((await client.importLinks(pieces(0), { timeoutMs: TIMEOUT_MS })).guessedEncoding).toBe('0');
});

test('a handler that does not read stops the client, and all of it arrives when it reads on', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { client } = await start(async (requests) => {
    await released;
    return { guessedEncoding: String(await bytesIn(requests)) };
  });
  const count = 1_000;
  let sent = 0;
  const call = client.importLinks(
    pieces(count, () => {
      sent += 1;
    }),
    { timeoutMs: 60_000 },
  );
  // It stops: the number stays the same between two looks, and is a small part.
  let before = -1;
  await expect
    .poll(
      () => {
        const isSame = sent > 0 && sent === before;
        before = sent;
        return isSame;
      },
      { interval: 300 },
    )
    .toBe(true);
  expect(sent).toBeLessThan(count / 4);
  release();
  expect((await call).guessedEncoding).toBe(String(count * PIECE.length));
});

test('a slow client gets its response as well', async () => {
  const { client } = await start(async (requests) => ({ guessedEncoding: String(await bytesIn(requests)) }));
  async function* slowly() {
    for await (const request of pieces(20)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      yield request;
    }
  }
  const { guessedEncoding } = await client.importLinks(slowly(), { timeoutMs: TIMEOUT_MS });
  expect(guessedEncoding).toBe(String(20 * PIECE.length));
});

test('a handler that fails before the end: the client gets its error and stops to read its source', async () => {
  const { client, calls } = await start(async (requests) => {
    for await (const _ of requests) throw new AppError('too_large', 'Enough.');
    return {};
  });
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const call = client.importLinks(endless(stop), { timeoutMs: TIMEOUT_MS });
  await expect(call).rejects.toMatchObject({ code: 'too_large', message: 'Enough.' });
  await stopped;
  expect(calls).toEqual(['too_large']);
  // The connection is not used up.
  for (let n = 0; n < 5; n++)
    await expect(client.importLinks(endless(), { timeoutMs: TIMEOUT_MS })).rejects.toMatchObject({ code: 'too_large' });
});

test.each(['nothing', 'only the beginning'])(
  'a handler that reads %s answers when all of it was sent',
  async (what) => {
    const { client } = await start(async (requests) => {
      if (what !== 'nothing') for await (const _ of requests) break;
      return { guessedEncoding: 'early' };
    });
    let sent = 0;
    const all = pieces(200, () => {
      sent += 1;
    });
    expect(await client.importLinks(all, { timeoutMs: TIMEOUT_MS })).toMatchObject({ guessedEncoding: 'early' });
    expect(sent).toBe(200);
  },
);

test('a source that fails cancels the call, and its error is the caller’s', async () => {
  const { handle, first, end } = reader();
  const { client, calls } = await start(handle);
  const fault = new Error('cannot read');
  async function* failing() {
    yield { piece: PIECE };
    await first;
    throw fault;
  }
  await expect(client.importLinks(failing(), { timeoutMs: TIMEOUT_MS })).rejects.toBe(fault);
  expect((await end).error).toBeInstanceOf(Error);
  await expectBroken(calls);
});

test('a client that cancels ends the reading of the handler with an error', async () => {
  const { handle, first, end } = reader();
  const { client, calls } = await start(handle);
  const controller = new AbortController();
  const call = client.importLinks(endless(), { timeoutMs: TIMEOUT_MS, signal: controller.signal });
  first.then(() => controller.abort(new Error('interrupted')));
  await expect(call).rejects.toMatchObject({ code: 'unavailable', cause: { message: 'interrupted' } });
  expect((await end).error).toBeInstanceOf(Error);
  await expectBroken(calls);
});

test.each(['its connection', 'its socket', 'its stream with an error', 'its stream without an error', 'its sending'])(
  'a client that closes %s in the middle is never taken for the end',
  async (what) => {
    const { handle, first, end } = reader();
    const { port, calls } = await start(handle);
    const session = await open(port);
    const stream = beginCall(session, IMPORT_LINKS);
    stream.write(grpcMessage(encode(jobsV1.ImportLinksRequestSchema, { piece: PIECE })));
    await first;
    if (what === 'its connection') session.destroy();
    else if (what === 'its socket') session.socket.destroy();
    else if (what === 'its sending') stream.end();
    else stream.close(what.includes('without') ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_CANCEL);
    expect((await end).error).toBeInstanceOf(Error);
    await expectBroken(calls);
  },
);

test('a deadline ends both sides', async () => {
  const { handle, end } = reader();
  const { client } = await start(handle);
  async function* waiting() {
    yield { piece: PIECE };
    await new Promise(() => {});
  }
  await expect(client.importLinks(waiting(), { timeoutMs: 300 })).rejects.toMatchObject({ code: 'deadline_exceeded' });
  expect((await end).error).toBeInstanceOf(Error);
  await expect(client.importLinks(pieces(1), { timeoutMs: Number.NaN })).rejects.toThrow(TypeError);
});

test('a deadline ends the reading of the handler also if the client does not know it', async () => {
  const { handle, first, end } = reader();
  const { port, calls } = await start(handle);
  const stream = beginCall(await open(port), IMPORT_LINKS, { 'grpc-timeout': '300m' });
  stream.write(grpcMessage(encode(jobsV1.ImportLinksRequestSchema, { piece: PIECE })));
  await first;
  expect(await end).toMatchObject({ error: expect.any(Error), aborted: true });
  await expect.poll(() => calls).toEqual(['deadline_exceeded']);
});

test('a request over the limit is refused before it is sent, or by the server', async () => {
  const { handle, first, end } = reader();
  const { client, port } = await start(handle);
  async function* large() {
    yield { piece: new Uint8Array(8 * 1_024 * 1_024) };
  }
  await expect(client.importLinks(large(), { timeoutMs: TIMEOUT_MS })).rejects.toMatchObject({ code: 'too_large' });
  const stream = beginCall(await open(port), IMPORT_LINKS);
  const response = once(stream, 'response');
  stream.write(grpcMessage(encode(jobsV1.ImportLinksRequestSchema, { piece: PIECE })));
  await first;
  stream.write(grpcMessage(Buffer.alloc(8 * 1_024 * 1_024 + 1)));
  expect((await response)[0]).toMatchObject({ 'grpc-status': '8' });
  expect(await end).toMatchObject({ error: expect.any(Error) });
});

test('a request without fields is a fault of the client, because it would end the stream', async () => {
  const { client } = await start(reader().handle);
  async function* requests() {
    yield { username: 'a' };
    yield {};
  }
  await expect(client.importLinks(requests(), { timeoutMs: TIMEOUT_MS })).rejects.toThrow(RangeError);
});

test('a request that is no message is "invalid"', async () => {
  const { port, calls } = await start(async (requests) => ({ guessedEncoding: String(await bytesIn(requests)) }));
  const stream = beginCall(await open(port), IMPORT_LINKS).end(grpcMessage(Buffer.from([0xff])));
  await ended(stream);
  expect(calls).toEqual(['invalid']);
});

test('no request is read before its sender is known', async () => {
  let isCalled = false;
  const { port, client, calls } = await start(
    async () => {
      isCalled = true;
      return {};
    },
    {
      authenticate: async () => {
        throw new AppError('unauthenticated', 'No identity.');
      },
    },
  );
  await expect(client.importLinks(endless(), { timeoutMs: TIMEOUT_MS })).rejects.toMatchObject({
    code: 'unauthenticated',
    message: 'No identity.',
  });
  const session = await open(port);
  const before = session.socket.bytesWritten;
  const stream = beginCall(session, IMPORT_LINKS);
  stream.write(grpcMessage(Buffer.alloc(1_024 * 1_024)));
  await ended(stream);
  expect(session.socket.bytesWritten - before).toBeLessThan(256 * 1_024);
  expect([isCalled, calls]).toEqual([false, ['unauthenticated', 'unauthenticated']]);
});

test('the age of its connection does not cut an upload, and its deadline ends one that stops', async () => {
  const { handle, end } = reader();
  let read: Upload = async (requests) => ({ guessedEncoding: String(await bytesIn(requests)) });
  const { client } = await start((...args) => read(...args), { server: { maxConnectionAgeMs: 100 } });
  async function* slowly() {
    for await (const request of pieces(15)) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      yield request;
    }
  }
  const { guessedEncoding } = await client.importLinks(slowly(), { timeoutMs: TIMEOUT_MS });
  expect(guessedEncoding).toBe(String(15 * PIECE.length));
  read = handle;
  async function* stopping() {
    yield { piece: PIECE };
    await new Promise(() => {});
  }
  const call = client.importLinks(stopping(), { timeoutMs: 1_000 });
  await expect(call).rejects.toMatchObject({ code: 'deadline_exceeded' });
  expect((await end).error).toBeInstanceOf(Error);
});

test('an upload that is lost is not repeated', async () => {
  let calls = 0;
  const { server, client } = await start(async (requests) => {
    calls += 1;
    for await (const _ of requests) void server.close(0);
    return {};
  });
  await expect(client.importLinks(endless(), { timeoutMs: TIMEOUT_MS })).rejects.toMatchObject({ code: 'unavailable' });
  expect(calls).toBe(1);
});

test('closing lets a running upload finish', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { server, client } = await start(async (requests) => {
    begin();
    return { guessedEncoding: String(await bytesIn(requests)) };
  });
  let closed: Promise<void> | undefined;
  async function* requests() {
    yield { piece: PIECE };
    await begun;
    closed = server.close(TIMEOUT_MS);
    yield { piece: PIECE };
  }
  const { guessedEncoding } = await client.importLinks(requests(), { timeoutMs: TIMEOUT_MS });
  expect(guessedEncoding).toBe(String(2 * PIECE.length));
  await closed;
});
