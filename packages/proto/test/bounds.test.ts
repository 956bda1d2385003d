// Holds what clients without an identity cannot do to a gRPC server, and that they do not limit our own services.
import { once } from 'node:events';
import { type ClientHttp2Session, constants, type Http2Server } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { AppError } from '@waymark/contract';
import { afterEach, describe, expect, test } from 'vitest';
import {
  createGrpcClient,
  createGrpcServer,
  type GrpcClientOptions,
  type GrpcServerOptions,
  healthV1,
  IDENTITY_HEADER,
  linksV1,
} from '../src/index.ts';
import { encode } from '../src/messages.ts';
import type { ReachedLimit } from '../src/unknown-connections.ts';
import { createAuthority } from './certificates.ts';
import {
  beginCall,
  ended,
  grpcMessage,
  type Http2ClientOptions,
  isAlive,
  openHttp2,
  tryHttp2,
} from './http2-clients.ts';
import { type LinksImplementation, linksImplementation } from './servers.ts';

const CREATE_LINK = '/links.v1.LinksService/CreateLink';
const CHECK_HEALTH = '/grpc.health.v1.Health/Check';
const IDENTITY = 'of one of our services';
/** What Node buffers of a stream that nobody reads, HTTP/2's first window, and room for headers. */
const UNREAD_MAX_BYTES = 2 * 65_536 + 16_384;
const MEBIBYTE = 1_024 * 1_024;
const EMPTY = grpcMessage(Buffer.alloc(0));
const LARGE = grpcMessage(Buffer.alloc(MEBIBYTE));
const SPENT_MAX = 500;
const WINDOW_MS = 10_000;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface StartOptions extends GrpcServerOptions {
  given?: Partial<LinksImplementation>;
  authenticate?: (metadata: Metadata) => Promise<string>;
}

/** Starts a server of links and health that knows one identity. */
async function start({ given = {}, authenticate = authenticateByIdentity, ...options }: StartOptions = {}) {
  const reached: ReachedLimit[] = [];
  const calls: string[] = [];
  const errors: { code: string; requestId: string }[] = [];
  const server = createGrpcServer({ onLimit: (one) => reached.push(one), ...options });
  server.addService(
    linksV1.LinksService,
    {
      authenticate,
      onCall: ({ method, code }) => calls.push(`${method} ${code}`),
      onError: ({ code }, { requestId }) => errors.push({ code, requestId }),
    },
    linksImplementation({ createLink: async () => ({}), ...given }),
  );
  server.addService(
    healthV1.Health,
    { authenticate: () => null },
    {
      check: async () => ({ status: healthV1.HealthCheckResponse_ServingStatus.SERVING }),
      watch: async function* () {},
    },
  );
  const port = await server.listen('127.0.0.1', 0);
  cleanups.push(() => server.close(0));
  return { port, reached, calls, errors };
}

async function authenticateByIdentity(metadata: Metadata): Promise<string> {
  if (metadata.get(IDENTITY_HEADER)[0] !== IDENTITY) throw new AppError('unauthenticated', 'No identity.');
  return 'service';
}

/** Returns a client like those of our services. */
function service(port: number, tls?: GrpcClientOptions['tls']) {
  const address = `127.0.0.1:${port}`;
  const client = createGrpcClient(linksV1.LinksService, { address, ...(tls && { tls }) });
  cleanups.push(() => client.close());
  return {
    call: (title = '') => client.createLink({ link: { title } }, { timeoutMs: 20_000, identity: IDENTITY }),
    callWithoutIdentity: (title = '', requestId?: string) =>
      client.createLink({ link: { title } }, { timeoutMs: 20_000, ...(requestId && { requestId }) }),
  };
}

async function open(port: number, options?: Http2ClientOptions): Promise<ClientHttp2Session> {
  const session = await openHttp2(port, options);
  cleanups.push(() => session.destroy());
  return session;
}

/** Makes a call with an identity. */
function showIdentity(session: ClientHttp2Session): Promise<void> {
  return ended(beginCall(session, CREATE_LINK, { [IDENTITY_HEADER]: IDENTITY }).end(EMPTY));
}

