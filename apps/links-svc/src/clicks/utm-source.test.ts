import { DESTINATION_MAX_LENGTH } from '@waymark/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utmSourceOfUrl } from './utm-source.ts';

test.each([
  ['https://example.com/', ''],
  ['https://example.com/?utm_source=Shop', 'Shop'],
  ['https://example.com?utm_source=shop', 'shop'],
  ['https://example.com/?a=1&utm_source=shop&b=2', 'shop'],
  ['https://example.com/?utm%5Fsource=s%20h+o%C3%A9', 's h oé'],
  ['https://example.com/?UTM_SOURCE=shop', ''],
  ['https://example.com/?utm_source=', ''],
  ['https://example.com/?utm_source', ''],
  ['https://example.com/?utm_source=%00%0A%20', ''],
  ['https://example.com/?utm_source=&utm_source=shop', ''],
  ['https://example.com/?utm_source=one&utm_source=two', 'one'],
  ['https://example.com/#?utm_source=shop', ''],
  ['https://example.com/?a=1#utm_source=shop', ''],
  ['https://example.com/?utm_source=shop#top', 'shop'],
  ['https://example.com/utm_source=shop', ''],
  ['https://example.com/?a=?utm_source=shop', ''],
  ['https://example.com/?a=https://other.example/?b=1&utm_source=shop', 'shop'],
])('utm_source of %s is "%s"', (url, source) => {
  expect(utmSourceOfUrl(url)).toBe(source);
});

test('a long utm_source is cut to 200 characters', () => {
  const url = 'https://example.com/?utm_source='.padEnd(DESTINATION_MAX_LENGTH, 'x');
  expect(utmSourceOfUrl(url)).toBe('x'.repeat(200));
});

test('utm_source of any URL is what URL reads', () => {
  const part = fc.oneof(
    fc.constantFrom('utm_source', 'utm%5fsource', '?', '#', '&', '=', '%', '%75tm_source', '+', '%C3%A9', '/'),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const url = new URL(`https://example.com/${parts.join('')}`);
      const source = url.searchParams.get('utm_source') ?? '';
      expect(utmSourceOfUrl(url.href)).toBe(/[^\s\p{Cc}]/u.test(source) ? source : '');
    }),
  );
});
