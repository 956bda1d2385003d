import { describe, expect, test } from 'vitest';
import { createOriginOf } from './origin.ts';

const originOf = createOriginOf(['go.example.com', 'api.example.com']);
const fromReferrer = (referrer: string) => originOf({ utmSource: '', referrer }).source;

describe('the registrable domain of the Referer', () => {
  const REFERRERS = [
    ['https://www.google.com/', 'google.com'],
    ['https://l.facebook.com/l.php?u=x', 'facebook.com'],
    ['https://m.facebook.com/groups/1', 'facebook.com'],
    ['https://t.co/abc', 't.co'],
    ['https://www.google.co.uk/search?q=x', 'google.co.uk'],
    ['https://com.example', 'com.example'],
    ['https://HN.Algolia.COM/', 'algolia.com'],
    ['http://example.org:8080/path', 'example.org'],
    ['https://user:secret@deep.sub.example.org/', 'example.org'],
    ['https://example.org./', 'example.org'],
    ['https://alice.github.io/blog', 'alice.github.io'],
    ['https://github.io/', 'github.io'],
    ['https://shop.blogspot.com/', 'shop.blogspot.com'],
    ['https://www.example.com/', 'example.com'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['https://www.xn--bcher-kva.de/', 'xn--bcher-kva.de'],
    ['https://пример.рф/', 'xn--e1afmkfd.xn--p1ai'],
    ['https://a_b.example.net/', 'example.net'],
    ['http://192.0.2.7/page', '192.0.2.7'],
    ['http://192.0.2.7:3000/', '192.0.2.7'],
    ['http://[2001:db8::1]:8080/', '2001:db8::1'],
    ['http://localhost:3000/', 'localhost'],
    ['http://intranet/wiki', 'intranet'],
    ['http://wiki.corp.internal/', 'corp.internal'],
    ['android-app://com.google.android.gm/', 'google.com'],
    ['android-app://org.telegram.messenger', 'telegram.org'],
    ['android-app://com.Slack/', 'slack.com'],
    ['android-app://m.facebook.com/', 'facebook.com'],
    ['android-app://www.example.co.uk/', 'example.co.uk'],
    ['android-app://launcher/', 'launcher'],
    [`https://${'a'.repeat(253)}./`, 'a'.repeat(253)],
    [`https://${'a.'.repeat(123)}bcd.com./`, 'bcd.com'],
  ] as const;
  test('is the source', () => {
    for (const [referrer, source] of REFERRERS) expect.soft(fromReferrer(referrer), referrer).toBe(source);
  });
});

test('no source is "direct"', () => {
  for (const referrer of [
    ...['', 'not a URL', '/relative', 'about:blank', 'data:text/html,x', 'file:///home/ada/page.html', 'https://'],
    ...['android-app://', 'https://go.example.com/abc', 'http://GO.example.com:8080/abc', 'https://go.example.com./'],
    ...['https://api.example.com/abc', `https://${'a'.repeat(254)}/`, `https://${'a.'.repeat(124)}bcd.com/`],
    `android-app://${'a'.repeat(254)}`,
  ])
    expect.soft(fromReferrer(referrer), referrer).toBe('direct');
});

describe('utm_source comes first', () => {
  const fromUtm = (utmSource: string) => originOf({ utmSource, referrer: 'https://www.google.com/' }).source;
  const SOURCES = [
    ['Newsletter', 'newsletter'],
    ['  Spring Sale ', 'spring sale'],
    ['ÉTÉ', 'été'],
    ['a\u0000b\nc', 'a b c'],
    ['x'.repeat(300), 'x'.repeat(100)],
    ['🦊'.repeat(120), '🦊'.repeat(100)],
    ['İ'.repeat(100), 'i̇'.repeat(50)],
    ['\ud800lonely', '\ufffdlonely'],
    ["o'brien\\", "o'brien\\"],
  ] as const;
  test('in lower case, without control characters and cut', () => {
    for (const [utmSource, source] of SOURCES) expect.soft(fromUtm(utmSource), utmSource).toBe(source);
    for (const none of ['', ' ', '\t\u0000']) expect.soft(fromUtm(none)).toBe('google.com');
  });
});

test.each([
  ['https://www.google.com/search?q=x', 'www.google.com'],
  ['https://News.YCombinator.com/item', 'news.ycombinator.com'],
  ['android-app://org.telegram.messenger/', 'org.telegram.messenger'],
  ['https://go.example.com/other', ''],
  ['nonsense', ''],
  ['', ''],
])('the referrer of %j is %j, also with utm_source', (referrer, host) => {
  expect(originOf({ utmSource: '', referrer }).referrer).toBe(host);
  expect(originOf({ utmSource: 'Newsletter', referrer })).toEqual({ source: 'newsletter', referrer: host });
});
