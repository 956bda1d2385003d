import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PAGE_LANGUAGES, pageTextsFor } from './page-language.ts';

const languageFor = (header: string | undefined) => pageTextsFor(header).language;

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['DE-at', 'de'],
  ['de-DE,de;q=0.9,en;q=0.8', 'de'],
  ['nl,fr;q=0.5,de;q=0.7', 'de'],
  ['fr;q=0.5, es;q=0.5', 'fr'],
  ['de;q=0, fr;q=0.1', 'fr'],
  ['de;q=0', 'en'],
  ['pt-BR', 'pt'],
  ['zh-TW', 'zh-Hans'],
  ['zh-Hans-CN', 'zh-Hans'],
  ['*', 'en'],
  ['*;q=0.5, ja;q=0.4', 'en'],
  ['ja;q=0.6, *;q=0.5', 'ja'],
  ['de;q=1.1, fr;q=0.2', 'fr'],
  ['de;q=x, fr;q=0.2', 'fr'],
  ['deu', 'en'],
  ['d, fr', 'fr'],
  ['constructor, __proto__, es', 'es'],
  [` de ; q=0.9 ,\tfr`, 'fr'],
])('%s gets %s', (header, language) => {
  expect(languageFor(header)).toBe(language);
});

test('of any header, the language with the highest weight, the first one of several', () => {
  const codes = [...Object.keys(PAGE_LANGUAGES), 'nl', 'x', '*'];
  const range = fc.record({
    code: fc.constantFrom(...codes),
    region: fc.constantFrom('', '-XX', '-Latn-XX'),
    thousandths: fc.integer({ min: 0, max: 1_000 }),
  });
  fc.assert(
    fc.property(fc.array(range, { maxLength: 12 }), (ranges) => {
      const header = ranges
        .map(
          ({ code, region, thousandths }) =>
            `${code}${code === '*' ? '' : region};q=${(thousandths / 1_000).toFixed(3)}`,
        )
        .join(', ');
      const known = ranges
        .map(({ code, thousandths }) => ({ code: code === '*' ? 'en' : code, thousandths }))
        .filter(({ code, thousandths }) => code in PAGE_LANGUAGES && thousandths > 0)
        .toSorted((a, b) => b.thousandths - a.thousandths);
      expect(pageTextsFor(header)).toBe(PAGE_LANGUAGES[known[0]?.code ?? 'en']);
    }),
    { numRuns: 300 },
  );
});

test('any text gets some language, and what follows 512 characters is not read', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (header) => {
      expect(Object.values(PAGE_LANGUAGES).includes(pageTextsFor(header))).toBe(true);
    }),
    { numRuns: 300 },
  );
  expect(languageFor(`${'nl,'.repeat(170)}de`)).toBe('de');
  expect(languageFor(`${'nl,'.repeat(171)}de`)).toBe('en');
});

describe('the languages', () => {
  /** Returns the path and value of each text. */
  const textsOf = (value: object, path = ''): [string, string][] =>
    Object.entries(value).flatMap(([key, text]): [string, string][] =>
      typeof text === 'string' ? [[path + key, text]] : textsOf(text, `${path}${key}.`),
    );
  const english = textsOf(PAGE_LANGUAGES.en!);

  test.each(Object.entries(PAGE_LANGUAGES))('%s has every text, none empty, and none with HTML', (code, texts) => {
    const found = textsOf(texts);
    expect(found.map(([path]) => path)).toEqual(english.map(([path]) => path));
    expect(new Intl.Locale(texts.language).language).toBe(code);
    for (const [path, text] of found)
      expect([path, text]).toEqual([path, expect.stringMatching(/^[^<>&"\s][^<>&"]*$/)]);
    // A sentence in English would be one that was forgotten.
    const same = found.filter(
      ([path, text]) => path.endsWith('text') && text === english.find(([key]) => key === path)![1],
    );
    expect(same).toHaveLength(code === 'en' ? 3 : 0);
  });

  test('of an expired link say neither that its time is over nor that its clicks are used up: it may be either', () => {
    const reasons = /time|visit|click|Gültig|Zeit|Klick|plazo|clic|durée|prazo|clique|期|回|次|点击/i;
    for (const [code, { expired }] of Object.entries(PAGE_LANGUAGES))
      expect([code, `${expired.title} ${expired.text}`]).toEqual([code, expect.not.stringMatching(reasons)]);
  });
});
