import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateKey, isKey } from './keys.ts';
import { hashSecret } from './secret.ts';

test('docs/api.md, Authentication: a key is key_live_, key_pub_ or key_res_ followed by at least 32 random base62 characters', () => {
  const keys = new Set<string>();
  const seen = new Set<string>();
  for (let i = 0; i < 200; i++) {
    const [live, pub, res] = [generateKey('full_access'), generateKey('public_links_only'), generateKey('restricted')];
    expect(live).toMatch(/^key_live_[0-9A-Za-z]{32,}$/);
    expect(pub).toMatch(/^key_pub_[0-9A-Za-z]{32,}$/);
    expect(res).toMatch(/^key_res_[0-9A-Za-z]{32,}$/);
    keys.add(live).add(pub).add(res);
    for (const character of live.slice('key_live_'.length)) seen.add(character);
  }
  expect(keys.size).toBe(600);
  expect(seen.size).toBe(62);
});

test('every generated key is formatted as a key', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('full_access' as const, 'public_links_only' as const, 'restricted' as const),
      (kind) => {
        expect(isKey(generateKey(kind))).toBe(true);
      },
    ),
  );
});

test('only text of the form of a key is a key', () => {
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
        const expected = /^key_(live|pub|res)_[0-9A-Za-z]{32,128}$/.test(text) && !text.endsWith('\n');
        expect(isKey(text)).toBe(expected);
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
  expect(isKey(text)).toBe(false);
});

test('the hash of a key is its SHA-256', () => {
  expect(hashSecret('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
