import fc from 'fast-check';
import { expect, test } from 'vitest';
import { languageOf } from './language.ts';

// The first ones are headers of browsers, phones, apps and crawlers.
test.each([
  ['de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7', 'de'],
  ['en-US,en;q=0.5', 'en'],
  ['pt-BR', 'pt'],
  ['zh-Hans-CN;q=1, en-CN;q=0.9', 'zh'],
  ['DE-de', 'de'],
  ['sr_RS', 'sr'],
  ['en;q=0.8, de;q=0.9', 'en'],
  [' , fr', 'fr'],
  ['he', 'he'],
  ['iw-IL', 'he'],
  ['in-ID,in;q=0.9', 'id'],
  ['ji', 'yi'],
  ['fil-PH,fil;q=0.9,en-US;q=0.8', ''],
  ['*', ''],
  ['', ''],
  ['C', ''],
  ['x-klingon', ''],
  ['d\u00e9', ''],
  ['de1', ''],
  [undefined, ''],
])('the language of %j is "%s"', (header, language) => {
  expect(languageOf(header)).toBe(language);
});

test('any header gives two small letters or nothing', () => {
  const part = fc.oneof(fc.constantFrom('de', 'EN', '-', ',', ' ', '\t', ';q=0.1', '*'), fc.string());
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      expect(languageOf(parts.join(''))).toMatch(/^(?:[a-z]{2})?$/);
    }),
  );
});
