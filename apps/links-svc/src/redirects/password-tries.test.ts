import { createMemoryCounter } from '@waymark/service-kit';
import { describe, expect, test } from 'vitest';
import { PasswordTries, type PasswordTry } from './password-tries.ts';

/** Tries counted in memory, where there is nothing to wait for. */
function triesOf(perMinute: number, now: () => number = () => 0) {
  const tries = new PasswordTries(perMinute, createMemoryCounter(now));
  const take = (linkId: string, address: string) => tries.take(linkId, address) as PasswordTry;
  return { take, waitOf: (linkId: string, address: string) => take(linkId, address).waitSeconds };
}

describe('"at most PASSWORD_TRIES_PER_MINUTE wrong tries for each link and address"', () => {
  test('the next one has to wait, until a minute after the first', () => {
    let nowMs = 0;
    const { waitOf } = triesOf(3, () => nowMs);
    for (let i = 0; i < 3; i += 1) expect(waitOf('l', '192.0.2.1')).toBe(0);
    nowMs = 10_000;
    expect(waitOf('l', '192.0.2.1')).toBe(50);
    nowMs = 59_999;
    expect(waitOf('l', '192.0.2.1')).toBe(1);
    nowMs = 60_000;
    expect(waitOf('l', '192.0.2.1')).toBe(0);
  });

  test('another link and another address have tries of their own', () => {
    const { waitOf } = triesOf(1);
    expect(waitOf('l', '192.0.2.1')).toBe(0);
    expect(waitOf('l', '192.0.2.1')).toBeGreaterThan(0);
    expect(waitOf('m', '192.0.2.1')).toBe(0);
    expect(waitOf('l', '192.0.2.2')).toBe(0);
  });

  test('a right password is no wrong try', () => {
    const { take } = triesOf(2);
    for (let i = 0; i < 10; i += 1) {
      const one = take('l', 'a');
      expect(one.waitSeconds).toBe(0);
      one.giveBack();
    }
  });

  test('the addresses of one IPv6 network of 64 bits are one; an IPv4 address is one in both notations', () => {
    const { waitOf } = triesOf(1);
    expect(waitOf('l', '2001:db8:1:2::1')).toBe(0);
    expect(waitOf('l', '2001:db8:1:2:ffff::9')).toBeGreaterThan(0);
    expect(waitOf('l', '2001:db8:1:3::1')).toBe(0);
    expect(waitOf('l', '192.0.2.1')).toBe(0);
    expect(waitOf('l', '::ffff:192.0.2.1')).toBeGreaterThan(0);
  });

  test('0 turns the limit off', () => {
    const { waitOf } = triesOf(0);
    for (let i = 0; i < 100; i += 1) expect(waitOf('l', 'a')).toBe(0);
  });
});
