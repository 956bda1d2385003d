import { ADDED_QUERY_MAX_LENGTH, DESTINATION_MAX_LENGTH, isDestinationUrl } from '@waymark/contract';
import { LOCATION_MAX_BYTES } from '@waymark/service-kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { locationOf, withQuery } from './location.ts';

/** The characters that Node accepts in the query of a request target. */
const requestQuery = fc.stringMatching(/^[!-"$-~]*$/);

describe('"The destination is sent as a valid header whatever its characters"', () => {
  test.each([
    ['https://example.com', 'https://example.com'],
    ['https://example.com/a?b=%20c#d', 'https://example.com/a?b=%20c#d'],
    ['HTTPS://Example.com/A', 'HTTPS://Example.com/A'],
    ['https://пример.рф/путь', 'https://xn--e1afmkfd.xn--p1ai/%D0%BF%D1%83%D1%82%D1%8C'],
    ['https://example.com/a b', 'https://example.com/a%20b'],
    ['https://example.com/"<x>', 'https://example.com/%22%3Cx%3E'],
    ['https://example.com/\u2028\u{1f600}', 'https://example.com/%E2%80%A8%F0%9F%98%80'],
    ['https://example.com\\a', 'https://example.com/a'],
  ])('%s', (destination, location) => {
    expect(locationOf(destination)).toBe(location);
  });

  test('any destination and any query give visible ASCII that reads as the same page', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), requestQuery, (url, query) => {
        const location = withQuery(locationOf(url), query);
        expect(location).toMatch(/^[\x21-\x7e]+$/);
        const [before, after] = [new URL(url), new URL(location)];
        expect(after.origin + after.pathname + after.hash).toBe(before.origin + before.pathname + before.hash);
        for (const name of before.searchParams.keys())
          expect(after.searchParams.getAll(name)).toEqual(before.searchParams.getAll(name));
      }),
    );
  });
});

describe('no destination and query produce a Location over the limit', () => {
  /** Text with the characters that grow most in each part of a URL, mixed with any others. */
  const text = (maxLength: number) =>
    fc.string({
      unit: fc.oneof(
        fc.constantFrom('\u{1f600}', '\u337f', '\ufdfa', '.', '%', '/', '?', '#', 'a'),
        fc.string({ unit: 'binary', maxLength: 1 }),
      ),
      maxLength,
    });
  const growthOf = (destination: string) => locationOf(destination).length / Array.from(destination).length;

  test('a code point becomes at most twelve characters in any position', () => {
    for (const part of ['\u{1f600}', '\u337f.', '\ufdfa', '"', '\u2028'])
      for (const start of ['https://', 'https://e.com/', 'https://e.com/?', 'https://e.com/#']) {
        const destination = start + part.repeat(500);
        if (isDestinationUrl(destination)) expect(growthOf(destination)).toBeLessThanOrEqual(12);
      }
    fc.assert(
      fc.property(text(300), (rest) => {
        fc.pre(isDestinationUrl(`https://${rest}`));
        expect(growthOf(`https://${rest}`)).toBeLessThanOrEqual(12);
      }),
    );
  });

  test('the longest Location is within the limit', () => {
    const start = 'http://a/';
    const destination = start + '\u{1f600}'.repeat(DESTINATION_MAX_LENGTH - start.length);
    const location = withQuery(locationOf(destination), '"'.repeat(ADDED_QUERY_MAX_LENGTH));
    expect(location.length).toBeGreaterThan(30_000);
    expect(location.length).toBeLessThanOrEqual(LOCATION_MAX_BYTES);
  });
});

describe('"Query parameters on the short URL are added to the destination’s (the destination’s own win)"', () => {
  test.each([
    ['https://e.com/p', 'a=1', 'https://e.com/p?a=1'],
    ['https://e.com', 'a=1', 'https://e.com?a=1'],
    ['https://e.com/p?a=1', 'a=2&b=3', 'https://e.com/p?a=1&b=3'],
    ['https://e.com/p?a=1', 'a=2', 'https://e.com/p?a=1'],
    ['https://e.com/p?z=1&y=2#top', 'b=3&a=4', 'https://e.com/p?z=1&y=2&b=3&a=4#top'],
    ['https://e.com/p#top?x', 'b=3', 'https://e.com/p?b=3#top?x'],
    ['https://e.com/p?', 'b=3', 'https://e.com/p?b=3'],
    ['https://e.com/p?a=1&', 'b=3', 'https://e.com/p?a=1&b=3'],
    ['https://e.com/p', 'b=1&b=2&c', 'https://e.com/p?b=1&b=2&c'],
    ['https://e.com/p?caf%C3%A9=1', 'caf%c3%a9=2&x=%2B+y', 'https://e.com/p?caf%C3%A9=1&x=%2B+y'],
    ['https://e.com/p?a+b=1', 'a%20b=2', 'https://e.com/p?a+b=1'],
    ['https://e.com/p', '&&', 'https://e.com/p'],
    ['https://e.com/p', 'q="<\\|', 'https://e.com/p?q=%22%3C%5C%7C'],
    ['https://e.com/p', '%zz=1', 'https://e.com/p?%zz=1'],
    ['https://e.com/p', '__proto__=1', 'https://e.com/p?__proto__=1'],
  ])('%s + %s', (location, query, merged) => {
    expect(withQuery(location, query)).toBe(merged);
  });
});
