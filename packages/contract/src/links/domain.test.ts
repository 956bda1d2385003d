import { expect, test } from 'vitest';
import { hostOfDomain, hostOfUrl } from './domain.ts';

test.each([
  ['example.com', 'example.com'],
  ['EXAMPLE.com', 'example.com'],
  ['EXAMPLE.com.', 'example.com'],
  ['example.com。', 'example.com'],
  ['localhost', 'localhost'],
  ['com', 'com'],
  ['_dmarc.example.com', '_dmarc.example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['example。com', 'example.com'],
  ['10.0.0.1', '10.0.0.1'],
  ['[::1]', '[::1]'],
  ['[2001:DB8::0]', '[2001:db8::]'],
])('%j is the host %j', (domain, host) => {
  expect(hostOfDomain(domain)).toBe(host);
});

test.each([
  ...['*.example.com', '＊.example.com', '*', '*.com', 'shop.*.com', '.example.com', '..example.com', 'example..com'],
  ...['example.com..', '.', 'https://example.com', 'https://example.com/', '//example.com', 'example.com/'],
  ...['example.com/path', 'example.com:8080', 'example.com:', 'example.com?a', 'example.com#a', 'me@example.com'],
  ...['example.com,example.org', 'example.com;example.org', 'example.com example.org', ' example.com', '"example.com"'],
  ...[
    "'example.com'",
    '(example.com)',
    'example%2ecom',
    'example.com\\',
    '::1',
    '[::1',
    '[example.com]',
    '[@[::1]',
    '',
  ],
])('%j is no host', (domain) => {
  expect(hostOfDomain(domain)).toBe(null);
});

test.each([
  ['https://go.example', 'go.example'],
  ['https://GO.example:8443/Sale', 'go.example'],
  ['http://go.example.', 'go.example'],
  ['http://go.example.:8080', 'go.example'],
  ['https://Bücher.example.:8443', 'xn--bcher-kva.example'],
  ['http://[2001:DB8::0]:8080/', '[2001:db8::]'],
  ['http://127.1:8080', '127.0.0.1'],
  ['android-app://COM.example/', 'com.example'],
])('the host of %j is %j', (url, host) => {
  expect(hostOfUrl(new URL(url))).toBe(host);
});