async function openKnown(port: number): Promise<ClientHttp2Session> {
  const session = await open(port);
  await showIdentity(session);
  return session;
}

/** Begins and resets calls without an identity, 100 on each connection, until the server refuses a connection. */
async function spendAll(port: number, options?: Http2ClientOptions): Promise<void> {
  for (let session = await tryHttp2(port, options); session !== null; session = await tryHttp2(port, options)) {
    for (let n = 0; n < 100; n++) beginCall(session, CREATE_LINK).close(constants.NGHTTP2_CANCEL);
    await isAlive(session);
    session.destroy();
  }
}

describe('a body', () => {
  test('is not read before its sender is known, and then arrives completely', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { port } = await start({
      given: { createLink: async ({ link }) => ({ link: { description: String(link?.title?.length) } }) },
      authenticate: async () => {
        await released;
        return 'service';
      },
    });
    const session = await open(port);
    const length = 5 * MEBIBYTE;
    const stream = beginCall(session, CREATE_LINK).end(linkWithTitle(length));
    const answer: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => answer.push(chunk));
    await sleep(300);
    expect(session.socket.bytesWritten).toBeLessThan(UNREAD_MAX_BYTES);
    release();
    await once(stream, 'end');
    expect(Buffer.concat(answer).toString()).toContain(String(length));
  });

  test('of a call without an identity is never read: its stream is closed with the response', async () => {
    const { port, calls } = await start();
    const session = await open(port);
    const streams = Array.from({ length: 50 }, () => {
      const stream = beginCall(session, CREATE_LINK);
      stream.write(LARGE);
      return stream;
    });
    await Promise.all(streams.map(ended));
    expect(await isAlive(session)).toBe(true);
    expect(calls).toHaveLength(50);
    await sleep(300);
    expect(session.socket.bytesWritten).toBeLessThan(50 * UNREAD_MAX_BYTES);
  });

  test('of the largest size without an identity gets the error of the authentication', async () => {
    const { port, calls, errors } = await start();
    const { callWithoutIdentity } = service(port);
    const title = 'x'.repeat(8 * MEBIBYTE - 64);
    await expect(callWithoutIdentity(title, 'req-1')).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'No identity.',
    });
    expect(calls).toEqual(['links.v1.LinksService/CreateLink unauthenticated']);
    expect(errors).toEqual([{ code: 'unauthenticated', requestId: 'req-1' }]);
  });

  test('of calls that are refused does not use up the window of a connection', async () => {
    const { port } = await start();
    const session = await open(port);
    // All of it is more than a window and less than what Node's client holds.
    const body = grpcMessage(Buffer.alloc(MEBIBYTE / 4));
    for (const path of [CREATE_LINK, '/links.v1.LinksService/None', '/']) {
      for (let n = 0; n < 5; n++) {
        const stream = beginCall(session, path);
        stream.write(body);
        await ended(stream);
      }
    }
    const stream = beginCall(session, CREATE_LINK, { [IDENTITY_HEADER]: IDENTITY });
    const response = once(stream, 'response');
    stream.end(linkWithTitle(MEBIBYTE));
    expect((await response)[0]).toMatchObject({ ':status': 200 });
    await ended(stream);
  });

  test('of a call whose deadline passes during the authentication is not read', async () => {
    const { port } = await start({ authenticate: () => new Promise(() => {}) });
    const session = await open(port);
    const stream = beginCall(session, CREATE_LINK, { 'grpc-timeout': '100m' });
    stream.write(LARGE);
    await ended(stream);
    expect(await isAlive(session)).toBe(true);
    expect(session.socket.bytesWritten).toBeLessThan(UNREAD_MAX_BYTES);
  });
});

