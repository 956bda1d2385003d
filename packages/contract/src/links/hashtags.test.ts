import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HASHTAG_MAX_LENGTH, isHashtag, normalizeHashtags } from './hashtags.ts';

test('a leading # is dropped, case folded, duplicates removed, order kept', () => {
  expect(normalizeHashtags(['#Sale', 'summer', 'SALE', '#summer', 'É', 'E\u0301'])).toEqual(['sale', 'summer', 'é']);
});

test.each([
  ['İ grows to two code points', 'İ', 25],
  ['Devanagari क़ is two code points in normal form', '\u0958', 25],
  ['é as letter and mark becomes one code point', 'e\u0301', 50],
  ['ᾂ as letter and three marks becomes one code point', '\u03b1\u0313\u0300\u0345', 50],
  ['a letter outside the basic plane', '𐐀', 50],
])('the length of a hashtag is counted after folding: %s', (_, letter, most) => {
  expect(isHashtag(letter.repeat(most))).toBe(true);
  expect(isHashtag(`#${letter.repeat(most)}`)).toBe(true);
  expect(isHashtag(letter.repeat(most + 1))).toBe(false);
});

test('a stored hashtag can be sent again and is stored unchanged, for all of Unicode', () => {
  const character = fc.oneof(
    fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
    // Half of the characters are letters whose length changes when folded, and combining marks.
    fc.constantFrom(...'İΣßẞHJTWYǰ\u0344\u0958\ufb2c\u0301\u0323\u0331\u0345'),
  );
  const hashtag = fc.string({ unit: character, minLength: 1, maxLength: 2 * HASHTAG_MAX_LENGTH }).filter(isHashtag);
  fc.assert(
    fc.property(fc.array(hashtag, { maxLength: 5 }), (sent) => {
      const stored = normalizeHashtags(sent);
      expect(stored.every(isHashtag)).toBe(true);
      expect(normalizeHashtags(stored)).toEqual(stored);
    }),
    { numRuns: 2_000 },
  );
  for (let code = 0; code <= 0x10ffff; code++) {
    const text = String.fromCodePoint(code);
    if (!isHashtag(text)) continue;
    const [stored] = normalizeHashtags([text]);
    if (!isHashtag(stored!) || normalizeHashtags([stored!])[0] !== stored) expect.fail(`U+${code.toString(16)}`);
  }
});

test('a long text is refused as a hashtag before it is folded', () => {
  expect(isHashtag('\u0301\u0323'.repeat(30_000))).toBe(false);
});
