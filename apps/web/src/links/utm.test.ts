import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUtm, UTM_NAMES, withoutUtm, withUtm } from './utm.ts';

const name = fc.constantFrom(...UTM_NAMES);
const value = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => text.isWellFormed());
/** Another parameter, as people and other tools write it. */
const other = fc
  .oneof(
    fc.constantFrom(
      'a=1',
      'a=%20+b',
      'a',
      '=',
      '',
      'q=%zz',
      '?utm_source=x',
      'utm_id=7',
      'UTM_SOURCE=x',
      'ü=é',
      'a=b=c',
    ),
    fc.stringMatching(/^[a-z0-9%+=?/:@!~-]{0,12}$/),
  )
  .filter((part) => !UTM_NAMES.some((one) => new URLSearchParams(`&${part}`).has(one)));
const own = fc.tuple(name, value).map(([one, text]) => `${one}=${encodeURIComponent(text)}`);
const start = fc.constantFrom('https://example.com', 'https://example.com/', 'https://example.com/ä/%C3%A4;x', 'x', '');
const fragment = fc.constantFrom('', '#', '#top', '#a?utm_source=x&b', '#/route?x=1');
const join = (from: string, parts: readonly string[], end: string) =>
  from + (parts.length > 0 ? `?${parts.join('&')}` : '') + end;

test('a value that was written is read again, and the other ones are as before', () => {
  const urls = fc.tuple(start, fc.array(fc.oneof(other, own), { maxLength: 6 }), fragment);
  fc.assert(
    fc.property(urls, name, fc.oneof(value, fc.constant('')), ([from, parts, end], written, text) => {
      const url = join(from, parts, end);
      const changed = withUtm(url, written, text);
      for (const one of UTM_NAMES) expect(readUtm(changed, one)).toBe(one === written ? text : readUtm(url, one));
    }),
  );
});

test('nothing else of a URL changes: other parameters, their order, their encoding, the fragment', () => {
  const parts = fc.array(other, { maxLength: 5 }).filter((all) => all.join('') !== '' || all.length > 1);
  const written = fc.array(fc.tuple(name, value), { maxLength: 5 });
  fc.assert(
    fc.property(start, parts, fragment, written, (from, all, end, changes) => {
      const url = join(from, all, end);
      const built = changes.reduce((now, [one, text]) => withUtm(now, one, text), url);
      expect(withoutUtm(built)).toBe(url);
      const [before] = built.split('#');
      expect(built.endsWith(end)).toBe(true);
      expect(before!.startsWith(join(from, all, ''))).toBe(true);
    }),
  );
});

test('a value that stays keeps its bytes and its place; of several, one remains once it changes', () => {
  const url = 'https://example.com/?utm_source=a%20b&x=1&utm_source=c&utm%5Fmedium=m#y';
  expect(withUtm(url, 'utm_source', 'a b')).toBe(url);
  expect(readUtm(url, 'utm_medium')).toBe('m');
  expect(withUtm(url, 'utm_source', 'ä&=')).toBe('https://example.com/?utm_source=%C3%A4%26%3D&x=1&utm%5Fmedium=m#y');
  expect(withoutUtm(url)).toBe('https://example.com/?x=1#y');
  expect(withoutUtm('https://example.com/?utm_source=a')).toBe('https://example.com/');
});
