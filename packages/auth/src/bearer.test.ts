import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseBearer } from './bearer.ts';

test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
  'docs/api.md, Authentication: the scheme’s case is ignored: %s',
  (scheme) => {
    expect(parseBearer(`${scheme} key_live_abc`)).toBe('key_live_abc');
  },
);

test.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'Basic abc',
  'Bearerabc',
  'Bearer a b',
  'Bearer a,b',
  'Bearer a, Bearer b',
  'Bearer é',
  'Bearer\tabc',
  'xBearer abc',
])('%j contains no token', (header) => {
  expect(parseBearer(header)).toBeNull();
});

test('any token of RFC 6750 is returned unchanged, and no text throws', () => {
  const character = fc.constantFrom(...'ABCXYZabcxyz0189-._~+/');
  fc.assert(
    fc.property(fc.string({ unit: character, minLength: 1 }), fc.nat(3), (token, padding) => {
      const padded = token + '='.repeat(padding);
      expect(parseBearer(`Bearer ${padded}`)).toBe(padded);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const token = parseBearer(text);
      expect(token === null || text.endsWith(token) || text.trimEnd().endsWith(token)).toBe(true);
    }),
  );
});

test('a header of many spaces is parsed in linear time', () => {
  parseBearer(`Bearer ${' '.repeat(1_000_000)}x y`);
});
