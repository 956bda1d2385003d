import fc from 'fast-check';
import { expect, test } from 'vitest';
import { termFinder } from './term-finder.ts';

test('a term is found where indexOf finds it, from any position', () => {
  // Few characters, so that texts have pieces of the term.
  const string = (constraints: fc.StringConstraints) =>
    fc.string({ unit: fc.constantFrom('e', 'q', '7', 'é', '😀'), ...constraints });
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
