import { expect, test } from 'vitest';
import { generateKey, isKey } from './keys.ts';
import { generateSessionToken, generateSignInToken, isSessionToken, isSignInToken } from './session-tokens.ts';

test('a session token, a sign-in token and a key are told apart by their form', () => {
  const [session, signIn, key] = [generateSessionToken(), generateSignInToken(), generateKey('full_access')];
  expect([session, signIn, key].map(isSessionToken)).toEqual([true, false, false]);
  expect([session, signIn, key].map(isSignInToken)).toEqual([false, true, false]);
  expect([session, signIn, key].map(isKey)).toEqual([false, false, true]);
});

test('tokens have 40 random base62 characters', () => {
  const tokens = Array.from({ length: 100 }, () => [generateSessionToken(), generateSignInToken()]).flat();
  expect(new Set(tokens.map((token) => token.split('_')[1])).size).toBe(200);
  for (const token of tokens) expect(token).toMatch(/^(sess|signin)_[0-9A-Za-z]{40}$/);
});

test.each([
  '',
  'sess_',
  `sess_${'a'.repeat(39)}`,
  `sess_${'a'.repeat(41)}`,
  `sess_${'a'.repeat(39)}-`,
  ` sess_${'a'.repeat(40)}`,
])('%j is no session token', (text) => expect(isSessionToken(text)).toBe(false));
