import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldForSearch } from '../search-text.ts';
import { termFinder } from './term-finder.ts';

/** Few characters, so that texts have pieces of the term: of every frequency, width and number of code units. */
const CHARACTERS = ['e', 'Q', '7', '.', 'é', 'ß', 'ａ', '１', 'ｶ', 'ﾞ', '夏', '😀', '😁', '𐐀'];
const string = (constraints: fc.StringConstraints) =>
  fc.string({ unit: fc.constantFrom(...CHARACTERS), ...constraints }).map(foldForSearch);

test('a term is found where indexOf finds it in a folded text, from any position', () => {
  fc.assert(
    fc.property(
      fc.array(string({ maxLength: 12 })),
      string({ minLength: 1, maxLength: 10 }),
      fc.nat(80),
      fc.boolean(),
      (parts, term, from, hasTerm) => {
        const text = parts.join(hasTerm ? term : '\n');
        expect(termFinder(term)(text, from)).toBe(text.indexOf(term, from));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a piece without its term hides no later term', () => {
  for (const term of ['number7x', 'summer', 'https://example.com/', '夏😀夏😁', 'ab']) {
    const pieces = Array.from({ length: term.length }, (_, at) => term.slice(at) + term.slice(0, at));
    const text = `${pieces.slice(1).join('\n')}\n${term}`;
    expect(termFinder(term)(text, 0)).toBe(text.indexOf(term));
  }
});
