import type { AddressInfo } from 'node:net';
import { createGrpcServer } from '@waymark/proto';
import { expect, test } from 'vitest';
import { createHttpApp, createLogger, healthRoutes, serveApp } from '../src/index.ts';
import { createLifecycle } from '../src/lifecycle/lifecycle.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

test('an app stops in order: it is not ready, finishes its requests, then closes what it opened, then its dependencies', async () => {
  const { onShutdown, shutdown } = createLifecycle({ logger, shutdownDelayMs: 300, shutdownTimeoutMs: 5_000 });
  const events: string[] = [];
  const http = createHttpApp({ logger });
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let finish = () => {};
  http.get('/slow', async () => {
    arrived();
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    events.push('request finished');
    return {};
  });
  const rpc = createGrpcServer();
  const health = healthRoutes(http, {});
  const close = async (deadlineMs: number) => void events.push(deadlineMs > 0 ? 'app closed' : 'no time left');
  onShutdown('databases', () => void events.push('database closed'));
  onShutdown('clients', () => void events.push('client closed'));
  const config = { HOST: '127.0.0.1', HTTP_PORT: 0, GRPC_PORT: 0 };
  await serveApp({ http, rpc, health, close }, { config, logger, onShutdown });
  const origin = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;

  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  const response = fetch(`${origin}/slow`);
  await arrival;
  const stopped = shutdown('test');
  expect((await fetch(`${origin}/readyz`)).status).toBe(503);
  await expect.poll(() => fetch(`${origin}/livez`).catch(() => 'refused')).toBe('refused');
  expect(events).toEqual([]);
  finish();
  expect((await response).status).toBe(200);
  expect(await stopped).toBe(true);
  expect(events).toEqual(['request finished', 'app closed', 'client closed', 'database closed']);
});
