import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateKey, parseKey } from './keys.ts';
import { hashSecret } from './secret.ts';

test('docs/api.md, Authentication: a key is key_live_ or key_pub_ followed by at least 32 random base62 characters', () => {
  const keys = new Set<string>();
  const seen = new Set<string>();
  for (let i = 0; i < 200; i++) {
    const [live, pub] = [generateKey('full_access'), generateKey('public_links_only')];
    expect(live).toMatch(/^key_live_[0-9A-Za-z]{32,}$/);
    expect(pub).toMatch(/^key_pub_[0-9A-Za-z]{32,}$/);
    keys.add(live).add(pub);
    for (const character of live.slice('key_live_'.length)) seen.add(character);
  }
  expect(keys.size).toBe(400);
  expect(seen.size).toBe(62);
});

test('every generated key is parsed with its scope', () => {
  fc.assert(
    fc.property(fc.constantFrom('full_access' as const, 'public_links_only' as const), (scope) => {
      const key = generateKey(scope);
      expect(parseKey(key)).toEqual({ scope, key });
    }),
  );
});

test('only text of the form of a key is parsed as a key', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string({ unit: 'binary' }).map((text) => `key_live_${text}`),
        fc
          .string({ unit: fc.constantFrom('a', 'Z', '0', '_', '\n', ' ', 'é'), minLength: 30 })
          .map((text) => `key_pub_${text}`),
      ),
      (text) => {
        const expected = /^key_(live|pub)_[0-9A-Za-z]{32,128}$/.test(text) && !text.endsWith('\n');
        expect(parseKey(text) !== null).toBe(expected);
      },
    ),
  );
});

test.each([
  '',
  'key_live_',
  `key_live_${'a'.repeat(31)}`,
  `key_live_${'a'.repeat(129)}`,
  `key_live_${'a'.repeat(40)}\n`,
  ` key_live_${'a'.repeat(40)}`,
  `KEY_LIVE_${'a'.repeat(40)}`,
  `key_test_${'a'.repeat(40)}`,
  `key_live_${'é'.repeat(40)}`,
])('%j is not a key', (text) => {
  expect(parseKey(text)).toBeNull();
});

test('the hash of a key is its SHA-256', () => {
  expect(hashSecret('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
