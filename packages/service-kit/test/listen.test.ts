import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createGrpcClient, healthV1 } from '@waymark/proto';
import { afterEach, describe, expect, test } from 'vitest';
import { findFreePorts } from '../../stack/src/ports.ts';
import { outputOf } from './support/child-output.ts';

// Where the servers of a service listen: HTTP, gRPC and metrics.

const FIXTURE = join(import.meta.dirname, 'listen.fixture.ts');
const NO_IPV6 = join(import.meta.dirname, 'no-ipv6.fixture.ts');
/** How many connections the system queues for a process. Other systems than Linux say it elsewhere. */
const QUEUED_MAX = (() => {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  } catch {
    return 0;
  }
})();
const children: ChildProcess[] = [];
const others: Server[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const other of others.splice(0)) other.close();
});

async function start(env: Record<string, string> = {}, { hasIPv6 = true } = {}) {
  const [http, grpc, metrics] = (await findFreePorts(3, '127.0.0.1')) as [number, number, number];
  const preloaded = hasIPv6 ? [] : [`--import=${NO_IPV6}`];
  const child = spawn(process.execPath, ['--conditions=@waymark/source', ...preloaded, FIXTURE], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SIGNING_KEY: 's'.repeat(32),
      LOG_LEVEL: 'silent',
      HTTP_PORT: String(http),
      GRPC_PORT: String(grpc),
      METRICS_PORT: String(metrics),
      ...env,
    },
  });
  children.push(child);
  const output = outputOf(child);
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, http, grpc, metrics, output, exit };
}

/** Returns the servers that respond at a host, as it is written in a URL. */
async function respondingAt(host: string, { http, grpc, metrics }: Awaited<ReturnType<typeof start>>) {
  const client = createGrpcClient(healthV1.Health, { address: `${host}:${grpc}` });
  try {
    const tries = {
      http: fetch(`http://${host}:${http}/livez`),
      metrics: fetch(`http://${host}:${metrics}/metrics`),
      grpc: client.check({}, { timeoutMs: 2_000 }),
    };
    const results = await Promise.allSettled(Object.values(tries));
    return Object.keys(tries).filter((_, index) => results[index]!.status === 'fulfilled');
  } finally {
    client.close();
  }
}

const ALL = ['http', 'metrics', 'grpc'];

test('without HOST, each server listens on every address of both families', async () => {
  const service = await start();
  await expect.poll(() => service.output.out).toBe('listening\n');
  expect(await respondingAt('127.0.0.1', service)).toEqual(ALL);
  expect(await respondingAt('[::1]', service)).toEqual(ALL);
});

test('hundreds of connections that come while the process is busy wait for it, and none is turned away', async ({
  skip,
}) => {
  const count = 800;
  skip(QUEUED_MAX < count, 'this system queues fewer connections');
  const { child, http, output } = await start();
  await expect.poll(() => output.out).toBe('listening\n');
  child.kill('SIGSTOP');
  const sockets: Socket[] = Array.from({ length: count }, () => connect(http, '127.0.0.1'));
  await expect.poll(() => sockets.filter(({ readyState }) => readyState === 'open').length).toBe(count);
  child.kill('SIGCONT');
  expect((await fetch(`http://127.0.0.1:${http}/livez`)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test.each([{}, { HOST: '::' }])('on a machine without IPv6, %j is every address of IPv4', async (env) => {
  const service = await start(env, { hasIPv6: false });
  await expect.poll(() => service.output.out).toBe('listening\n');
  expect(await respondingAt('127.0.0.1', service)).toEqual(ALL);
});

test.each([
  ['0.0.0.0', '127.0.0.1', '[::1]'],
  ['127.0.0.1', '127.0.0.1', '[::1]'],
  ['::1', '[::1]', '127.0.0.1'],
])('HOST=%s listens there, and not at %s', async (HOST, host, other) => {
  const service = await start({ HOST });
  await expect.poll(() => service.output.out).toBe('listening\n');
  expect(await respondingAt(host, service)).toEqual(ALL);
  expect(await respondingAt(other, service)).toEqual([]);
});

describe('an address that cannot be used is one line that names the setting', () => {
  test.each(['HTTP_PORT', 'GRPC_PORT', 'METRICS_PORT'])('%s of another process', async (name) => {
    const [taken] = await findFreePorts(1, '127.0.0.1');
    const other = createServer();
    others.push(other);
    await new Promise<void>((resolve) => other.listen(taken, '::', resolve));
    const { output, exit } = await start({ [name]: String(taken) });
    expect(await exit).toBe(1);
    expect(output).toEqual({ out: '', err: `fixture: ${name} must be a port that nothing else listens on.\n` });
  });

  // Root may listen on every port.
  test.skipIf(process.getuid?.() === 0)('HTTP_PORT of a privileged service', async () => {
    const { output, exit } = await start({ HTTP_PORT: '80' });
    expect(await exit).toBe(1);
    expect(output).toEqual({ out: '', err: 'fixture: HTTP_PORT must be a port that this process may listen on.\n' });
  });

  test('two settings have the same port, and others are taken: each is named', async () => {
    const [taken, same] = (await findFreePorts(2, '127.0.0.1')) as [number, number];
    const other = createServer();
    others.push(other);
    await new Promise<void>((resolve) => other.listen(taken, '127.0.0.1', resolve));
    const ports = { HTTP_PORT: String(taken), GRPC_PORT: String(same), METRICS_PORT: String(same) };
    const { output, exit } = await start(ports);
    expect(await exit).toBe(1);
    expect(output.err).toBe(
      'fixture: HTTP_PORT must be a port that nothing else listens on.\n' +
        'fixture: METRICS_PORT must be a port that nothing else listens on.\n',
    );
  });

  test.each([
    ['an address of another machine', '192.0.2.1'],
    ['an IPv6 address of another machine', '2001:db8::1'],
    ['a name that no machine has', 'nowhere.invalid'],
  ])('HOST is %s', async (_name, HOST) => {
    const { output, exit } = await start({ HOST });
    expect(await exit).toBe(1);
    expect(output).toEqual({ out: '', err: 'fixture: HOST must be an address of this machine.\n' });
  });

  test('HOST is an IPv6 address on a machine without IPv6', async () => {
    const { output, exit } = await start({ HOST: '::1' }, { hasIPv6: false });
    expect(await exit).toBe(1);
    expect(output.err).toBe('fixture: HOST must be an address of this machine.\n');
  });
});
