import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHealth } from './health.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('readiness', () => {
  test('is true while every check passes, and has the result of each check', async () => {
    const health = createHealth({ a: async () => {}, b: async () => Promise.reject(new Error('down')) });
    expect(await health.readiness()).toEqual({ ready: false, checks: { a: 'ok', b: 'failed' }, unmet: [] });
  });

  test('a check that hangs fails after a second', async () => {
    const health = createHealth({ a: async () => {}, slow: () => new Promise(() => {}) });
    const readiness = health.readiness();
    await vi.advanceTimersByTimeAsync(1001);
    expect(await readiness).toEqual({ ready: false, checks: { a: 'ok', slow: 'failed' }, unmet: [] });
  });

  test('a check that throws at once fails', async () => {
    const health = createHealth({
      broken: () => {
        throw new Error('not even a promise');
      },
    });
    expect((await health.readiness()).ready).toBe(false);
  });

  test('runs the checks at most once a second', async () => {
    const check = vi.fn(async () => {});
    const health = createHealth({ check });
    await Promise.all(Array.from({ length: 100 }, () => health.readiness()));
    expect(check).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1000);
    await health.readiness();
    expect(check).toHaveBeenCalledTimes(2);
  });

  test('reports each change once, with its cause', async () => {
    let up = true;
    const changes: [string, unknown][] = [];
    const health = createHealth(
      { db: async () => (up ? undefined : Promise.reject(new Error('down'))) },
      (name, error) => changes.push([name, error]),
    );
    for (const state of [true, false, false, true, true]) {
      up = state;
      await health.readiness();
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(changes).toEqual([
      ['db', new Error('down')],
      ['db', null],
    ]);
  });

  test('is false as soon as the process is about to stop, despite the cache', async () => {
    const health = createHealth({ a: async () => {} });
    expect((await health.readiness()).ready).toBe(true);
    const onStopping = vi.fn();
    health.onStopping(onStopping);
    health.setNotReady();
    health.setNotReady();
    expect(onStopping).toHaveBeenCalledTimes(1);
    expect((await health.readiness()).ready).toBe(false);
  });
});
