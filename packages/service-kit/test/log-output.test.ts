import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const MODULE = new URL('../src/logging/log-output.ts', import.meta.url).href;

const argumentsFor = (script: string) => [
  '--input-type=module',
  '-e',
  `const { logOutput, droppedLines } = await import(${JSON.stringify(MODULE)}); const output = logOutput(); ${script}`,
];

function linesOf(script: string): { lines: string[]; status: number | null } {
  const { stdout, status } = spawnSync(process.execPath, argumentsFor(script), { encoding: 'utf8' });
  return { lines: stdout.split('\n').slice(0, -1), status };
}

test('all lines are written in order, also when the process exits', () => {
  const { lines } = linesOf('for (let i = 0; i < 20_000; i++) output.write("line " + i + "\\n");');
  expect(lines).toEqual(Array.from({ length: 20_000 }, (_, i) => `line ${i}`));
});

test.each([
  ['process.exit', 'process.exit(3)', 3],
  ['an error that nobody catches', 'throw new Error("oh")', 1],
])('a line is written before %s ends the process', (_name, end, status) => {
  expect(linesOf(`output.write("last words\\n"); ${end};`)).toEqual({ lines: ['last words'], status });
});

test('the lines of 10 milliseconds are one write, or two if the machine is busy', () => {
  const script = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { writeSync } = fs;
    let writes = 0;
    fs.writeSync = (...args) => { writes += 1; return writeSync(...args); };
    syncBuiltinESMExports();
    for (let i = 0; i < 5; i++) output.write('line\\n');
    setImmediate(() => { for (let i = 0; i < 5; i++) output.write('line\\n'); });
    setTimeout(() => process.stdout.write('writes: ' + writes + '\\n'), 50);`;
  expect(linesOf(script).lines.at(-1)).toMatch(/^writes: [12]$/);
});

test('a process continues when nobody reads its lines', async () => {
  const script = 'setTimeout(() => process.exit(7), 400); setInterval(() => output.write("line\\n"), 5);';
  const child = spawn(process.execPath, argumentsFor(script), { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await once(child, 'exit')).toEqual([7, null]);
});

const NUMBERED = `
  let written = 0;
  const writeMany = () => { for (let i = 0; i < 1_000; i++) output.write('line ' + written++ + ' ' + 'x'.repeat(90) + '\\n'); };
  const untilDropping = (then) => {
    const timer = setInterval(() => {
      writeMany();
      if (droppedLines() > 1_000) { clearInterval(timer); then(); }
    }, 1);
  };`;

test('a process continues when its output is full, and counts the lines that it drops', async () => {
  // Every write to it fails with ENOSPC.
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, argumentsFor(`${NUMBERED} untilDropping(() => process.exit(7));`), {
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  const errors = text(child.stderr!);
  expect(await once(child, 'exit')).toEqual([7, null]);
  expect(await errors).toBe('');
});

test('an uncaught error ends a process whose output is full', async () => {
  const full = openSync('/dev/full', 'w');
  const script = `output.write('line\\n'); process.on('uncaughtException', () => { output.write('oh\\n'); process.exit(5); });
    setTimeout(() => { throw new Error('oh'); }, 50);`;
  const child = spawn(process.execPath, argumentsFor(script), { stdio: ['ignore', full, 'inherit'] });
  closeSync(full);
  expect(await once(child, 'exit')).toEqual([5, null]);
});

test('a process continues when the reader of its lines stalls, and writes again when it reads', async () => {
  const script = `${NUMBERED}
    untilDropping(() => {
      process.send('dropping');
      setInterval(() => output.write('probe ' + written++ + ' ' + droppedLines() + '\\n'), 50);
    });`;
  const child = spawn(process.execPath, argumentsFor(script), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  await once(child, 'message');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line);
    if (line.startsWith('probe')) break;
  }
  child.kill();
  const [written, dropped] = lines.pop()!.split(' ').slice(1).map(Number) as [number, number];
  expect(dropped).toBeGreaterThan(1_000);
  expect(lines).toHaveLength(written - dropped);
  const numbers = lines.map((line) => Number(line.split(' ')[1]));
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});

test('a reader that never reads does not keep a process from its end', async () => {
  const child = spawn(process.execPath, argumentsFor(`${NUMBERED} untilDropping(() => process.exit(7));`), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([7, null]);
  child.stdout!.destroy();
});
