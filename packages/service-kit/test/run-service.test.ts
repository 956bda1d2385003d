import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findFreePorts } from '../../stack/src/ports.ts';
import { outputOf } from './support/child-output.ts';

const FIXTURE = join(import.meta.dirname, 'run-service.fixture.ts');
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function run(env: Record<string, string>) {
  const child = spawn(process.execPath, ['--conditions=@waymark/source', FIXTURE], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SIGNING_KEY: 's'.repeat(32),
      LOG_LEVEL: 'fatal',
      ...env,
    },
  });
  children.push(child);
  const output = outputOf(child);
  const until = async (text: string) => {
    while (!output.out.includes(text)) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output, until, exit };
}

const STAGES = 'stage not-ready\nstage servers\nstage flush\nstage clients\nstage databases\n';

test.each(['SIGTERM', 'SIGINT'] as const)('%s shuts down in order and exits with 0', async (signal) => {
  const { child, output, until, exit } = run({});
  await until('started');
  child.kill(signal);
  expect(await exit).toBe(0);
  expect(output.out).toBe(`started\n${STAGES}`);
});

test('a service serves its metrics while it runs', async () => {
  const [port] = await findFreePorts(1, '127.0.0.1');
  const { until } = run({ HOST: '127.0.0.1', METRICS_PORT: String(port) });
  await until('started');
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(await answer.text()).toMatch(/^nodejs_eventloop_lag_p99_seconds\{service="fixture"\} /m);
});

test('a second signal ends the process at once', async () => {
  const { child, until, exit } = run({ MODE: 'hangs' });
  await until('started');
  child.kill('SIGTERM');
  await until('stage servers');
  child.kill('SIGTERM');
  expect(await exit).toBe(1);
});

test('a shutdown that hangs exits with 1 at its time limit', async () => {
  const { child, until, exit } = run({ MODE: 'hangs', SHUTDOWN_TIMEOUT_MS: '200' });
  await until('started');
  child.kill('SIGTERM');
  expect(await exit).toBe(1);
});

test('a wrong configuration prints one line for each problem before anything starts', async () => {
  const { output, exit } = run({ SIGNING_KEY: 'short', HTTP_PORT: 'x' });
  expect(await exit).toBe(1);
  expect(output).toEqual({
    out: '',
    err: 'fixture: HTTP_PORT must be a whole number from 0 to 65535.\nfixture: SIGNING_KEY (or SIGNING_KEY_FILE) must be text of at least 32 characters.\n',
  });
});

test('a service that cannot start says why and exits with 1', async () => {
  const { output, exit } = run({ MODE: 'cannot start' });
  expect(await exit).toBe(1);
  expect(output.err).toContain('The port 1 is taken.');
});

test('an unhandled rejection is logged and ends the process', async () => {
  const { output, exit } = run({ MODE: 'rejects' });
  expect(await exit).toBe(1);
  expect(output.out).toContain('nobody caught this');
});