describe('a health check', () => {
  test('without an identity has at most 4 KiB', async () => {
    const { port, reached } = await start();
    const client = createGrpcClient(healthV1.Health, { address: `127.0.0.1:${port}` });
    cleanups.push(() => client.close());
    const check = (bytes: number) => client.check({ service: 'x'.repeat(bytes) }, { timeoutMs: 5_000 });
    // The rest is for the lengths of the message and its field.
    expect((await check(4_096 - 8)).status).toBe(healthV1.HealthCheckResponse_ServingStatus.SERVING);
    await expect(check(4_096)).rejects.toMatchObject({ cause: { code: 8 } });
    await expect(check(8 * MEBIBYTE - 16)).rejects.toMatchObject({ cause: { code: 8 } });
    expect((await check(0)).status).toBe(healthV1.HealthCheckResponse_ServingStatus.SERVING);
    expect(reached).toEqual([{ limit: 'health', address: '127.0.0.1' }]);
  });

  test('is not decompressed', async () => {
    const { port } = await start();
    const session = await open(port);
    const message = grpcMessage(gzipSync(Buffer.alloc(MEBIBYTE)), { isCompressed: true });
    const stream = beginCall(session, CHECK_HEALTH, { 'grpc-encoding': 'gzip' }).end(message);
    await ended(stream);
    expect(stream.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
});

describe('an address without an identity', () => {
  test('may reset 500 calls in ten seconds', async () => {
    let authenticated = 0;
    const { port, reached } = await start({
      authenticate: async (metadata) => {
        authenticated += 1;
        return authenticateByIdentity(metadata);
      },
    });
    const startedAt = performance.now();
    await spendAll(port);
    expect(authenticated).toBeGreaterThanOrEqual(SPENT_MAX - 10);
    expect(authenticated).toBeLessThanOrEqual(SPENT_MAX * Math.ceil((performance.now() - startedAt) / WINDOW_MS));
    expect(reached).toEqual([{ limit: 'address', address: '127.0.0.1' }]);
    await expect.poll(() => tryHttp2(port), { timeout: 2 * WINDOW_MS, interval: 200 }).not.toBeNull();
  }, 40_000);

  test.each([CREATE_LINK, CHECK_HEALTH, '/none'])('may make 500 calls of %s', async (path) => {
    const { port } = await start();
    let calls = 0;
    for (let session = await tryHttp2(port); session !== null; session = await tryHttp2(port)) {
      while (!session.destroyed && !session.closed) {
        const batch = Array.from({ length: 50 }, () => ended(beginCall(session!, path).end(EMPTY)));
        await Promise.all(batch);
        calls += batch.length;
      }
    }
    expect(calls).toBeGreaterThanOrEqual(SPENT_MAX - 10);
    expect(calls).toBeLessThan(2 * SPENT_MAX);
  });

  test('may open 500 connections', async () => {
    const { port } = await start();
    let opened = 0;
    for (let session = await tryHttp2(port); session !== null; session = await tryHttp2(port)) {
      opened += 1;
      session.destroy();
    }
    expect(opened).toBeGreaterThanOrEqual(SPENT_MAX);
    expect(opened).toBeLessThan(2 * SPENT_MAX);
  });

  test.runIf(process.platform === 'linux')('takes nothing from another address', async () => {
    const { port, reached } = await start();
    await spendAll(port, { from: '127.0.0.2' });
    expect(reached).toEqual([{ limit: 'address', address: '127.0.0.2' }]);
    const session = await open(port, { from: '127.0.0.3' });
    expect(await isAlive(session)).toBe(true);
  });
});

test('for a new connection beyond the maximum, the oldest one without an identity is closed', async () => {
  const { port, reached } = await start({ maxUnknownConnections: 2 });
  const known = await openKnown(port);
  const [first, second] = [await open(port), await open(port)];
  const third = await open(port);
  await expect.poll(() => first.destroyed).toBe(true);
  for (const session of [known, second, third]) expect(await isAlive(session)).toBe(true);
  expect(reached).toEqual([{ limit: 'server', address: '127.0.0.1' }]);
});

describe('our services', () => {
  test('are served while another client of their address uses up what it may open', async () => {
    const { port, reached } = await start();
    const { call } = service(port);
    await call();
    let isAttacking = true;
    const attack = spendAll(port).then(() => {
      isAttacking = false;
    });
    let served = 0;
    while (isAttacking) {
      await call();
      served += 1;
    }
    await attack;
    expect(reached).toMatchObject([{ limit: 'address' }]);
    await call();
    expect(served).toBeGreaterThan(0);
  });

  test('show their identity although another client of their address holds connections and streams', async () => {
    const { port } = await start({ maxUnknownConnections: 20 });
    for (let n = 0; n < 100; n++) beginCall(await open(port), CREATE_LINK);
    const services = Array.from({ length: 20 }, () => service(port));
    await Promise.all(services.map(({ call }) => call()));
  });

  test('may be many behind one address, and connect as often as they need to', async () => {
    const { port, reached } = await start();
    const replicas = await Promise.all(Array.from({ length: 150 }, () => openKnown(port)));
    for (let n = 0; n < 10; n++) {
      const more = await Promise.all(Array.from({ length: 100 }, () => openKnown(port)));
      for (const session of more) session.destroy();
    }
    expect(await Promise.all(replicas.map(isAlive))).toEqual(replicas.map(() => true));
    expect(reached).toEqual([]);
  });

  test('may forward calls that are refused without a limit', async () => {
    const { port, reached } = await start();
    const session = await openKnown(port);
    for (let n = 0; n < 15; n++)
      await Promise.all(Array.from({ length: 100 }, () => ended(beginCall(session, CREATE_LINK).end(EMPTY))));
    expect(await isAlive(session)).toBe(true);
    expect(await isAlive(await open(port))).toBe(true);
    expect(reached).toEqual([]);
  });

  test('may have more than 100 calls at once', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let running = 0;
    const { port } = await start({
      given: {
        createLink: async () => {
          running += 1;
          await released;
          return {};
        },
      },
    });
    const { call } = service(port);
    const calls = Array.from({ length: 250 }, () => call());
    await expect.poll(() => running).toBe(250);
    release();
    await Promise.all(calls);
  });

  test('that are refused for another reason than the identity keep their connection', async () => {
    const { port } = await start({
      authenticate: async () => {
        throw new AppError('unavailable', 'The clocks differ.');
      },
    });
    const { call } = service(port);
    await expect(call()).rejects.toMatchObject({ code: 'unavailable', message: 'The clocks differ.' });
  });
});

describe('with TLS', () => {
  const authority = createAuthority('Waymark test authority');
  const certificate = authority.issue('links-svc');

  test('connections without a handshake count, and do not keep services out', async () => {
    const { port, reached } = await start({ tls: certificate, maxUnknownConnections: 100 });
    const sockets = Array.from({ length: 120 }, () => connectTcp(port, '127.0.0.1').on('error', () => {}));
    cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
    });
    await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBe(20);
    expect(reached).toMatchObject([{ limit: 'server' }]);
    const { call } = service(port, { ca: authority.cert });
    await call();
    await spendAll(port, { tls: { ca: authority.cert } });
    await call();
  });
});

test('grpc-js has the HTTP/2 servers, and on them the listeners, that the limits are put before', async () => {
  const { cert, key } = createAuthority('Waymark test authority').issue('links-svc');
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(cert) };
  for (const credentials of [ServerCredentials.createInsecure(), ServerCredentials.createSsl(null, [pair])]) {
    const server = new Server();
    await new Promise((resolve) => server.bindAsync('127.0.0.1:0', credentials, resolve));
    const { http2Servers } = server as unknown as { http2Servers: Map<Http2Server, unknown> };
    expect(http2Servers).toBeInstanceOf(Map);
    const [http2Server, ...others] = http2Servers.keys();
    expect(others).toEqual([]);
    expect(http2Server!.listening).toBe(true);
    expect(http2Server!.listenerCount('stream')).toBe(1);
    expect(http2Server!.listenerCount('session')).toBe(1);
    expect(http2Server!.listenerCount('connection')).toBeGreaterThan(0);
    server.forceShutdown();
  }
});

/** Returns a request of `CreateLink` as gRPC sends it. */
function linkWithTitle(length: number): Buffer {
  return grpcMessage(encode(linksV1.CreateLinkRequestSchema, { link: { title: 'x'.repeat(length) } }));
}
