import { DESTINATION_MAX_LENGTH } from '@waymark/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_UTM, type Utm, utmOf, utmOfUrl } from './utm.ts';

/** The parameter of each field. */
const PARAMETERS = {
  utmSource: 'utm_source',
  utmCampaign: 'utm_campaign',
  utmMedium: 'utm_medium',
  utmContent: 'utm_content',
  utmTerm: 'utm_term',
} as const satisfies Record<keyof Utm, string>;

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
])('the utm_… of %s are "%s"', (url, text) => {
  for (const [field, name] of Object.entries(PARAMETERS))
    expect(utmOfUrl(url.replaceAll('source', name.slice(4)))).toEqual({ ...NO_UTM, [field]: text });
});

test.each([
  ['utm_source=%F0%9F%98%80', '\u{1f600}'],
  ['%75%74%6D%5f%73%6f%75%72%63%65=a+b', 'a b'],
  ['utm_source2=x', ''],
  ['utm_sourc=x', ''],
  ['a=utm_source=x', ''],
  [`${'%&'.repeat(7_000)}utm_source=x`, 'x'],
  ['utm_source=%zz', '%zz'],
  ['utm_source=%ff', '\ufffd'],
  ['my_utm_source=x', ''],
  [`utm_source=${'a'.repeat(199)}%F0%9F%98%80`, 'a'.repeat(199)],
])('the utm_source of a query is the first one, decoded and not split within a character', (query, text) => {
  expect(utmOf(query).utmSource).toBe(text);
});

test('a long utm_… is cut to 200 characters', () => {
  const url = 'https://example.com/?utm_campaign='.padEnd(DESTINATION_MAX_LENGTH, 'x');
  expect(utmOfUrl(url).utmCampaign).toBe('x'.repeat(200));
});

const expected = (parameters: URLSearchParams) =>
  Object.fromEntries(
    Object.entries(PARAMETERS).map(([field, name]) => {
      const text = parameters.get(name) ?? '';
      return [field, /[^\s\p{Cc}]/u.test(text) ? text : ''];
    }),
  );
const part = fc.oneof(
  fc.constantFrom(...Object.values(PARAMETERS), 'UTM_SOURCE', 'utm%5fterm', '%75tm_source', 'utm_%63%6Fntent'),
  fc.constantFrom('?', '#', '&', '=', '%', '+', '%C3%A9', '%00', '%ff', '/'),
  fc.string({ maxLength: 3 }),
);

test('the utm_… of any query are what URLSearchParams reads', () => {
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const query = parts.join('');
      expect(utmOf(query)).toEqual(expected(new URLSearchParams(query)));
    }),
  );
});

test('the utm_… of any URL are what URL reads', () => {
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const url = new URL(`https://example.com/${parts.join('')}`);
      expect(utmOfUrl(url.href)).toEqual(expected(url.searchParams));
    }),
  );
});
