import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createLogger } from '../logging/logger.ts';
import { createLifecycle, SHUTDOWN_STAGES } from './lifecycle.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

function lifecycleWith(times: { shutdownDelayMs?: number; shutdownTimeoutMs?: number } = {}) {
  return createLifecycle({ logger, shutdownDelayMs: 0, shutdownTimeoutMs: 5000, ...times });
}

describe('shutdown', () => {
  test('the stages run in their order, after a delay in which the process keeps serving', async () => {
    const lifecycle = lifecycleWith({ shutdownDelayMs: 50 });
    const events: string[] = [];
    const startedAt = performance.now();
    let serversAt = 0;
    for (const stage of [...SHUTDOWN_STAGES].reverse()) {
      lifecycle.onShutdown(stage, async () => {
        if (stage === 'servers') serversAt = performance.now();
        events.push(`${stage} begins`);
        await sleep(5);
        events.push(`${stage} ends`);
      });
    }
    expect(await lifecycle.shutdown('test')).toBe(true);
    expect(events).toEqual(
      ['not-ready', 'servers', 'flush', 'clients', 'databases'].flatMap((stage) => [
        `${stage} begins`,
        `${stage} ends`,
      ]),
    );
    expect(serversAt - startedAt).toBeGreaterThanOrEqual(49);
  });

  test('the steps of one stage run concurrently', async () => {
    const lifecycle = lifecycleWith();
    let meet: () => void = () => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    lifecycle.onShutdown('clients', () => met);
    lifecycle.onShutdown('clients', () => meet());
    expect(await lifecycle.shutdown('test')).toBe(true);
  });

  test('a failed step does not prevent the others, and makes the shutdown fail', async () => {
    const lifecycle = lifecycleWith();
    let closed = false;
    lifecycle.onShutdown('flush', () => Promise.reject(new Error('cannot flush')));
    lifecycle.onShutdown('databases', () => {
      closed = true;
    });
    expect(await lifecycle.shutdown('test')).toBe(false);
    expect(closed).toBe(true);
  });

  test('a stage that hangs ends at half of the time, and the later stages still run', async () => {
    const lifecycle = lifecycleWith({ shutdownTimeoutMs: 200 });
    let deadline = 0;
    let flushed = false;
    lifecycle.onShutdown('servers', (deadlineMs) => {
      deadline = deadlineMs;
      return new Promise(() => {});
    });
    lifecycle.onShutdown('flush', () => {
      flushed = true;
    });
    expect(await lifecycle.shutdown('test')).toBe(false);
    expect(deadline).toBeGreaterThan(0);
    expect(deadline).toBeLessThanOrEqual(100);
    expect(flushed).toBe(true);
  });

  test('a shutdown that is requested twice runs once', async () => {
    const lifecycle = lifecycleWith();
    let times = 0;
    lifecycle.onShutdown('servers', () => void times++);
    await Promise.all([lifecycle.shutdown('one'), lifecycle.shutdown('two')]);
    expect(times).toBe(1);
  });
});
