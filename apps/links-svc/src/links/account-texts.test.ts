import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AccountTexts, type SearchedLink } from './account-texts.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '夏'), maxLength: 6 });
const state = fc.constantFrom('public', 'private', 'public archived');
const terms = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '夏'), minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 3,
});
const manyLinks = fc.array(fc.tuple(text, state), { minLength: 1, maxLength: 450, size: 'max' });
const changes = fc.array(fc.tuple(fc.nat({ max: 460 }), fc.option(fc.tuple(text, state))), { maxLength: 20 });

test('a search, also a repeated one, returns the links whose own text contains all terms', async () => {
  await fc.assert(
    fc.asyncProperty(
      manyLinks,
      changes,
      terms,
      fc.subarray(['public', 'private']),
      async (added, changed, all, states) => {
        const links = new Map(
          added.map(([search_text, its], number) => [idOf(number), linkOf(number, search_text, its)]),
        );
        const texts = new AccountTexts();
        texts.add([...links.values()]);
        const search = () => texts.find(all, states, async (slice) => slice());
        const expected = () =>
          [...links.values()]
            .filter((link) => states.includes(link.state) && all.every((term) => link.search_text.includes(term)))
            .map(({ _id }) => _id)
            .sort();
        expect(await search()).toEqual(expected());
        for (const [number, next] of changed) {
          const link = next === null ? null : linkOf(number, ...next);
          texts.change(idOf(number), link);
          if (link === null) links.delete(idOf(number));
          else links.set(idOf(number), link);
        }
        expect(await search()).toEqual(expected());
      },
    ),
  );
});

function idOf(number: number): string {
  return String(number).padStart(4, '0');
}

function linkOf(number: number, search_text: string, state: string): SearchedLink {
  return { _id: idOf(number), search_text, state };
}
