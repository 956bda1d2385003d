import { searchTerms } from '@waymark/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldForSearch, searchTextOf } from '../search-text.ts';
import { parseShortUrl } from '../slugs/short-url.ts';
import { parseSearch } from './search.ts';

const fields = (title: string, hashtags: string[] = []) => ({
  slug: 'Slug',
  title,
  destination_url: 'https://example.com/',
  description: null,
  note: null,
  hashtags,
});
const parse = (q: string | undefined) => {
  const urls = searchTerms(q).flatMap((term) => {
    const url = parseShortUrl(term, ['https://go.example']);
    return url?.host === null ? [[term, { hostId: null, slugKey: url.slugKey }] as const] : [];
  });
  return parseSearch(q, new Map(urls));
};
const matches = (q: string, text: string): boolean => parse(q)!.terms.every((term) => text.includes(term));

test('every character of a term is literal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }), (term, around) => {
      fc.pre(!/\s|\p{Cc}|^#/u.test(term));
      const text = searchTextOf(fields(`${around}${term.toUpperCase()}${around}`));
      expect(matches(term.toUpperCase(), text)).toBe(true);
      expect(matches(term, searchTextOf(fields('')))).toBe(searchTextOf(fields('')).includes(foldForSearch(term)));
    }),
  );
});

test('all terms must match in any order, and a term within another one is dropped', () => {
  const text = searchTextOf(fields('Ab cd', ['ef']));
  expect(matches('cd ab EF', text)).toBe(true);
  expect(matches('cd ab x', text)).toBe(true);
  expect(matches('cd ab xyz', text)).toBe(false);
  expect(parse('a ab abc')).toEqual({ terms: ['abc'], hashtags: [], slug: undefined });
});

test('a term that no field can contain matches nothing, and no terms match everything', () => {
  for (const q of ['\u0000', 'a \u0007', '\ud800']) expect(parse(q)).toBe(null);
  for (const q of [undefined, '', ' \n ']) expect(parse(q)).toEqual({ terms: [], hashtags: [], slug: undefined });
});

test('at most ten different words are searched for', () => {
  const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join(' ');
  expect(parse(`${words(10)} W1 w2`)?.terms).toHaveLength(10);
  expect(parse(`${words(8)} #a #A go.example/b`)).not.toBe(null);
  for (const q of [words(11), `${words(9)} #a go.example/b`])
    expect(() => parse(q)).toThrow('"q" must have at most 10 words; you sent 11 different ones.');
});

test('a hashtag and a short URL are separate conditions, and other terms are literal', () => {
  expect(parse('#Sale go.example/Summer #SALE #über')).toEqual({
    terms: [],
    hashtags: ['sale', 'über'],
    slug: { hostId: null, slugKey: 'summer' },
  });
  expect(parse('＃日本語 #スター・ウォーズ #می\u200cخواهم')?.hashtags).toEqual([
    '日本語',
    'スター・ウォーズ',
    'می\u200cخواهم',
  ]);
  expect(parse('go.example./%53ummer')?.slug).toEqual({ hostId: null, slugKey: 'summer' });
  expect(parse('# ##a #a.b')).toEqual({
    terms: ['##a', '#a.b'],
    hashtags: [],
    slug: undefined,
  });
  expect(parse('go.example/a https://go.example/b')).toBe(null);
});

test('texts that differ only in normalization and case are equal', () => {
  const characters = fc.string({ unit: 'grapheme', maxLength: 20 });
  fc.assert(
    fc.property(characters, (text) => {
      for (const form of ['NFC', 'NFD'] as const) expect(foldForSearch(text.normalize(form))).toBe(foldForSearch(text));
      expect(foldForSearch(text.toLowerCase())).toBe(foldForSearch(text));
      expect(foldForSearch(text.toUpperCase())).toBe(foldForSearch(text));
      expect(foldForSearch(foldForSearch(text))).toBe(foldForSearch(text));
    }),
  );
});

test.each([
  ['Große Straße', ['STRASSE', 'strasse', 'Straße', 'STRAẞE', 'GROSSE']],
  ['GROSSE STRASSE', ['straße', 'große', 'STRAẞE']],
  ['STRAẞE', ['straße', 'strasse']],
  ['İzmir gezisi', ['izmir', 'İZMİR', 'IZMIR', 'İzmir', 'i\u0307zmir']],
  ['izmir', ['İZMİR', 'İzmir', 'I\u0307zmir']],
  ['ISTANBUL', ['İstanbul']],
  ['kırık', ['KIRIK', 'kırık']],
  ['ﬁne oﬃce ĳs', ['FINE', 'fine', 'office', 'OFFICE', 'Ĳs']],
  ['ΟΔΟΣ', ['οδος', 'οδοσ', 'ὀδός'.normalize('NFD').replace(/[\u0301\u0313]/g, '')]],
  ['Μαΐου', ['ΜΑΪ́ΟΥ']],
  ['ŉ ǰ ΰ', ['ʼN', 'J\u030c', 'Υ\u0308\u0301']],
  ['Ꭰꭱ', ['ꭰᎡ']],
  ['ᾳ', ['ΑΙ', 'ᾼ']],
  ['Ｓａｌｅ　１０', ['sale', '10', 'ＳＡＬＥ']],
  ['sale 10', ['ｓａｌｅ', '１０']],
  ['ガイド', ['ｶﾞｲﾄﾞ', 'ガイド']],
  ['ｶﾞｲﾄﾞ', ['ガイド', 'ｶﾞｲﾄﾞ']],
])('by full case folding, %s is found by %j', (title, terms) => {
  for (const term of terms) expect([term, matches(term, searchTextOf(fields(title)))]).toEqual([term, true]);
});

test('a letter with another mark is another letter', () => {
  for (const [title, term] of [
    ['e', 'é'],
    ['s', 'ß'],
    ['ị̇', 'i'],
  ] as const)
    expect([title, matches(term, searchTextOf({ ...fields(title), slug: 'x', destination_url: 'x' }))]).toEqual([
      title,
      false,
    ]);
});

test('thousands of combining marks are folded in linear time, since at most 30 are kept in a row', () => {
  const folded = foldForSearch(`a${'\u0301\u0323'.repeat(2_500)}`);
  expect(folded).not.toMatch(/[\u0301\u0323]{31}/);
  expect(folded).toMatch(/[\u0301\u0323]{30}/);
  expect(folded.replaceAll('\u034f', '').normalize('NFD')).toHaveLength(5_001);
});
