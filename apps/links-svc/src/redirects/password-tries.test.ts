import { setTimeout as sleep } from 'node:timers/promises';
import { createMemoryAttempts } from '@waymark/service-kit';
import { describe, expect, test } from 'vitest';
import { PasswordTries } from './password-tries.ts';

const WAIT_MS = 10_000;

/** Returns tries counted in memory. */
function triesOf(perMinute: number, now: () => number = () => 0) {
  const tries = new PasswordTries(perMinute, createMemoryAttempts(now));
  const take = (linkId: string, address: string, waitMs = WAIT_MS) =>
    tries.begin(linkId, address, performance.now() + waitMs);
  /** Sends a wrong password and returns the seconds to wait. */
  const waitOfWrong = async (linkId: string, address: string) => {
    const one = await take(linkId, address);
    one.end(true);
    return one.waitSeconds;
  };
  return { take, waitOfWrong };
}

describe('"at most PASSWORD_TRIES_PER_MINUTE wrong tries for each link and address"', () => {
  test('the next one is refused until a minute after the first', async () => {
    let nowMs = 0;
    const { waitOfWrong } = triesOf(3, () => nowMs);
    for (let i = 0; i < 3; i += 1) expect(await waitOfWrong('l', '192.0.2.1')).toBe(0);
    nowMs = 10_000;
    expect(await waitOfWrong('l', '192.0.2.1')).toBe(50);
    nowMs = 59_999;
    expect(await waitOfWrong('l', '192.0.2.1')).toBe(1);
    nowMs = 60_000;
    expect(await waitOfWrong('l', '192.0.2.1')).toBe(0);
  });

  test('other links and other addresses have their own tries', async () => {
    const { waitOfWrong } = triesOf(1);
    expect(await waitOfWrong('l', '192.0.2.1')).toBe(0);
    expect(await waitOfWrong('l', '192.0.2.1')).toBeGreaterThan(0);
    expect(await waitOfWrong('m', '192.0.2.1')).toBe(0);
    expect(await waitOfWrong('l', '192.0.2.2')).toBe(0);
  });

  test('a right password does not count as a wrong try', async () => {
    const { take } = triesOf(2);
    for (let i = 0; i < 10; i += 1) {
      const one = await take('l', 'a');
      expect(one.waitSeconds).toBe(0);
      one.end(false);
    }
  });

  test('the addresses of an IPv6 /64 network count together', async () => {
    const { waitOfWrong } = triesOf(1);
    expect(await waitOfWrong('l', '2001:db8:1:2::1')).toBe(0);
    expect(await waitOfWrong('l', '2001:db8:1:2:ffff::9')).toBeGreaterThan(0);
    expect(await waitOfWrong('l', '2001:db8:1:3::1')).toBe(0);
  });

  test('0 turns the limit off', async () => {
    const { waitOfWrong } = triesOf(0);
    for (let i = 0; i < 100; i += 1) expect(await waitOfWrong('l', 'a')).toBe(0);
  });
});

describe('more tries than are left', () => {
  test('wait in order until the outcome of the earlier ones is known', async () => {
    const { take } = triesOf(2);
    const unchecked = [await take('l', 'a'), await take('l', 'a')];
    const order: string[] = [];
    const next = ['third', 'fourth'].map((name) =>
      take('l', 'a').then((one) => {
        order.push(name);
        return one;
      }),
    );
    await sleep(120);
    expect(order).toEqual([]);
    unchecked[0]!.end(false);
    expect((await next[0])!.waitSeconds).toBe(0);
    unchecked[1]!.end(true);
    (await next[0])!.end(true);
    expect((await next[1])!.waitSeconds).toBe(60);
    expect(order).toEqual(['third', 'fourth']);
  });

  test('do not delay others', async () => {
    const { take } = triesOf(1);
    const unchecked = await take('l', 'a');
    const waiting = take('l', 'a');
    expect((await take('l', 'b')).waitSeconds).toBe(0);
    expect((await take('m', 'a')).waitSeconds).toBe(0);
    unchecked.end(false);
    expect((await waiting).waitSeconds).toBe(0);
  });

  test('are refused as unavailable if the outcome is late or more than 100 wait', async () => {
    const { take } = triesOf(1);
    const unchecked = await take('l', 'a');
    await expect(take('l', 'a', 100)).rejects.toMatchObject({ code: 'unavailable' });
    const results = await Promise.allSettled(Array.from({ length: 120 }, () => take('l', 'a', 10)));
    expect(results.map(({ status }) => status)).toEqual(Array(120).fill('rejected'));
    unchecked.end(false);
    expect((await take('l', 'a')).waitSeconds).toBe(0);
  });
});
