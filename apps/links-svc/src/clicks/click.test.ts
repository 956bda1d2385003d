import { describe, expect, test } from 'vitest';
import { clickOf } from './click.ts';
import { clickId } from './click-id.ts';
import { clickOfRow, rowOf } from './click-row.ts';

const link = { id: 'l1', accountId: 'a1' };
const clickOfGet = (headers: Record<string, string>, query = '') =>
  clickOf({ method: 'GET', headers, query }, link, 1_800_000_000_123);

describe('the facts of a click', () => {
  test('as sent, and never the visitor’s address', () => {
    const click = clickOfGet(
      { 'user-agent': 'Mozilla/5.0', referer: 'https://example.org/x', 'x-forwarded-for': '192.0.2.7' },
      'a=1&utm_source=News%20Letter&utm_source=b',
    );
    expect(click).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      accountId: 'a1',
      linkId: 'l1',
      clickedAtMs: 1_800_000_000_123,
      userAgent: 'Mozilla/5.0',
      referrer: 'https://example.org/x',
      utmSource: 'News Letter',
      prefetch: false,
    });
  });

  test('long ones are cut: User-Agent to 384, Referer to 2,048, utm_source to 200 characters', () => {
    const click = clickOfGet(
      { 'user-agent': 'u'.repeat(9_999), referer: 'r'.repeat(9_999) },
      `utm_source=${'s'.repeat(999)}`,
    );
    expect([click.userAgent.length, click.referrer.length, click.utmSource.length]).toEqual([384, 2_048, 200]);
  });

  test.each([
    ['utm_source=%F0%9F%98%80', '\u{1f600}'],
    ['utm_source=%C3%A9', 'é'],
    ['utm%5Fsource=x', 'x'],
    ['utm_source=%zz', '%zz'],
    ['utm_source=%ff', '\ufffd'],
    ['utm_source', ''],
    ['my_utm_source=x', ''],
    [`utm_source=${'a'.repeat(199)}%F0%9F%98%80`, 'a'.repeat(199)],
  ])('utm_source of %s', (query, source) => {
    expect(clickOfGet({}, query).utmSource).toBe(source);
  });

  test.each([
    ['HEAD', {}, true],
    ['GET', {}, false],
    ['GET', { 'sec-purpose': 'prefetch' }, true],
    ['GET', { 'sec-purpose': 'prefetch;prerender' }, true],
    ['GET', { purpose: 'Prefetch' }, true],
    ['GET', { purpose: 'preview' }, false],
    ['POST', {}, false],
  ])('%s with %o is a prefetch: %s', (method, headers, prefetch) => {
    expect(clickOf({ method, headers, query: '' }, link, 0).prefetch).toBe(prefetch);
  });

  test('the spool’s row gives the click back', () => {
    const click = clickOfGet({ 'user-agent': 'ü"\\', referer: '\u2028' }, 'utm_source=x');
    expect(clickOfRow(JSON.parse(JSON.stringify(rowOf(click))))).toEqual(click);
    expect(() => clickOfRow(JSON.parse('["x"]'))).toThrow(TypeError);
  });
});

test('an id is a UUIDv7 of its moment (RFC 9562), and no two are the same', () => {
  const ids = Array.from({ length: 5_000 }, () => clickId(0x0123_4567_89ab));
  for (const id of ids) expect(id).toMatch(/^0123456789ab7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
