import { describe, expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';
import { hashPassword, verifyPassword, verifyVisitorPassword } from './passwords.ts';

test('a password fits its own hash only; every hash has a salt of its own', async () => {
  const [a, b] = await Promise.all([hashPassword('päss wörd', 'account'), hashPassword('päss wörd', 'account')]);
  expect(a).toMatch(/^scrypt\$14,8,5\$[\w-]{22}\$[\w-]{43}$/);
  expect(a).not.toBe(b);
  for (const isPasswordOf of [
    (password: string) => verifyPassword(password, a, 'account'),
    (password: string) => verifyVisitorPassword(password, a),
  ]) {
    expect(await isPasswordOf('päss wörd')).toBe(true);
    expect(await isPasswordOf('pa\u0308ss wo\u0308rd')).toBe(true);
    expect(await isPasswordOf('pass word')).toBe(false);
    expect(await isPasswordOf('')).toBe(false);
  }
});

test('a hash that was made with other costs is still good', async () => {
  // RFC 7914 section 12: scrypt("pleaseletmein", "SodiumChloride", N = 16384, r = 8, p = 1), its first 32 bytes.
  const hash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex');
  const stored = `scrypt$14,8,1$${Buffer.from('SodiumChloride').toString('base64url')}$${hash.toString('base64url')}`;
  expect(await verifyVisitorPassword('pleaseletmein', stored)).toBe(true);
  expect(await verifyVisitorPassword('pleaseletmeout', stored)).toBe(false);
});

test('a malformed hash is an error and not a wrong password', async () => {
  await expect(verifyVisitorPassword('x', 'plain')).rejects.toThrow('malformed');
});

describe('a queue', () => {
  const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

  test('runs a few at a time, and refuses as unavailable what would wait too long', async () => {
    const queue = new FairQueue({ concurrency: 2, maxWaiting: 3, maxWaitMs: 30 });
    let running = 0;
    let most = 0;
    const work = (ms: number) => async () => {
      running += 1;
      most = Math.max(most, running);
      await later(ms);
      running -= 1;
      return ms;
    };
    const jobs = [5, 5, 100, 100, 1, 1].map((ms) => queue.run('one', work(ms)));
    const results = await Promise.allSettled(jobs);
    const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : result.value));
    // Two run, three wait, the sixth is one too many; the fifth waits longer than it may.
    expect(codes).toEqual([5, 5, 100, 100, 'unavailable', 'unavailable']);
    expect(most).toBe(2);
    expect(await queue.run('one', work(1))).toBe(1);
  });

  test('serves its keys in turn, each in the order it came', async () => {
    const queue = new FairQueue({ concurrency: 1, maxWaiting: 100, maxWaitMs: 10_000 });
    const order: string[] = [];
    const jobs = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) =>
      queue.run(name.charAt(0), async () => {
        order.push(name);
        await later(1);
      }),
    );
    await Promise.all(jobs);
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  test('that is full lets the longest line give way to a shorter one', async () => {
    const queue = new FairQueue({ concurrency: 1, maxWaiting: 3, maxWaitMs: 10_000 });
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2'];
    const jobs = names.map((name) => queue.run(name.charAt(0), () => later(1)));
    const results = await Promise.allSettled(jobs);
    const refused = names.filter((_, at) => results[at]!.status === 'rejected');
    // a1 runs, a2 to a4 wait and a5 is one too many; b1 takes the place of a4; for b2 no line is longer than its own.
    expect(refused).toEqual(['a4', 'a5', 'b2']);
  });

  test('whose work fails goes on', async () => {
    const queue = new FairQueue({ concurrency: 1, maxWaiting: 3, maxWaitMs: 10_000 });
    const failing = queue.run('a', () => Promise.reject(new Error('failed')));
    const next = queue.run('b', async () => 'done');
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('done');
  });
});
