import { describe, expect, test } from 'vitest';
import { PasswordTries } from './password-tries.ts';

describe('"at most PASSWORD_TRIES_PER_MINUTE wrong tries for each link and address"', () => {
  test('the next one has to wait, until a minute after the first', () => {
    let nowMs = 0;
    const tries = new PasswordTries(3, () => nowMs);
    for (let i = 0; i < 3; i += 1) expect(tries.take('l', '192.0.2.1')).toBe(0);
    nowMs = 10_000;
    expect(tries.take('l', '192.0.2.1')).toBe(50);
    nowMs = 59_999;
    expect(tries.take('l', '192.0.2.1')).toBe(1);
    nowMs = 60_000;
    expect(tries.take('l', '192.0.2.1')).toBe(0);
  });

  test('another link and another address have tries of their own', () => {
    const tries = new PasswordTries(1, () => 0);
    expect(tries.take('l', '192.0.2.1')).toBe(0);
    expect(tries.take('l', '192.0.2.1')).toBeGreaterThan(0);
    expect(tries.take('m', '192.0.2.1')).toBe(0);
    expect(tries.take('l', '192.0.2.2')).toBe(0);
  });

  test('a right password is no wrong try', () => {
    const tries = new PasswordTries(2, () => 0);
    for (let i = 0; i < 10; i += 1) {
      expect(tries.take('l', 'a')).toBe(0);
      tries.giveBack('l', 'a');
    }
  });

  test('the addresses of one IPv6 network of 64 bits are one; an IPv4 address is one in both notations', () => {
    const tries = new PasswordTries(1, () => 0);
    expect(tries.take('l', '2001:db8:1:2::1')).toBe(0);
    expect(tries.take('l', '2001:db8:1:2:ffff::9')).toBeGreaterThan(0);
    expect(tries.take('l', '2001:db8:1:3::1')).toBe(0);
    expect(tries.take('l', '192.0.2.1')).toBe(0);
    expect(tries.take('l', '::ffff:192.0.2.1')).toBeGreaterThan(0);
  });

  test('0 turns the limit off', () => {
    const tries = new PasswordTries(0);
    for (let i = 0; i < 100; i += 1) expect(tries.take('l', 'a')).toBe(0);
  });
});
