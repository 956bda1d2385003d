import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clickOf } from './click.ts';
import { clickId } from './click-id.ts';
import { clicksOf, rowOf } from './click-row.ts';

const link = { id: 'l1', accountId: 'a1', utmSource: '' };
const visitor = { country: 'DE', visitor: '0123456789abcdef' };
const get = { method: 'GET', headers: {}, referrer: '', host: '', query: '' };
const clickOfGet = (headers: Record<string, string>, query = '', { referrer = '', host = '' } = {}) =>
  clickOf({ ...get, headers, query, referrer, host }, link, visitor, 1_800_000_000_123);

describe('the facts of a click', () => {
  test('are those that were sent, without the visitor’s address', () => {
    const click = clickOfGet(
      { 'user-agent': 'Mozilla/5.0', 'x-forwarded-for': '192.0.2.7' },
      'a=1&utm_source=News%20Letter&utm_source=b',
      { referrer: 'https://example.org/x', host: 'go.example.com' },
    );
    expect(click).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      accountId: 'a1',
      linkId: 'l1',
      clickedAtMs: 1_800_000_000_123,
      userAgent: 'Mozilla/5.0',
      referrer: 'https://example.org/x',
      utmSource: 'News Letter',
      ...visitor,
      host: 'go.example.com',
      prefetch: false,
    });
  });

  test('are cut to 384 (User-Agent), 2,048 (Referer) and 200 characters (utm_source)', () => {
    const click = clickOfGet({ 'user-agent': 'u'.repeat(9_999) }, `utm_source=${'s'.repeat(999)}`, {
      referrer: 'r'.repeat(9_999),
    });
    expect([click.userAgent.length, click.referrer.length, click.utmSource.length]).toEqual([384, 2_048, 200]);
  });

  const QUERIES = [
    ['utm_source=%F0%9F%98%80', '\u{1f600}'],
    ['utm_source=%C3%A9', 'é'],
    ['utm%5Fsource=x', 'x'],
    ['%75%74%6D%5f%73%6f%75%72%63%65=a+b', 'a b'],
    ['a=1&utm_source=&utm_source=x', ''],
    ['utm_source2=x', ''],
    ['a=utm_source=x', ''],
    [`${'%&'.repeat(7_000)}utm_source=x`, 'x'],
    ['utm_source=%zz', '%zz'],
    ['utm_source=%ff', '\ufffd'],
    ['utm_source', ''],
    ['my_utm_source=x', ''],
    [`utm_source=${'a'.repeat(199)}%F0%9F%98%80`, 'a'.repeat(199)],
  ] as const;
  test('have the first utm_source of the query', () => {
    for (const [query, source] of QUERIES) expect.soft(clickOfGet({}, query).utmSource, query).toBe(source);
  });

  test('utm_source of any query is what URLSearchParams reads', () => {
    const part = fc.oneof(
      fc.constantFrom('utm_source', 'UTM_SOURCE', 'utm%5fsource', '&', '=', '%', '%75tm_source', '+', '%C3%A9'),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const query = parts.join('');
        const source = new URLSearchParams(query).get('utm_source') ?? '';
        expect(clickOfGet({}, query).utmSource).toBe(/[^\s\p{Cc}]/u.test(source) ? source : '');
      }),
    );
  });

  const OF_DESTINATION = [
    ['', 'shop'],
    ['a=1', 'shop'],
    ['utm_source=mail', 'mail'],
    ['utm_source=', 'shop'],
    ['utm_source', 'shop'],
    ['utm_source=%20+%09', 'shop'],
    ['utm_source=%00', 'shop'],
    ['utm_source=&utm_source=mail', 'shop'],
    ['UTM_SOURCE=mail', 'shop'],
  ] as const;
  test('have the utm_source of the destination, unless the query has one', () => {
    for (const [query, expected] of OF_DESTINATION) {
      const { utmSource } = clickOf({ ...get, query }, { ...link, utmSource: 'shop' }, visitor, 0);
      expect.soft(utmSource, query).toBe(expected);
    }
  });

  const METHODS: [string, Record<string, string>, boolean][] = [
    ['HEAD', {}, true],
    ['GET', {}, false],
    ['POST', {}, false],
    ['GET', { 'sec-purpose': '' }, false],
    ['GET', { 'sec-purpose': 'navigate' }, false],
    ['GET', { 'x-purpose': 'previewer' }, false],
    ['GET', { 'x-prefetch': 'prefetch' }, false],
    ['GET', { 'sec-purpose': 'prefetch;prerender' }, true],
    ['GET', { 'sec-purpose': 'prefetch;anonymous-client-ip' }, true],
    ['GET', { 'x-purpose': 'instant, preview' }, true],
    ['GET', { purpose: 'navigate', 'x-moz': 'prefetch' }, true],
    ...['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].flatMap((header) =>
      ['prefetch', 'preview', 'prerender', 'Prefetch', 'PREVIEW', 'PreRender'].map(
        (value): [string, Record<string, string>, boolean] => ['GET', { [header]: value }, true],
      ),
    ),
  ];
  test('say whether it was a prefetch', () => {
    for (const [method, headers, prefetch] of METHODS)
      expect
        .soft(clickOf({ ...get, method, headers }, link, visitor, 0).prefetch, JSON.stringify(headers))
        .toBe(prefetch);
  });

  test('are unchanged by the spool’s row format', () => {
    const click = clickOfGet({ 'user-agent': 'ü"\\' }, 'utm_source=x', { referrer: '\u2028', host: 'go.example.com' });
    const row = rowOf(click);
    expect(clicksOf(`[${row},${row}]`)).toEqual([click, click]);
    for (const damaged of [`[${row},["x"]]`, `[${row}`, `[${row},5]`, '{}', '[null]'])
      expect(clicksOf(damaged)).toBeNull();
  });

  test.each([
    [9, '0123'],
    [9, '0123456789abcdeg'],
    [9, 5],
    [9, null],
    [10, 5],
    [10, undefined],
  ])('a row whose value %i is %j is damaged', (index, wrong) => {
    const row = JSON.parse(rowOf(clickOfGet({})));
    expect(clicksOf(JSON.stringify([row.with(index, wrong)]))).toBeNull();
  });
});

test('an id is a UUIDv7 of its time (RFC 9562) and unique', () => {
  const ids = Array.from({ length: 5_000 }, () => clickId(0x0123_4567_89ab));
  for (const id of ids) expect(id).toMatch(/^0123456789ab7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
