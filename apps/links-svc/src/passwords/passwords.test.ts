import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './passwords.ts';
import { WorkQueue } from './work-queue.ts';

test('a password fits its own hash only; every hash has a salt of its own', async () => {
  const [a, b] = await Promise.all([hashPassword('päss wörd'), hashPassword('päss wörd')]);
  expect(a).toMatch(/^scrypt\$14,8,5\$[\w-]{22}\$[\w-]{43}$/);
  expect(a).not.toBe(b);
  expect(await verifyPassword('päss wörd', a)).toBe(true);
  expect(await verifyPassword('pa\u0308ss wo\u0308rd', a)).toBe(true);
  expect(await verifyPassword('pass word', a)).toBe(false);
  expect(await verifyPassword('', a)).toBe(false);
});

test('a hash that was made with other costs is still good', async () => {
  // RFC 7914 section 12: scrypt("pleaseletmein", "SodiumChloride", N = 16384, r = 8, p = 1), its first 32 bytes.
  const hash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex');
  const stored = `scrypt$14,8,1$${Buffer.from('SodiumChloride').toString('base64url')}$${hash.toString('base64url')}`;
  expect(await verifyPassword('pleaseletmein', stored)).toBe(true);
  expect(await verifyPassword('pleaseletmeout', stored)).toBe(false);
});

test('a malformed hash is an error and not a wrong password', async () => {
  await expect(verifyPassword('x', 'plain')).rejects.toThrow('malformed');
});

test('a flood runs a few at a time, and what would wait too long is refused as unavailable', async () => {
  const queue = new WorkQueue({ concurrency: 2, maxWaiting: 3, maxWaitMs: 30 });
  let running = 0;
  let most = 0;
  const work = (ms: number) => async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, ms));
    running -= 1;
    return ms;
  };
  const jobs = [5, 5, 100, 100, 1, 1].map((ms) => queue.run(work(ms)));
  const results = await Promise.allSettled(jobs);
  const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : result.value));
  // Two run, three wait, the sixth is one too many; the fifth waits longer than it may.
  expect(codes).toEqual([5, 5, 100, 100, 'unavailable', 'unavailable']);
  expect(most).toBe(2);
  expect(await queue.run(work(1))).toBe(1);
});
