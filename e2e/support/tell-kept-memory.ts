import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

// Preloaded into a service. On SIGUSR2, collects all garbage and writes the bytes still in use to a file.

// Under a light load, V8's young generation grows slowly to its limit. Growing it in one step keeps this growth out of
// the measurements.
setFlagsFromString('--semi-space-growth-factor=16');

const file = process.env.KEPT_MEMORY_FILE!;

process.on('SIGUSR2', () => {
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(`${file}.part`, String(heapUsed + external));
  renameSync(`${file}.part`, file);
});
