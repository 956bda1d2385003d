import { expect, test } from 'vitest';
import { processesCpuMs, residentBytes, threadsCpuMs, ticksOf } from './cpu-time.ts';

test('user and system time are read after the name, whatever characters it has', () => {
  const fields = ['S', ...Array.from({ length: 10 }, () => '0'), '120', '34', '9', '9'];
  expect(ticksOf(`42 (node) (x y) ${fields.join(' ')}`)).toBe(154);
});

test('both ways to measure the CPU time of a process agree', () => {
  const own = [process.pid];
  const threadsBefore = threadsCpuMs(own);
  const processBefore = processesCpuMs(own);
  const began = process.cpuUsage();
  let used = 0;
  while (used < 300) {
    Math.hypot(used, 1);
    const { user, system } = process.cpuUsage(began);
    used = (user + system) / 1_000;
  }
  const threads = threadsCpuMs(own) - threadsBefore;
  expect(threads).toBeGreaterThan(250);
  expect(Math.abs(processesCpuMs(own) - processBefore - threads)).toBeLessThan(100);
});

test('memory is in bytes', () => {
  const ratio = residentBytes([process.pid]) / process.memoryUsage.rss();
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});

test('a process that does not run throws an error', () => {
  expect(() => threadsCpuMs([2 ** 30])).toThrow();
});
