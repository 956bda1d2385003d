import { describe, expect, test } from 'vitest';
import { clickOf } from './click.ts';
import { clickId } from './click-id.ts';
import { clicksOf, rowOf } from './click-row.ts';
import { NO_UTM } from './utm.ts';

const link = { clicksId: 'l1', accountId: 'a1', utm: NO_UTM };
const visitor = { country: 'DE', visitor: '0123456789abcdef' };
const get = { method: 'GET', headers: {}, referrer: '', host: '', query: '' };
const clickOfGet = (headers: Record<string, string>, query = '', { referrer = '', host = '' } = {}) =>
  clickOf({ ...get, headers, query, referrer, host }, link, visitor, 1_800_000_000_123);

describe('the facts of a click', () => {
  test('are those that were sent, without the visitor’s address', () => {
    const click = clickOfGet(
      { 'user-agent': 'Mozilla/5.0', 'accept-language': 'pt-BR,pt;q=0.9', 'x-forwarded-for': '192.0.2.7' },
      'a=1&utm_source=News%20Letter&utm_source=b&utm_term=shoes&utm_campaign=Summer',
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
      utmCampaign: 'Summer',
      utmMedium: '',
      utmContent: '',
      utmTerm: 'shoes',
      language: 'pt',
      ...visitor,
      host: 'go.example.com',
      prefetch: false,
    });
  });

  test('are cut to 384 (User-Agent), 2,048 (Referer) and 200 characters (utm_…)', () => {
    const query = ['source', 'campaign', 'medium', 'content', 'term'].map((name) => `utm_${name}=${'s'.repeat(999)}`);
    const click = clickOfGet({ 'user-agent': 'u'.repeat(9_999) }, query.join('&'), { referrer: 'r'.repeat(9_999) });
    expect([click.userAgent.length, click.referrer.length]).toEqual([384, 2_048]);
    const { utmSource, utmCampaign, utmMedium, utmContent, utmTerm } = click;
    for (const text of [utmSource, utmCampaign, utmMedium, utmContent, utmTerm]) expect(text).toHaveLength(200);
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
      const { utmSource } = clickOf({ ...get, query }, { ...link, utm: { ...NO_UTM, utmSource: 'shop' } }, visitor, 0);
      expect.soft(utmSource, query).toBe(expected);
    }
  });

  test('have each utm_… of the destination that the query lacks', () => {
    const utm = { utmSource: 's', utmCampaign: 'c', utmMedium: 'm', utmContent: 'n', utmTerm: 't' };
    const click = clickOf({ ...get, query: 'utm_medium=mail&utm_term=%20' }, { ...link, utm }, visitor, 0);
    expect(click).toMatchObject({ ...utm, utmMedium: 'mail' });
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
    const click = clickOfGet({ 'user-agent': 'ü"\\' }, 'utm_source=x&utm_content=y', {
      referrer: '\u2028',
      host: 'go.example.com',
    });
    const row = rowOf(click);
    expect(clicksOf(`[${row},${row}]`)).toEqual([click, click]);
    for (const damaged of [`[${row},["x"]]`, `[${row}`, `[${row},5]`, '{}', '[null]'])
      expect(clicksOf(damaged)).toBeNull();
  });

  test('are read from a row that an earlier version wrote, without a language and all of utm_… but the source', () => {
    const click = clickOfGet({ 'accept-language': 'de' }, 'utm_source=x&utm_campaign=y');
    const row = JSON.parse(rowOf(click)).slice(0, 11);
    expect(clicksOf(JSON.stringify([row]))).toEqual([{ ...click, language: '', utmCampaign: '' }]);
  });

  test.each([
    [9, '0123'],
    [9, '0123456789abcdeg'],
    [9, 5],
    [9, null],
    [10, 5],
    [10, undefined],
    [11, 5],
    [15, null],
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
