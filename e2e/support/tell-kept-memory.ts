import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

// Preloaded into a service: on SIGUSR2 it collects all garbage and writes into a file how many bytes are left.

// V8's young generation grows to 48 MiB sooner or later, under a light load only within half an hour. Here it does in one step, so that
// what the process's memory grows by afterwards is something else.
setFlagsFromString('--semi-space-growth-factor=16');

const file = process.env.KEPT_MEMORY_FILE!;

process.on('SIGUSR2', () => {
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(`${file}.part`, String(heapUsed + external));
  renameSync(`${file}.part`, file);
});
