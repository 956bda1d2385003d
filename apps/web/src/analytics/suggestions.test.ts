import { expect, test, vi } from 'vitest';
import { suggestionsOf } from './suggestions.ts';

vi.mock('../page-facts.ts', () => ({ PUBLIC_URL: 'https://go.example' }));

const link = (id: string, hashtags: string[]) => ({
  id,
  slug: `slug-${id}`,
  short_url: `https://${id === '2' ? 'short.example' : 'go.example'}/slug-${id}`,
  title: id === '1' ? 'A title' : null,
  destination_url: `https://example.com/${id}`,
  hashtags,
});
const links = [link('1', ['summer', 'sale']), link('2', ['summer', 'été'])];
const valuesOf = (text: string) => suggestionsOf(text, links).map(({ filter, value }) => [filter, value]);

test('hashtags that begin with the text come first, each once, then the links', () => {
  expect(valuesOf('Su')).toEqual([
    ['hashtag', 'summer'],
    ['link_id', '1'],
    ['link_id', '2'],
  ]);
});

test('after a # there are only hashtags, whatever form their letters were typed in', () => {
  expect(valuesOf('#s')).toEqual([
    ['hashtag', 'sale'],
    ['hashtag', 'summer'],
    ['hashtag', 's'],
  ]);
  expect(valuesOf('#E\u0301t')).toEqual([
    ['hashtag', 'été'],
    ['hashtag', 'ét'],
  ]);
});

test('a link has its title, or else its destination', () => {
  expect(suggestionsOf('slug', links).map(({ name, detail }) => [name, detail])).toEqual([
    ['/slug-1', 'A title'],
    ['short.example/slug-2', 'https://example.com/2'],
  ]);
});

test('a typed hashtag is offered although none of the found links has it, and only once', () => {
  expect(valuesOf('#Other')).toEqual([['hashtag', 'other']]);
  expect(valuesOf('#sale')).toEqual([['hashtag', 'sale']]);
  expect(valuesOf('#')).toEqual([
    ['hashtag', 'sale'],
    ['hashtag', 'summer'],
    ['hashtag', 'été'],
  ]);
  expect(valuesOf('#no hashtag')).toEqual([]);
});
