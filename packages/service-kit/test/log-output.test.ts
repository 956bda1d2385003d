import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const MODULE = new URL('../src/logging/log-output.ts', import.meta.url).href;

const argumentsFor = (script: string) => [
  '--input-type=module',
  '-e',
  `const { logOutput } = await import(${JSON.stringify(MODULE)}); const output = logOutput(); ${script}`,
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
