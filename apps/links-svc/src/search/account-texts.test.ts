import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostKeyRange } from '../links/link-keys.ts';
import { AccountTexts } from './account-texts.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '夏'), maxLength: 6 });
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
const manyLinks = fc.array(link, { minLength: 1, maxLength: 450, size: 'max' });
const changes = fc.array(fc.tuple(fc.nat({ max: 460 }), fc.option(link)), { maxLength: 20 });
const search = fc.record({
  terms,
  states: fc.subarray(['public', 'private']),
  hashtags: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, fc.subarray(['a', 'é'])),
  hosts: fc.constantFrom(undefined, undefined, hostKeyRange('example.com'), hostKeyRange('shop.example.com')),
});

test('a search, also a repeated one, returns the links whose own text contains all terms and that pass the filters', async () => {
  await fc.assert(
    fc.asyncProperty(manyLinks, changes, search, async (added, changed, wanted) => {
      const { terms, states, hashtags, hosts } = wanted;
      const links = new Map(added.map((one, number) => [idOf(number), { _id: idOf(number), ...one }]));
      const texts = new AccountTexts();
      texts.add([...links.values()]);
      const find = () => texts.find(wanted, async (slice) => slice());
      const expected = () =>
        [...links.values()]
          .filter(
            ({ state, search_text }) => states.includes(state) && terms.every((term) => search_text.includes(term)),
          )
          .filter((one) => hashtags.every((hashtag) => one.hashtags.includes(hashtag)))
          .filter(({ host_key }) => hosts === undefined || (host_key > hosts.$gt && host_key < hosts.$lt))
          .map(({ _id }) => _id)
          .sort();
      expect(await find()).toEqual(expected());
      for (const [number, next] of changed) {
        const _id = idOf(number);
        texts.change(_id, next === null ? null : { _id, ...next });
        if (next === null) links.delete(_id);
        else links.set(_id, { _id, ...next });
      }
      expect(await find()).toEqual(expected());
    }),
  );
});

function idOf(number: number): string {
  return String(number).padStart(4, '0');
}
