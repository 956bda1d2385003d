import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HASHTAG_MAX_LENGTH, hashtagOfTag, isHashtag, normalizeHashtags } from './hashtags.ts';

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
    // Others are joiners, and letters whose length changes when folded, and combining marks.
    fc.constantFrom(...'\u200c\u200d·\u0387・\u05f4\u0f0b\u2019'),
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

const WORDS = {
  Sinhala: 'ශ්\u200dරී',
  Persian: 'می\u200cخواهم',
  Hindi: 'क्\u200dषेत्र',
  Catalan: 'paral·lel',
  Japanese: 'スター・ウォーズ',
  'Hebrew, double': 'ארה״ב',
  'Hebrew, single': 'ג׳ירפה',
  Tibetan: 'བོད་ཡིག',
  Armenian: 'ա֊բ',
  'with an apostrophe': 'l’été',
};

test.each(Object.entries(WORDS))('a joiner may stand between two letters: %s', (_, word) => {
  for (const hashtag of [word, `#${word}`, `＃${word}`]) {
    expect(isHashtag(hashtag)).toBe(true);
    expect(normalizeHashtags([hashtag])).toEqual([word]);
  }
});

test('a joiner at the start or the end, beside another one or beside what is no letter is refused', () => {
  for (const joiner of '\u200c\u200d·\u0387・\u05f3\u05f4\u0f0b\u058a\u2010\u2019\u2027\u30a0')
    for (const text of [
      joiner,
      `${joiner}a`,
      `a${joiner}`,
      `a${joiner}${joiner}a`,
      `a${joiner}_`,
      `1${joiner}2`,
      `#${joiner}a`,
    ])
      expect([text, isHashtag(text)]).toEqual([text, false]);
});

test('a spelling with a joiner is another hashtag, and two spellings of a joiner are one', () => {
  expect(normalizeHashtags(['paral·lel', 'parallel', 'paral\u0387lel'])).toEqual(['paral·lel', 'parallel']);
});

test('marks alone are no hashtag', () => {
  for (const text of ['#️⃣', '\u0301', '#\u20e3']) expect([text, isHashtag(text)]).toEqual([text, false]);
});

test('one # or ＃ is dropped', () => {
  expect(normalizeHashtags(['＃日本語', '#日本語'])).toEqual(['日本語']);
  for (const text of ['##a', '＃＃a', '#＃a', '#', '＃']) expect([text, isHashtag(text)]).toEqual([text, false]);
});

test('a tag of another service becomes the nearest hashtag', () => {
  for (const [tag, hashtag] of [
    [' Summer sale ', 'Summer-sale'],
    ['#a.b', 'a-b'],
    ['＃日本 語', '日本-語'],
    ['می\u200cخواهم و', 'می\u200cخواهم-و'],
    ['\u200ca \u200cb', '-a-b'],
    ['---', '---'],
    ['· ·', null],
    ['', null],
  ] as const)
    expect([tag, hashtagOfTag(tag)]).toEqual([tag, hashtag]);
});
