import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

// Contract section 1, "set up and run everything": the command that `pnpm start` ends in.

const main = join(import.meta.dirname, '../packages/stack/dist/start.js');
let dataDir: string;
let port: number;
let running: ChildProcess | undefined;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'waymark-start-'));
  port = await freePort();
});
afterAll(async () => {
  if (running) await stop(running);
  await rm(dataDir, { recursive: true, force: true });
});

test('start prints both demo keys and curl lines that work as pasted; Ctrl-C ends all; a second start finds the data', async () => {
  const first = await start();
  const keys = [...first.output.matchAll(/key_(?:live|pub)_[0-9A-Za-z]{32,}/g)].map(([key]) => key);
  expect(new Set(keys).size).toBe(2);
  const answers = first.curls.map((line) => execFileSync('sh', ['-c', line], { encoding: 'utf8', timeout: 10_000 }));
  expect(answers).toHaveLength(3);
  expect(JSON.parse(answers[0]!)).toMatchObject({ visibility: 'public', slug: expect.any(String) });
  expect(answers[1]).toMatch(/302/);
  expect(JSON.parse(answers[2]!)).toMatchObject({ days: expect.any(Number), clicks: expect.any(Number) });
  const { slug } = JSON.parse(answers[0]!) as { slug: string };
  await stop(first.child);

  const second = await start();
  expect([...second.output.matchAll(/key_(?:live|pub)_[0-9A-Za-z]{32,}/g)].map(([key]) => key)).toEqual(keys);
  const listed = await fetch(`http://127.0.0.1:${port}/api/v1/links?q=${slug}`, {
    headers: { authorization: `Bearer ${keys[0]}` },
  });
  expect(((await listed.json()) as { total: number }).total).toBe(1);
  for (const line of second.curls) execFileSync('sh', ['-c', line], { encoding: 'utf8', timeout: 10_000 });
  await stop(second.child);
}, 120_000);

/** Starts the product as a person would, in a process group of its own, and waits until it says that it runs. */
async function start(): Promise<{ child: ChildProcess; output: string; curls: string[] }> {
  const child = spawn(process.execPath, [main], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, GATEWAY_PORT: String(port) },
  });
  running = child;
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      output += chunk.toString();
      if (/ctrl-c/i.test(output)) resolve();
    };
    child.stdout!.on('data', onData);
    child.stderr!.on('data', onData);
    child.once('exit', (code) => reject(new Error(`start ended with ${code}:\n${output}`)));
  });
  const curls = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('curl '));
  return { child, output, curls };
}

/** Ctrl-C in a terminal: SIGINT to the whole process group. Afterwards nothing of it may be left. */
async function stop(child: ChildProcess): Promise<void> {
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  process.kill(-child.pid!, 'SIGINT');
  running = undefined;
  expect(await exited).toBe(0);
  expect(processesNaming(dataDir)).toEqual([]);
  await new Promise<void>((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()));
  });
}

/** The environments of running processes that name the data folder. */
function processesNaming(folder: string): string[] {
  return execFileSync('sh', ['-c', `grep -lsa -- ${folder} /proc/[0-9]*/environ || true`], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && !path.startsWith(`/proc/${process.pid}/`));
}

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as { port: number };
      server.close(() => resolve(free));
    });
  });
}
