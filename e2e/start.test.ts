import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from './support/free-ports.ts';
import { interrupt, paste, type Started, startCommand } from './support/start-command.ts';

// Contract section 1, "set up and run everything": the command that `pnpm start` ends in.

let dataDir: string;
let port: number;
let running: ChildProcess | undefined;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'waymark-start-'));
  [port] = (await freePorts(1)) as [number];
});
afterAll(async () => {
  if (running) await stop(running);
  await rm(dataDir, { recursive: true, force: true });
});

test('start prints both demo keys and curl lines that work as pasted; Ctrl-C ends all; a second start finds the data', async () => {
  const first = await start();
  const keys = [...first.output.matchAll(/key_(?:live|pub)_[0-9A-Za-z]{32,}/g)].map(([key]) => key);
  expect(new Set(keys).size).toBe(2);
  const answers = first.curls.map(paste);
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
  for (const line of second.curls) paste(line);
  await stop(second.child);
}, 120_000);

/** Starts it on the folder and the port of this test. */
async function start(): Promise<Started> {
  const started = await startCommand({ DATA_DIR: dataDir, GATEWAY_PORT: String(port) });
  running = started.child;
  return started;
}

/** Ends it; afterwards nothing of it may be left. */
async function stop(child: ChildProcess): Promise<void> {
  running = undefined;
  expect(await interrupt(child)).toBe(0);
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
