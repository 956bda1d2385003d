import { expect, test } from 'vitest';
import { cleanUrl, hostOf, isBrokenUrl, mendedUrl, slugOf } from './pasted-url.ts';

const PLAIN = 'https://example.com/a?b=c#d';

test.each([
  PLAIN,
  ` \t${PLAIN}\n`,
  `\u200b${PLAIN}`,
  `\ufeff${PLAIN}\u2069`,
  `\u2066${PLAIN}`,
  'https://exam\u00adple.com/a\u200b?b=c#d',
  `<${PLAIN}>`,
  `“${PLAIN}”`,
  `„${PLAIN}“`,
  `'${PLAIN}'`,
  `«${PLAIN}»`,
  `(<${PLAIN}>)`,
  `[${PLAIN}`,
  `${PLAIN}>`,
  `" ${PLAIN} "`,
  'example.com/a?b=c#d',
  '//example.com/a?b=c#d',
])('%j becomes the URL in it', (text) => {
  expect(cleanUrl(text)).toBe(PLAIN);
});

test.each([
  'https://en.wikipedia.org/wiki/A_(b)',
  'https://example.com/می\u200cخواهم',
  'https://example.com/👩\u200d💻/❤\ufe0f',
  "https://example.com/it's",
  'https://example.com/a, b',
  'HTTP://EXAMPLE.COM',
  'ftp://example.com/',
  'mailto:ada@example.com',
  'ada@example.com',
  'localhost:8080/a',
  'localhost:3000',
  'javascript:alert(1)',
  'tel:+49',
  'example.com:path',
  '192.0.2.1/a',
  'two words.example',
  'nothing',
  'not a url',
  '',
])('%j stays as it is', (text) => {
  expect(cleanUrl(text)).toBe(text);
});

test('a host without a scheme may have a port, and letters of any script', () => {
  for (const url of ['example.com', 'example.com:8080', 'münchen.example/ä', 'example.com?q', 'a.b.example#c'])
    expect(cleanUrl(url)).toBe(`https://${url}`);
});

test('white space inside is noticed if it breaks a URL', () => {
  for (const text of ['https://example.com/a /b?x=1', 'https://exam\tple.com/a/b?x=1', 'example.com/a\u00a0/b?x=1']) {
    expect(isBrokenUrl(cleanUrl(text))).toBe(true);
    expect(mendedUrl(text)).toBe('https://example.com/a/b?x=1');
  }
  for (const text of ['https://example.com/a%20/b', 'not a url', '']) expect(isBrokenUrl(text)).toBe(false);
});

test.each([
  ['https://wm.example/Sale-1', 'Sale-1'],
  [' <http://localhost:8080/sale?x=1#y> ', 'sale'],
  ['wm.example/sale/', 'sale'],
  ['sale ', 'sale'],
  ['\u200bsale', 'sale'],
  ['https://example.com/a/b', 'https://example.com/a/b'],
  ['https://example.com/', 'https://example.com/'],
  ['', ''],
])('the slug of %j is %j', (text, slug) => {
  expect(slugOf(text)).toBe(slug);
});

test.each([
  ['https://go.example.com/', 'go.example.com'],
  ['go.example.com/sale?x=1#y', 'go.example.com'],
  [' <HTTPS://Go.Example.com> ', 'Go.Example.com'],
  ['//go.example.com.', 'go.example.com'],
  ['grüße.example.org', 'grüße.example.org'],
  ['go.example.com:8443', 'go.example.com:8443'],
  ['a@go.example.com', 'a@go.example.com'],
  ['two words', 'two words'],
  ['', ''],
])('the host of %j is %j', (text, host) => {
  expect(hostOf(text)).toBe(host);
});
