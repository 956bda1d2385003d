import { createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { findFreePorts, isListening, isPortFree } from './ports.ts';

test('free ports are distinct, free, and outside the range for outgoing connections', async () => {
  const ports = await findFreePorts(20, '127.0.0.1');
  expect(new Set(ports).size).toBe(20);
  for (const port of ports) {
    expect(port).toBeLessThan(32_768);
    expect(await isPortFree(port, '127.0.0.1')).toBe(true);
    expect(await isListening({ port, host: '127.0.0.1' })).toBe(false);
  }
});

test('two processes never choose the same port, although nothing listens on it yet', async () => {
  const chosenByAProcess = async () => {
    vi.resetModules();
    const { findFreePorts } = await import('./ports.ts');
    const chosen = new Set<number>();
    for (let call = 0; call < 50; call += 1) for (const port of await findFreePorts(20, '127.0.0.1')) chosen.add(port);
    return chosen;
  };
  const [one, other] = [await chosenByAProcess(), await chosenByAProcess()];
  expect([...one].filter((port) => other.has(port))).toEqual([]);
});

test('a port that something listens on is not free', async () => {
  const [port] = await findFreePorts(1, '127.0.0.1');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  expect(await isPortFree(port!, '127.0.0.1')).toBe(false);
  expect(await isListening({ port: port!, host: '127.0.0.1' })).toBe(true);
  await new Promise((resolve) => server.close(resolve));
});
