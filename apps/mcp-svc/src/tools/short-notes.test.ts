import { type Link, linkExample } from '@waymark/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withShortNotes } from './short-notes.ts';

const MAX_TOKENS = 25_000;
/** A link with ordinary texts. */
const linkOf = (note: string | null): Link => ({
  ...linkExample('https://go.example'),
  destination_url: `https://shop.example.com/summer/offers/item-1?utm_source=newsletter&utm_medium=email&utm_campaign=x`,
  title: 'Summer offers, part 1: everything for the garden',
  description: 'What is on offer in the third week of July, for subscribers of the newsletter.',
  hashtags: ['summer', 'newsletter', 'part-1'],
  note,
});
const pageOf = (notes: (string | null)[]) => {
  const links = notes.map(linkOf);
  return { links, page: 1, per: 100, total: links.length, total_pages: 1 };
};
const tokensOf = (json: object) => Buffer.byteLength(JSON.stringify(json)) / 3;

test.each([
  ['letters', 'x'.repeat(5_000)],
  ['line breaks', '\n'.repeat(5_000)],
  ['Chinese', '好'.repeat(5_000)],
  ['emoji', '😀'.repeat(5_000)],
])('a page of 100 links with long notes of %s is below 25,000 tokens, and says what is cut', (_what, note) => {
  const page = pageOf(Array.from({ length: 100 }, () => note));
  const { json, remark } = withShortNotes(page, page.links, undefined);
  expect(tokensOf(json) + tokensOf([remark])).toBeLessThan(MAX_TOKENS);
  for (const link of page.links) {
    expect(link.note).toMatch(/… \(cut\)$/);
    expect(link.note!.isWellFormed()).toBe(true);
    expect(note.startsWith(link.note!.replace('… (cut)', ''))).toBe(true);
  }
  expect(remark).toMatch(/^Long notes are .*; list_links with "fields":"note" returns them whole\.$/);
});

test('as much of each note is kept as fits: few long ones are cut less, short ones not at all', () => {
  const page = pageOf(['x'.repeat(5_000), 'short', null, ...Array.from({ length: 40 }, () => 'y'.repeat(2_000))]);
  expect(withShortNotes(page, page.links, 'id,title').remark).toContain('cut to 1000 characters');
  expect(page.links.map(({ note }) => note?.length).slice(0, 4)).toEqual([1_007, 5, undefined, 1_007]);
});

test.each<[string, number, string | undefined]>([
  ['a page that is short enough', 10, undefined],
  ['notes that were asked for', 100, 'note'],
  ['notes that were asked for with others', 100, 'slug,note,clicks'],
])('%s stays whole', (_what, count, fields) => {
  const page = pageOf(Array.from({ length: count }, () => 'x'.repeat(5_000)));
  const before = structuredClone(page);
  expect(withShortNotes(page, page.links, fields)).toEqual({ json: before });
});

test('links that are long without their notes stay, with short notes', () => {
  const page = pageOf(Array.from({ length: 100 }, () => 'short'));
  for (const link of page.links) link.description = 'x'.repeat(1_000);
  const before = structuredClone(page);
  expect(withShortNotes(page, page.links, undefined)).toEqual({ json: before });
});

test('only notes are changed, and each is the beginning of what it was', () => {
  const notes = fc.array(fc.oneof(fc.constant(null), fc.string({ unit: 'binary', maxLength: 5_000, size: 'max' })), {
    maxLength: 100,
    size: 'max',
  });
  fc.assert(
    fc.property(notes, (sent) => {
      const page = pageOf(sent);
      const before = structuredClone(page);
      const { remark } = withShortNotes(page, page.links, undefined);
      const cut = page.links.filter(({ note }, i) => note !== sent[i]);
      expect(cut.length > 0).toBe(remark !== undefined);
      for (const [i, { note }] of page.links.entries())
        if (note !== sent[i]) expect(sent[i]!.startsWith(note!.slice(0, -'… (cut)'.length))).toBe(true);
      expect({ ...page, links: page.links.map((link, i) => ({ ...link, note: sent[i]! })) }).toEqual(before);
    }),
    { numRuns: 20 },
  );
});
