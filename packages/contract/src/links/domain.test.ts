import { expect, test } from 'vitest';
import { hostOfDomain } from './domain.ts';

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
