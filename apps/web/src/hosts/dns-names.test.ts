import { expect, test } from 'vitest';
import { canBeAlias, domainOf } from './dns-names.ts';

test.each([
  ['go.example.com', 'example.com'],
  ['a.go.example.com', 'example.com'],
  ['example.com', 'example.com'],
  ['go.example.co.uk', 'example.co.uk'],
  ['go.example.com.au', 'example.com.au'],
  ['go.bit.de', 'bit.de'],
])('the domain of %s is %s', (host, domain) => {
  expect(domainOf(host)).toBe(domain);
});

test('only a host below its domain is an alias, and only of a name', () => {
  expect(canBeAlias('go.example.com', 'links.example.net')).toBe(true);
  expect(canBeAlias('example.com', 'links.example.net')).toBe(false);
  for (const target of ['localhost', 'waymark', '192.0.2.7', '[2001:db8::1]'])
    expect(canBeAlias('go.example.com', target), target).toBe(false);
});
