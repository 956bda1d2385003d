import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findFreePorts, isListening, isPortFree } from './ports.ts';

test('free ports are different, free, and none that the system gives to outgoing connections', async () => {
  const ports = await findFreePorts(20, '127.0.0.1');
  expect(new Set(ports).size).toBe(20);
  for (const port of ports) {
    expect(port).toBeLessThan(32_768);
    expect(await isPortFree(port, '127.0.0.1')).toBe(true);
    expect(await isListening(port, '127.0.0.1')).toBe(false);
  }
});

test('a port that something listens on is not free', async () => {
  const [port] = await findFreePorts(1, '127.0.0.1');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  expect(await isPortFree(port!, '127.0.0.1')).toBe(false);
  expect(await isListening(port!, '127.0.0.1')).toBe(true);
  await new Promise((resolve) => server.close(resolve));
});
