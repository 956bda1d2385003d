import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostKeyRange } from '../links/link-keys.ts';
import { LinkMatcher } from './link-matcher.ts';
import { blocksOf, replaceLinks } from './text-blocks.ts';

// Long texts, so that few of them fill a block.
const text = fc
  .tuple(fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '夏'), maxLength: 6 }), fc.constantFrom(0, 500, 9_000))
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
  expires_at: fc.constantFrom(null, new Date(1_000), new Date(2_000)),
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
  ids: fc.constantFrom(undefined, undefined, { $gt: idOf(10), $lt: idOf(90) }, { $gt: idOf(90), $lt: idOf(10) }),
  expiry: fc.option(
    fc.record({ isExpired: fc.boolean(), at: fc.constantFrom(1_000, 1_500).map((ms) => new Date(ms)) }),
    {
      nil: undefined,
    },
  ),
});

test('the links whose own text contains all terms and that pass the filters are found, also after changes', () => {
  fc.assert(
    fc.property(manyLinks, changes, search, (added, changed, wanted) => {
      const { terms, states, hashtags, hosts, ids, expiry } = wanted;
      const links = new Map(added.map((one, number) => [idOf(number), { _id: idOf(number), ...one }]));
      let blocks = blocksOf([...links.values()]);
      const matcher = new LinkMatcher(wanted);
      const found = () => blocks.flatMap((block) => matcher.idsIn(block));
      const expected = () =>
        [...links.values()]
          .filter(
            ({ state, search_text }) => states.includes(state) && terms.every((term) => search_text.includes(term)),
          )
          .filter((one) => hashtags.every((hashtag) => one.hashtags.includes(hashtag)))
          .filter(({ host_key }) => hosts === undefined || (host_key > hosts.$gt && host_key < hosts.$lt))
          .filter(({ _id }) => ids === undefined || (_id > ids.$gt && _id < ids.$lt))
          .filter(
            ({ expires_at }) =>
              expiry === undefined || (expires_at !== null && expires_at <= expiry.at) === expiry.isExpired,
          )
          .map(({ _id }) => _id)
          .sort();
      expect(found()).toEqual(expected());
      for (const some of changed) {
        for (const [number, next] of some) {
          const _id = idOf(number);
          if (next === null) links.delete(_id);
          else links.set(_id, { _id, ...next });
        }
        const changedIds = [...new Set(some.map(([number]) => idOf(number)))];
        blocks = replaceLinks(
          blocks,
          changedIds,
          changedIds.flatMap((id) => links.get(id) ?? []),
        );
        expect(found()).toEqual(expected());
      }
    }),
  );
});

test('a block has a short text, so that testing it takes a short time', () => {
  const links = Array.from({ length: 200 }, (_, number) => ({
    _id: idOf(number),
    search_text: '\u9e05'.repeat(4_000),
    state: 'public',
    hashtags: [],
    host_key: 'com.example..',
    expires_at: null,
  }));
  const ids = links.map(({ _id }) => _id);
  for (const blocks of [blocksOf(links), replaceLinks([], ids, links), replaceLinks(blocksOf(links), ids, links)])
    for (const { text } of blocks) expect(text.length).toBeLessThanOrEqual(8_192 + 2);
});

function idOf(number: number): string {
  return String(number).padStart(4, '0');
}
