import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LOG_MAX_BYTES, sizeOf } from '../src/log-file.ts';
import { findFreePorts, isListening } from '../src/ports.ts';
import { type ProcessOptions, StackProcess } from '../src/stack-process.ts';

const CHILD = join(import.meta.dirname, 'child.fixture.ts');
const PARENT = join(import.meta.dirname, 'parent.fixture.ts');
let directory: string;
let port: number;
const started: StackProcess[] = [];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'stack-process-'));
  [port] = (await findFreePorts(1, '127.0.0.1')) as [number];
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop(0)));
  rmSync(directory, { recursive: true });
});

function child(mode: string, rest: Partial<ProcessOptions> = {}) {
  const one = new StackProcess({
    name: 'child',
    script: CHILD,
    env: { PORT: String(port), MODE: mode },
    ports: { tcp: port },
    host: '127.0.0.1',
    logFile: join(directory, 'child.log'),
    autoRestart: false,
    report: () => {},
    onSpawn: () => {},
    ...rest,
  });
  started.push(one);
  return one;
}

async function until(check: () => boolean | Promise<boolean>, withinMs = 10_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${check}`);
    await sleep(20);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('has started when it accepts connections, and its output is in its log', async () => {
  const one = child('well');
  await one.start();
  expect(await isListening({ port, host: '127.0.0.1' })).toBe(true);
  // The line is printed a moment after the port is open.
  await expect.poll(() => one.log()).toBe('mode well\nlistening\n');
  await one.stop(5000);
  expect(one.log()).toContain('SIGTERM');
  expect(one.pid).toBeUndefined();
  expect(await isListening({ port, host: '127.0.0.1' })).toBe(false);
});

test('that exits before it is ready is an error with the end of its log, and is not restarted', async () => {
  const one = child('fails', { autoRestart: true });
  await expect(one.start()).rejects.toThrow(/child ended before it was ready.*\n(.*\n)*the disk is full/);
  await sleep(300);
  expect(one.pid).toBeUndefined();
  expect(one.log().match(/the disk is full/g)).toHaveLength(1);
});

test('that does not stop is killed', async () => {
  const one = child('stubborn');
  await one.start();
  await one.stop(200);
  expect(one.pid).toBeUndefined();
});

test('that is killed is restarted on its port, and this is reported', async () => {
  const reported: string[] = [];
  const one = child('well', { autoRestart: true, report: (sentence) => reported.push(sentence) });
  await one.start();
  const first = one.pid;
  await one.kill('SIGKILL');
  await until(async () => one.pid !== undefined && (await isListening({ port, host: '127.0.0.1' })));
  expect(one.pid).not.toBe(first);
  expect(reported).toEqual([
    expect.stringMatching(/^child ended by itself \(SIGKILL\) and is started again; its log is .*child\.log\.$/),
  ]);
});

test('that cannot be restarted, as its log cannot be opened, is restarted once it can', async () => {
  const logs = join(directory, 'logs');
  mkdirSync(logs);
  const reported: string[] = [];
  const report = (sentence: string) => reported.push(sentence);
  const one = child('well', { autoRestart: true, report, logFile: join(logs, 'child.log') });
  await one.start();
  rmSync(logs, { recursive: true });
  await one.kill('SIGKILL');
  await until(() => reported.length >= 3);
  expect(reported[1]).toMatch(/^child could not be started again: Error: ENOENT/);
  mkdirSync(logs);
  await until(async () => one.pid !== undefined && (await isListening({ port, host: '127.0.0.1' })));
});

test('that was stopped is not restarted', async () => {
  const one = child('well', { autoRestart: true });
  await one.start();
  await one.stop(5000);
  await sleep(300);
  expect(one.pid).toBeUndefined();
});

test('that is restarted has a new process on the same port', async () => {
  const one = child('well');
  await one.start();
  const first = one.pid;
  await one.restart();
  expect(one.pid).not.toBe(first);
  expect(await isListening({ port, host: '127.0.0.1' })).toBe(true);
});

test('keeps the log of the previous run', async () => {
  const first = child('well');
  await first.start();
  await first.stop(5000);
  const second = child('well');
  expect(second.log()).toBe('');
  expect(readFileSync(join(directory, 'child.log.old'), 'utf8')).toContain('listening');
  expect(existsSync(join(directory, 'child.log'))).toBe(false);
});

test('keeps the newest lines of an endless log within its limit', async () => {
  const one = child('talks');
  const log = join(directory, 'child.log');
  const kept = () => sizeOf(log) + sizeOf(`${log}.old`);
  await one.start();
  await until(() => one.log().endsWith('said all\n'), 60_000);
  await until(() => sizeOf(log) <= LOG_MAX_BYTES);
  expect(kept()).toBeLessThanOrEqual(2 * LOG_MAX_BYTES);
  const numbers = one
    .log()
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((line) => Number.parseInt(line, 10));
  expect(numbers.at(-1)).toBe(400_000);
  expect(numbers.length).toBeGreaterThan(10_000);
  expect(numbers.every((number, at) => at === 0 || number > numbers[at - 1]!)).toBe(true);
  await one.stop(5000);
  expect(kept()).toBeLessThanOrEqual(2 * LOG_MAX_BYTES);
});

test('keeps the newest lines of a long log of the previous run', () => {
  const log = join(directory, 'child.log');
  writeFileSync(log, `${'an old line\n'.repeat(LOG_MAX_BYTES / 4)}the last line\n`);
  expect(child('well').log()).toBe('');
  expect(sizeOf(`${log}.old`)).toBeLessThanOrEqual(LOG_MAX_BYTES);
  expect(readFileSync(`${log}.old`, 'utf8')).toMatch(/^an old line\n(.*\n)*the last line\n$/);
  expect(existsSync(log)).toBe(false);
});

test('does not receive Ctrl-C, the SIGINT of the process group', async () => {
  const parent = spawn(
    process.execPath,
    ['--conditions=@waymark/source', PARENT, CHILD, String(port), join(directory, 'child.log')],
    {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  parent.stdout.on('data', (data) => {
    output += data;
  });
  await until(() => output.includes('child '));
  const pid = Number(/child (\d+)/.exec(output)![1]);
  process.kill(-parent.pid!, 'SIGINT');
  await until(() => !isAlive(pid));
  const log = readFileSync(join(directory, 'child.log'), 'utf8');
  expect(log).not.toContain('SIGINT');
  expect(log).toContain('SIGTERM');
});

test('stops when its parent is killed with SIGKILL', async () => {
  const parent = spawn(
    process.execPath,
    ['--conditions=@waymark/source', PARENT, CHILD, String(port), join(directory, 'child.log')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  parent.stdout.on('data', (data) => {
    output += data;
  });
  await until(() => output.includes('child '));
  const pid = Number(/child (\d+)/.exec(output)![1]);
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await until(() => !isAlive(pid));
  expect(readFileSync(join(directory, 'child.log'), 'utf8')).toContain('SIGTERM');
});
