import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ChannelCredentials, Client, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { AppError, ERRORS, type ErrorCode, INTERNAL_MESSAGE, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  createGrpcClient,
  createGrpcServer,
  healthV1,
  IDENTITY_HEADER,
  linksV1,
  REQUEST_ID_HEADER,
} from '../src/index.ts';
import { type LinksContext, startLinksServer } from './servers.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(...args: Parameters<typeof startLinksServer>) {
  const server = await startLinksServer(...args);
  cleanups.push(() => server.close(0));
  return server;
}
function connect(address: string) {
  const client = createGrpcClient(linksV1.LinksService, { address });
  cleanups.push(() => client.close());
  return client;
}
/** Returns the sockets that this process connects from now on. */
function clientSockets(): Set<Socket> {
  const sockets = new Set<Socket>();
  const add = (message: unknown) => void sockets.add((message as { socket: Socket }).socket);
  subscribe('net.client.socket', add);
  cleanups.push(() => unsubscribe('net.client.socket', add));
  return sockets;
}

async function failure(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

describe('a call', () => {
  test('transfers the request, identity, request id and deadline, and returns the response', async () => {
    let seen: { context: LinksContext; id: string } | undefined;
    const server = await start(
      {
        getLink: async (request, context) => {
          seen = { context, id: request.id };
          return { link: { id: request.id, title: 'Ünïcödé 😀' } };
        },
      },
      { authenticate: (metadata) => String(metadata.get(IDENTITY_HEADER)[0]) },
    );
    const answer = await connect(server.address).getLink(
      { id: 'abc' },
      { timeoutMs: 3_000, identity: 'token', requestId: 'req-1' },
    );
    expect(answer.link).toMatchObject({ id: 'abc', title: 'Ünïcödé 😀' });
    expect(seen?.id).toBe('abc');
    expect(seen?.context.caller).toBe('token');
    expect(seen?.context.requestId).toBe('req-1');
    const leftMs = seen!.context.deadline.getTime() - Date.now();
    expect(leftMs).toBeGreaterThan(1_000);
    expect(leftMs).toBeLessThanOrEqual(3_000);
    expect(seen?.context.signal.aborted).toBe(false);
  });

  test('does not retain its response after its end, although grpc-js retains the callback for a while', async () => {
    const makeUnaryRequest = vi.spyOn(Client.prototype, 'makeUnaryRequest');
    cleanups.push(() => makeUnaryRequest.mockRestore());
    const server = await start({ getLink: async ({ id }) => ({ link: { id } }) });
    const client = connect(server.address);
    const answer = new WeakRef(await client.getLink({ id: 'abc' }, { timeoutMs: 2_000 }));
    const callback = makeUnaryRequest.mock.calls[0]!.at(-1);
    // The target of a new WeakRef stays alive until the current job ends.
    await sleep(0);
    collectGarbage();
    expect(callback).toBeInstanceOf(Function);
    expect(answer.deref()).toBeUndefined();
  });

  test('gets a request id if the client sent none or an invalid one', async () => {
    const ids: string[] = [];
    const server = await start({
      getLink: async (_request, context) => {
        ids.push(context.requestId);
        return {};
      },
    });
    const client = connect(server.address);
    await client.getLink({}, { timeoutMs: 2_000 });
    await client.getLink({}, { timeoutMs: 2_000, requestId: 'two words' });
    await client.getLink({}, { timeoutMs: 2_000, requestId: 'x'.repeat(129) });
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is reported with its method, its code and its duration', async () => {
    const calls: { method: string; code: string; durationMs: number }[] = [];
    const server = await start(
      {
        getLink: async () => ({}),
        deleteLink: async () => {
          throw new AppError('not_found', 'Link not found.');
        },
      },
      { onCall: (info) => calls.push(info) },
    );
    const client = connect(server.address);
    await client.getLink({}, { timeoutMs: 2_000 });
    await failure(client.deleteLink({}, { timeoutMs: 2_000 }));
    expect(calls.map(({ method, code }) => [method, code])).toEqual([
      ['links.v1.LinksService/GetLink', 'ok'],
      ['links.v1.LinksService/DeleteLink', 'not_found'],
    ]);
    for (const { durationMs } of calls) expect(durationMs).toBeGreaterThan(0);
  });
});

describe('an error', () => {
  test.each(Object.keys(ERRORS) as ErrorCode[])('%s arrives with its code and its public message', async (code) => {
    const server = await start({
      deleteLink: async () => {
        throw new AppError(code, `Wrong: „${code}“ 100 % 😀`, { cause: new Error('secret'), retryAfterSeconds: 7 });
      },
    });
    const error = await failure(connect(server.address).deleteLink({ id: 'x' }, { timeoutMs: 2_000 }));
    expect(error.code).toBe(code);
    expect(error.message).toBe(`Wrong: „${code}“ 100 % 😀`);
    expect(error.retryAfterSeconds).toBe(7);
    expect(JSON.stringify(error.cause)).not.toContain('secret');
  });

  test('has the gRPC status of the table, for clients of other kinds', async () => {
    const server = await start({
      getLink: async () => {
        throw new AppError('not_found', 'Link not found.');
      },
    });
    const error = await rawCall(server.address, '/links.v1.LinksService/GetLink', Buffer.alloc(0), 2_000);
    expect(error).toMatchObject({ code: status.NOT_FOUND, details: 'Link not found.' });
  });

  test('that is not an AppError is "internal" for the client and complete in the log', async () => {
    const logged: { error: AppError; requestId: string }[] = [];
    const thrown = new Error('connect ECONNREFUSED 10.1.2.3:27017');
    const server = await start(
      {
        getLink: async () => {
          throw thrown;
        },
      },
      { onError: (error, { requestId }) => logged.push({ error, requestId }) },
    );
    const error = await failure(connect(server.address).getLink({}, { timeoutMs: 2_000, requestId: 'r1' }));
    expect(error).toMatchObject({ code: 'internal', message: INTERNAL_MESSAGE });
    expect(JSON.stringify(error.cause)).not.toContain('10.1.2.3');
    expect(logged).toMatchObject([{ requestId: 'r1', error: { code: 'internal' } }]);
    expect(logged[0]?.error.cause).toBe(thrown);
  });

  test('with an unpaired surrogate in its message arrives', async () => {
    const server = await start({
      deleteLink: async () => {
        throw new AppError('invalid', 'bad \ud800');
      },
    });
    const error = await failure(connect(server.address).deleteLink({}, { timeoutMs: 2_000 }));
    expect(error).toMatchObject({ code: 'invalid', message: 'bad \ufffd' });
  });

  test('of the authentication prevents the handler from running', async () => {
    const server = await start(
      {},
      {
        authenticate: async () => {
          throw new AppError('unauthenticated', 'No.');
        },
      },
    );
    const error = await failure(connect(server.address).getLink({}, { timeoutMs: 2_000 }));
    expect(error).toMatchObject({ code: 'unauthenticated', message: 'No.' });
  });

  test('that is caused by a response of the wrong shape is "internal"', async () => {
    const server = await start({ listLinks: async () => ({ total: 2 ** 40 }) });
    const error = await failure(connect(server.address).listLinks({}, { timeoutMs: 2_000 }));
    expect(error).toMatchObject({ code: 'internal', message: INTERNAL_MESSAGE });
  });

  test('that is caused by a request of the wrong shape is "internal" for the caller', async () => {
    const server = await start({ listLinks: async () => ({}) });
    const error = await failure(connect(server.address).listLinks({ page: 2 ** 40 }, { timeoutMs: 2_000 }));
    expect(error).toMatchObject({ code: 'internal', message: INTERNAL_MESSAGE });
  });

  test('that is caused by bytes that are not a message is "invalid"', async () => {
    const server = await start({ getLink: async () => ({}) });
    const error = await rawCall(server.address, '/links.v1.LinksService/GetLink', Buffer.from([0xff]), 2_000);
    expect(error?.code).toBe(status.INVALID_ARGUMENT);
  });

  test('that is caused by a message over the limit, in either direction, leaves the connection usable', async () => {
    const server = await start({
      getLink: async ({ id }) => ({ link: { title: 'x'.repeat(Number(id)) } }),
      createLink: async () => ({}),
    });
    const client = connect(server.address);
    const title = 'x'.repeat(8 * 1024 * 1024);
    expect((await failure(client.createLink({ link: { title } }, { timeoutMs: 5_000 }))).code).toBe('too_large');
    expect((await failure(client.getLink({ id: String(title.length) }, { timeoutMs: 5_000 }))).code).toBe('internal');
    const raw = await rawCall(
      server.address,
      '/links.v1.LinksService/CreateLink',
      Buffer.alloc(9 * 1024 * 1024),
      5_000,
    );
    expect(raw?.code).toBe(status.RESOURCE_EXHAUSTED);
    await client.getLink({ id: '10' }, { timeoutMs: 2_000 });
  });
});

describe('a deadline', () => {
  test('that expires ends the call for the client and aborts the handler’s signal', async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<unknown>();
    const codes: string[] = [];
    const server = await start(
      {
        getLink: async (_request, { signal }) => {
          await once(signal, 'abort');
          resolve(signal.reason);
          signal.throwIfAborted();
          return {};
        },
      },
      { onCall: ({ code }) => codes.push(code) },
    );
    const error = await failure(connect(server.address).getLink({}, { timeoutMs: 200 }));
    expect(error).toMatchObject({ code: 'deadline_exceeded', message: UNAVAILABLE_MESSAGE, httpStatus: 503 });
    expect(await aborted).toMatchObject({ code: 'deadline_exceeded' });
    await expect.poll(() => codes).toEqual(['deadline_exceeded']);
  });

  test('is required by the server', async () => {
    const server = await start({ getLink: async () => ({}) });
    const error = await rawCall(server.address, '/links.v1.LinksService/GetLink', Buffer.alloc(0), undefined);
    expect(error?.code).toBe(status.INVALID_ARGUMENT);
    expect(error?.details).toContain('deadline');
  });

  test('is required by the client', async () => {
    const client = connect('127.0.0.1:1');
    await expect(client.getLink({}, { timeoutMs: Number.NaN })).rejects.toThrow(TypeError);
    await expect(client.getLink({}, { timeoutMs: Number.POSITIVE_INFINITY })).rejects.toThrow(TypeError);
  });
});

