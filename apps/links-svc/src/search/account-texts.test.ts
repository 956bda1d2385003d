import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostKeyRange } from '../links/link-keys.ts';
import { AccountTexts } from './account-texts.ts';
import { LinkMatcher } from './link-matcher.ts';

// Long texts, so that few of them fill a block.
const text = fc
  .tuple(fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '夏'), maxLength: 6 }), fc.constantFrom(0, 500, 20_000))
  .map(([some, length]) => `${some}${'-'.repeat(length)}`);
const state = fc.constantFrom('public', 'private', 'public archived');
const terms = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '夏'), minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 3,
});
const link = fc.record({
  search_text: text,
  state,
  hashtags: fc.subarray(['a', 'é']),
  host_key: fc.constantFrom('com.example..', 'com.example.shop..', 'com.examplf..'),
});
const manyLinks = fc.array(link, { maxLength: 150, size: 'max' });
const changes = fc.array(fc.array(fc.tuple(fc.nat({ max: 160 }), fc.option(link)), { minLength: 1, maxLength: 10 }), {
  maxLength: 5,
});
const search = fc.record({
  terms,
  states: fc.subarray(['public', 'private']),
  hashtags: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, fc.subarray(['a', 'é'])),
  hosts: fc.constantFrom(undefined, undefined, hostKeyRange('example.com'), hostKeyRange('shop.example.com')),
});

test('the links whose own text contains all terms and that pass the filters are found, also after changes', () => {
  fc.assert(
    fc.property(manyLinks, changes, search, (added, changed, wanted) => {
      const { terms, states, hashtags, hosts } = wanted;
      const links = new Map(added.map((one, number) => [idOf(number), { _id: idOf(number), ...one }]));
      const texts = new AccountTexts();
      for (let from = 0; from < added.length; from += 60) texts.add([...links.values()].slice(from, from + 60));
      const matcher = new LinkMatcher(wanted);
      const found = () => texts.blocks.flatMap((block) => matcher.idsIn(block));
      const expected = () =>
        [...links.values()]
          .filter(
            ({ state, search_text }) => states.includes(state) && terms.every((term) => search_text.includes(term)),
          )
          .filter((one) => hashtags.every((hashtag) => one.hashtags.includes(hashtag)))
          .filter(({ host_key }) => hosts === undefined || (host_key > hosts.$gt && host_key < hosts.$lt))
          .map(({ _id }) => _id)
          .sort();
      expect(found()).toEqual(expected());
      for (const some of changed) {
        const before = [texts.blocks, found()] as const;
        for (const [number, next] of some) {
          const _id = idOf(number);
          if (next === null) links.delete(_id);
          else links.set(_id, { _id, ...next });
        }
        const ids = [...new Set(some.map(([number]) => idOf(number)))];
        texts.replace(
          ids,
          ids.flatMap((id) => links.get(id) ?? []),
        );
        expect(found()).toEqual(expected());
        // A search that runs in slices is not disturbed.
        expect(before[0].flatMap((block) => matcher.idsIn(block))).toEqual(before[1]);
      }
    }),
  );
});

test('a block never holds more than a short time of testing', () => {
  const texts = new AccountTexts();
  const links = Array.from({ length: 200 }, (_, number) => ({
    _id: idOf(number),
    search_text: '\u9e05'.repeat(8_000),
    state: 'public',
    hashtags: [],
    host_key: 'com.example..',
  }));
  texts.add(links.slice(0, 100));
  texts.replace(
    links.map(({ _id }) => _id),
    links,
  );
  for (const { text } of texts.blocks) expect(text.length).toBeLessThanOrEqual(16_384 + 2);
});

function idOf(number: number): string {
  return String(number).padStart(4, '0');
}
