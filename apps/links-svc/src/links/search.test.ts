import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldCase, parseSearch, searchTextOf } from './search.ts';

const fields = (title: string, hashtags: string[] = []) => ({
  slug: 'Slug',
  title,
  destination_url: 'https://example.com/',
  description: null,
  note: null,
  hashtags,
});
const matches = (q: string, text: string): boolean => {
  const search = parseSearch(q);
  return search.kind === 'all' || (search.kind === 'pattern' && new RegExp(search.pattern, 'u').test(text));
};

test('every character of a term is literal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }), (term, around) => {
      fc.pre(!/\s|\p{Cc}/u.test(term));
      const text = searchTextOf(fields(`${around}${term.toUpperCase()}${around}`));
      expect(matches(term.toUpperCase(), text)).toBe(true);
      expect(matches(term, searchTextOf(fields('')))).toBe(searchTextOf(fields('')).includes(foldCase(term)));
    }),
  );
});

test('all terms must match, in any order; the shorter part of a longer term costs nothing', () => {
  const text = searchTextOf(fields('Ab cd', ['ef']));
  expect(matches('cd ab EF', text)).toBe(true);
  expect(matches('cd ab x', text)).toBe(true);
  expect(matches('cd ab xyz', text)).toBe(false);
  expect(parseSearch('a ab abc')).toEqual({ kind: 'pattern', pattern: 'abc' });
});

test('a term that no field can hold matches nothing; no term matches everything', () => {
  for (const q of ['\u0000', 'a \u0007', '\ud800']) expect(parseSearch(q)).toEqual({ kind: 'none' });
  for (const q of [undefined, '', ' \n ']) expect(parseSearch(q)).toEqual({ kind: 'all' });
});