describe('cancelling', () => {
  test('aborts the handler’s signal, even if it is read later, and is not logged as an error', async () => {
    const errors: AppError[] = [];
    const codes: string[] = [];
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const { promise: seen, resolve: see } = Promise.withResolvers<boolean>();
    const server = await start(
      {
        getLink: async (_request, context) => {
          enter();
          await sleep(200);
          see(context.signal.aborted);
          throw new Error('interrupted');
        },
      },
      { onError: (error) => errors.push(error), onCall: ({ code }) => codes.push(code) },
    );
    const controller = new AbortController();
    const call = failure(connect(server.address).getLink({}, { timeoutMs: 5_000, signal: controller.signal }));
    await entered;
    controller.abort(new Error('the visitor left'));
    const error = await call;
    expect(error.code).toBe('unavailable');
    expect(error.cause).toMatchObject({ message: 'the visitor left' });
    expect(await seen).toBe(true);
    await expect.poll(() => codes).toEqual(['cancelled']);
    expect(errors).toEqual([]);
  });

  test('before the call sends nothing', async () => {
    let called = 0;
    const server = await start({
      getLink: async () => {
        called += 1;
        return {};
      },
    });
    const error = await failure(connect(server.address).getLink({}, { timeoutMs: 2_000, signal: AbortSignal.abort() }));
    expect(error.code).toBe('unavailable');
    expect(called).toBe(0);
  });

  test('does not abort the signal of a call that has ended', async () => {
    let signal: AbortSignal | undefined;
    const server = await start({
      getLink: async (_request, context) => {
        signal = context.signal;
        return {};
      },
    });
    await connect(server.address).getLink({}, { timeoutMs: 2_000 });
    await sleep(2_100);
    expect(signal?.aborted).toBe(false);
  });
});

