import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findFreePorts } from '../../../packages/stack/src/ports.ts';
import { SIGNING_KEY } from './gateway.ts';

// The gateway’s own names of the address that it listens on. packages/service-kit/test/listen.test.ts has the rest.

let gateway: ChildProcess | undefined;
afterEach(() => gateway?.kill('SIGKILL'));

function start(env: Record<string, string>) {
  const main = join(import.meta.dirname, '../src/main.ts');
  const origins = { LINKS_URL: 'http://[::1]:1', ANALYTICS_URL: 'http://[::1]:1', MCP_URL: 'http://[::1]:1' };
  const child = spawn(process.execPath, ['--conditions=@waymark/source', main], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SIGNING_KEY,
      LOG_LEVEL: 'silent',
      LINKS_GRPC: '[::1]:1',
      ...origins,
      ...env,
    },
  });
  gateway = child;
  let errors = '';
  child.stderr.on('data', (data) => {
    errors += data;
  });
  return new Promise<{ code: number | null; errors: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, errors }));
  });
}

test('without GATEWAY_HOST it listens on every address of both families', async () => {
  const [port] = await findFreePorts(1, '127.0.0.1');
  void start({ GATEWAY_PORT: String(port) });
  for (const host of ['127.0.0.1', '[::1]'])
    await expect.poll(() => fetch(`http://${host}:${port}/livez`).then(({ status }) => status, String)).toBe(200);
});

test('a port or a host that cannot be used is one line with its name', async () => {
  const [port] = await findFreePorts(1, '127.0.0.1');
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  expect(await start({ GATEWAY_PORT: String(port) })).toEqual({
    code: 1,
    errors: 'gateway: GATEWAY_PORT must be a port that nothing else listens on.\n',
  });
  await new Promise((resolve) => other.close(resolve));
  expect(await start({ GATEWAY_HOST: '192.0.2.1' })).toEqual({
    code: 1,
    errors: 'gateway: GATEWAY_HOST must be an address of this machine.\n',
  });
});
