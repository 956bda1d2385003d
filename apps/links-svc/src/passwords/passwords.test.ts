import { expect, test } from 'vitest';
import { hashPassword, verifyPassword, verifyVisitorPassword } from './passwords.ts';

const VISITOR = { accountId: 'account', linkId: 'link', address: '192.0.2.1' };
const isVisitorsPassword = (password: string, stored: string) =>
  verifyVisitorPassword(password, stored, VISITOR, 10_000);

test('a password matches only its own hash, and every hash has its own salt', async () => {
  const [a, b] = await Promise.all([hashPassword('päss wörd', 'account'), hashPassword('päss wörd', 'account')]);
  expect(a).toMatch(/^scrypt\$14,8,5\$[\w-]{22}\$[\w-]{43}$/);
  expect(a).not.toBe(b);
  for (const isPasswordOf of [
    (password: string) => verifyPassword(password, a, 'account'),
    (password: string) => isVisitorsPassword(password, a),
  ]) {
    expect(await isPasswordOf('päss wörd')).toBe(true);
    expect(await isPasswordOf('pa\u0308ss wo\u0308rd')).toBe(true);
    expect(await isPasswordOf('pass word')).toBe(false);
    expect(await isPasswordOf('')).toBe(false);
  }
});

test('a hash with other cost parameters is still valid', async () => {
  // RFC 7914, section 12: the first 32 bytes of scrypt("pleaseletmein", "SodiumChloride", N = 16384, r = 8, p = 1).
  const hash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex');
  const stored = `scrypt$14,8,1$${Buffer.from('SodiumChloride').toString('base64url')}$${hash.toString('base64url')}`;
  expect(await isVisitorsPassword('pleaseletmein', stored)).toBe(true);
  expect(await isVisitorsPassword('pleaseletmeout', stored)).toBe(false);
});

test('a malformed hash is an error, not a wrong password', async () => {
  await expect(isVisitorsPassword('x', 'plain')).rejects.toThrow('malformed');
});
