// Measures the memory of the idle stack of `start` in MiB, by process (`--seconds N` to wait longer than half a minute
// before). Linux only.
import { parseArgs } from 'node:util';
import { idleStackMemory } from './memory/idle-stack.ts';
import { memoryTable } from './memory/table.ts';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { seconds: { type: 'string', default: '30' } },
});
console.log(memoryTable(await idleStackMemory(Number(values.seconds) * 1_000)));