describe('an unavailable server', () => {
  test('gives "unavailable" within the deadline, with a message that names no address', async () => {
    const port = await freePort();
    const error = await failure(connect(`127.0.0.1:${port}`).getLink({}, { timeoutMs: 3_000 }));
    expect(error).toMatchObject({ code: 'unavailable', message: UNAVAILABLE_MESSAGE, httpStatus: 503 });
  });

  test('is reported by ready(), as is its return', async () => {
    const client = connect(`127.0.0.1:${await freePort()}`);
    expect((await failure(client.ready(300))).code).toBe('unavailable');
    const server = await start({});
    await connect(server.address).ready(2_000);
  });

  test('lets calls without side effects be retried until it returns', async () => {
    const first = await start({ getLink: async () => ({ link: { id: 'first' } }) });
    const client = connect(first.address);
    await client.getLink({}, { timeoutMs: 2_000 });
    await first.close(0);
    const call = client.getLink({}, { timeoutMs: 4_000 });
    await sleep(150);
    await start({ getLink: async () => ({ link: { id: 'second' } }) }, { port: first.port });
    expect((await call).link?.id).toBe('second');
  });

  test('lets a lost call be retried if it has no side effects, but never a creation', async () => {
    const seen = { getLink: 0, createLink: 0 };
    const hang = async (name: keyof typeof seen, signal: AbortSignal) => {
      seen[name] += 1;
      await once(signal, 'abort');
      return {};
    };
    const first = await start({
      getLink: (_request, { signal }) => hang('getLink', signal),
      createLink: (_request, { signal }) => hang('createLink', signal),
    });
    const client = connect(first.address);
    const read = client.getLink({}, { timeoutMs: 4_000 });
    const creation = failure(client.createLink({}, { timeoutMs: 4_000 }));
    await expect.poll(() => seen).toEqual({ getLink: 1, createLink: 1 });
    await first.close(0);
    let created = 0;
    await start(
      {
        getLink: async () => ({ link: { id: 'again' } }),
        createLink: async () => {
          created += 1;
          return {};
        },
      },
      { port: first.port },
    );
    expect((await read).link?.id).toBe('again');
    expect((await creation).code).toBe('unavailable');
    expect(created).toBe(0);
  });

  // Node reports these of a connection to a process or a machine that is gone.
  test.each(['EPIPE', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH'])(
    'is assumed if a connection ends with %s',
    async (code) => {
      const sockets = clientSockets();
      let lost = 0;
      const answer = async () => {
        if (lost < 2) {
          lost += 1;
          if (lost === 2) for (const socket of sockets) socket.destroy(Object.assign(new Error(code), { code }));
          await sleep(100);
        }
        return {};
      };
      const server = await start({ getLink: answer, createLink: answer });
      const client = connect(server.address);
      const [read, creation] = [client.getLink({}, { timeoutMs: 4_000 }), client.createLink({}, { timeoutMs: 4_000 })];
      expect((await failure(creation)).code).toBe('unavailable');
      await read;
      expect(lost).toBe(2);
    },
  );

  test.each([
    ['getLink', 2],
    ['createLink', 1],
  ] as const)('a response of %s that breaks off after its beginning leads to %d calls in all', async (name, calls) => {
    let seen = 0;
    const server = createHttp2Server();
    server.on('stream', (stream) => {
      seen += 1;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      // Simulates a process that is killed in the middle of a response.
      if (seen === 1) setTimeout(() => stream.session?.destroy(), 50);
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      if (seen > 1) stream.end(Buffer.alloc(5));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const client = connect(`127.0.0.1:${(server.address() as AddressInfo).port}`);
    const call = client[name]({}, { timeoutMs: 4_000 });
    if (calls === 1) expect((await failure(call)).code).toBe('unavailable');
    else await call;
    expect(seen).toBe(calls);
  });

  test('is not assumed if the service itself responds with an error, which is not retried', async () => {
    let calls = 0;
    const server = await start({
      getLink: async () => {
        calls += 1;
        throw new AppError('unavailable', 'The database is down.', { retryAfterSeconds: 3 });
      },
    });
    const error = await failure(connect(server.address).getLink({}, { timeoutMs: 3_000 }));
    expect(error).toMatchObject({ code: 'unavailable', message: 'The database is down.', retryAfterSeconds: 3 });
    expect(calls).toBe(1);
  });

  test('is not assumed if an older server lacks the method, which is "internal"', async () => {
    const server = createGrpcServer();
    const port = await server.listen('127.0.0.1', 0);
    cleanups.push(() => server.close(0));
    const error = await failure(connect(`127.0.0.1:${port}`).getLink({}, { timeoutMs: 2_000 }));
    expect(error).toMatchObject({ code: 'internal', message: INTERNAL_MESSAGE });
  });
});

describe('several servers', () => {
  test('share the calls, also after one is gone', async () => {
    const seen = { a: 0, b: 0 };
    const counting = (name: 'a' | 'b') =>
      start({
        getLink: async () => {
          seen[name] += 1;
          return {};
        },
      });
    const [a, b] = [await counting('a'), await counting('b')];
    const client = connect(`ipv4:127.0.0.1:${a.port},127.0.0.1:${b.port}`);
    await client.getLink({}, { timeoutMs: 2_000 });
    await expect
      .poll(async () => {
        seen.a = seen.b = 0;
        for (let call = 0; call < 10; call += 1) await client.getLink({}, { timeoutMs: 2_000 });
        return seen;
      })
      .toEqual({ a: 5, b: 5 });
    await a.close(1_000);
    seen.b = 0;
    for (let call = 0; call < 10; call += 1) await client.getLink({}, { timeoutMs: 2_000 });
    expect(seen.b).toBe(10);
  });

  test('get new connections from time to time without failing a call', async () => {
    const server = await start({ createLink: async () => ({}) }, { server: { maxConnectionAgeMs: 100 } });
    const client = connect(server.address);
    const untilMs = Date.now() + 1_000;
    while (Date.now() < untilMs) await client.createLink({}, { timeoutMs: 2_000 });
  });
});

describe('the age of a connection', () => {
  const old = { maxConnectionAgeMs: 100 };
  const count = 15;
  const piece = { links: Array.from({ length: 100 }, () => ({ title: 'x'.repeat(1_000) })) };

  test('cuts no stream that goes on', async () => {
    const server = await start(
      {
        exportLinks: async function* () {
          for (let sent = 0; sent < count; sent += 1) {
            await sleep(100);
            yield piece;
          }
        },
      },
      { server: old },
    );
    let received = 0;
    for await (const _ of connect(server.address).exportLinks({}, { timeoutMs: 10_000 })) received += 1;
    expect(received).toBe(count);
  });

  test('cuts no stream that its client reads slowly', async () => {
    const server = await start(
      {
        exportLinks: async function* () {
          for (let sent = 0; sent < 60; sent += 1) yield piece;
        },
      },
      { server: old },
    );
    let received = 0;
    for await (const _ of connect(server.address).exportLinks({}, { timeoutMs: 10_000 })) {
      received += 1;
      await sleep(30);
    }
    expect(received).toBe(60);
  });

  test('cuts no call before its deadline, also if nothing is sent for long', async () => {
    const server = await start(
      {
        getLink: async () => {
          await sleep(1_500);
          return {};
        },
      },
      { server: old },
    );
    expect(await connect(server.address).getLink({}, { timeoutMs: 10_000 })).toBeDefined();
  });

  test.each(['sends', 'reads'])('does not keep a stream on which nobody %s after its deadline', async (what) => {
    const calls: string[] = [];
    const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
    const server = await start(
      {
        exportLinks: async function* (_request, { signal }) {
          signal.addEventListener('abort', () => abort());
          yield piece;
          if (what === 'sends') await once(signal, 'abort');
          else for (;;) yield piece;
        },
      },
      { server: old, onCall: ({ code }) => calls.push(code) },
    );
    const reading = failure(
      (async () => {
        for await (const _ of connect(server.address).exportLinks({}, { timeoutMs: 1_000 }))
          if (what === 'reads') await aborted;
      })(),
    );
    await aborted;
    expect((await reading).code).toBe('deadline_exceeded');
    // Whichever ends it first: the server's own deadline, or the client that gives up at its own.
    await expect.poll(() => calls).toEqual([expect.stringMatching(/^(deadline_exceeded|cancelled)$/)]);
  });
});

describe('closing', () => {
  test('lets running calls finish and refuses new ones', async () => {
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const server = await start({
      createLink: async () => {
        enter();
        await released;
        return { link: { id: 'kept' } };
      },
    });
    const client = connect(server.address);
    const running = client.createLink({}, { timeoutMs: 5_000 });
    await entered;
    const closed = server.close(5_000);
    await sleep(50);
    expect((await failure(connect(server.address).createLink({}, { timeoutMs: 2_000 }))).code).toBe('unavailable');
    release();
    expect((await running).link?.id).toBe('kept');
    await closed;
  });

  test('lets a stream with a deadline send all of its messages', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const server = await start({
      getHiddenLinks: async function* () {
        yield { linkIds: ['first'] };
        await released;
        yield { linkIds: ['last'] };
      },
    });
    const ids: string[] = [];
    let closed: Promise<void> | undefined;
    for await (const { linkIds } of connect(server.address).getHiddenLinks({}, { timeoutMs: 5_000 })) {
      ids.push(...linkIds);
      closed ??= server.close(5_000);
      release();
    }
    expect(ids).toEqual(['first', 'last']);
    await closed;
  });

  test('aborts the calls that still run after the deadline, and their signals', async () => {
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
    const server = await start({
      createLink: async (_request, { signal }) => {
        enter();
        await once(signal, 'abort');
        abort();
        return {};
      },
    });
    const running = failure(connect(server.address).createLink({}, { timeoutMs: 10_000 }));
    await entered;
    await server.close(200);
    expect((await running).code).toBe('unavailable');
    await aborted;
  });
});

describe('closing a client', () => {
  test('lets its running calls finish and refuses new ones', async () => {
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const server = await start({
      createLink: async () => {
        enter();
        await released;
        return { link: { id: 'kept' } };
      },
    });
    const client = createGrpcClient(linksV1.LinksService, { address: server.address });
    const running = client.createLink({}, { timeoutMs: 5_000 });
    await entered;
    client.close();
    expect((await failure(client.createLink({}, { timeoutMs: 1_000 }))).code).toBe('unavailable');
    release();
    expect((await running).link?.id).toBe('kept');
  });
});

describe('a stream', () => {
  const serving = healthV1.HealthCheckResponse_ServingStatus.SERVING;
  const notServing = healthV1.HealthCheckResponse_ServingStatus.NOT_SERVING;

  async function startHealth(watch: (signal: AbortSignal) => AsyncIterable<{ status: number }>) {
    const server = createGrpcServer();
    server.addService(
      healthV1.Health,
      { authenticate: () => undefined },
      {
        check: async () => ({ status: serving }),
        watch: (_request, { signal }) => watch(signal) as AsyncIterable<{ status: typeof serving }>,
      },
    );
    const port = await server.listen('127.0.0.1', 0);
    cleanups.push(() => server.close(0));
    const client = createGrpcClient(healthV1.Health, { address: `127.0.0.1:${port}` });
    cleanups.push(() => client.close());
    return { server, client, port };
  }

  test('of the health service needs no deadline, delivers every message and ends', async () => {
    const { client, port } = await startHealth(async function* () {
      yield { status: serving };
      yield { status: notServing };
    });
    const statuses: number[] = [];
    for await (const message of client.watch({ service: '' }, {})) statuses.push(message.status);
    expect(statuses).toEqual([serving, notServing]);
    expect(await rawCall(`127.0.0.1:${port}`, '/grpc.health.v1.Health/Check', Buffer.alloc(0), undefined)).toBeNull();
  });

  test('that the client cancels ends on the server too', async () => {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const { client } = await startHealth(async function* (signal) {
      yield { status: serving };
      await once(signal, 'abort');
      leave();
    });
    for await (const message of client.watch({}, {})) {
      expect(message.status).toBe(serving);
      break;
    }
    await left;
  });

  test('that fails throws the AppError', async () => {
    const { client } = await startHealth(async function* () {
      yield { status: serving };
      throw new AppError('rate_limited', 'Slower.', { retryAfterSeconds: 2 });
    });
    const error = await failure(
      (async () => {
        for await (const _ of client.watch({}, {}));
      })(),
    );
    expect(error).toMatchObject({ code: 'rate_limited', message: 'Slower.', retryAfterSeconds: 2 });
  });

  test('that may run forever does not delay closing', async () => {
    const { client, server } = await startHealth(async function* (signal) {
      yield { status: serving };
      if (!signal.aborted) await once(signal, 'abort');
    });
    const watching = failure(
      (async () => {
        for await (const _ of client.watch({}, {}));
      })(),
    );
    await sleep(100);
    await server.close(600_000);
    expect((await watching).code).toBe('unavailable');
  });

  test('ends at its deadline if it has one', async () => {
    const { client } = await startHealth(async function* (signal) {
      yield { status: serving };
      await once(signal, 'abort');
    });
    const error = await failure(
      (async () => {
        for await (const _ of client.watch({}, { timeoutMs: 200 }));
      })(),
    );
    expect(error.code).toBe('deadline_exceeded');
  });

  test('larger than the window arrives completely, and a slow reader pauses the sender', async () => {
    const { client } = await startHealth(async function* () {
      for (let message = 0; message < 50_000; message += 1) yield { status: serving };
    });
    let received = 0;
    for await (const _ of client.watch({}, {})) {
      received += 1;
      if (received % 10_000 === 0) await sleep(10);
    }
    expect(received).toBe(50_000);
  });
});

/** Sends a call with plain grpc-js, without our client. Returns its error, or null if it succeeds. */
async function rawCall(address: string, path: string, bytes: Buffer, timeoutMs: number | undefined) {
  const client = new Client(address, ChannelCredentials.createInsecure());
  const same = (value: Buffer) => value;
  const metadata = new Metadata();
  metadata.set(REQUEST_ID_HEADER, 'raw');
  const options = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
  const error = await new Promise<ServiceError | null>((resolve) => {
    client.makeUnaryRequest(path, same, same, bytes, metadata, options, resolve);
  });
  client.close();
  return error;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
