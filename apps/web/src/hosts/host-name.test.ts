import { expect, test } from 'vitest';
import { readableHost } from './host-name.ts';

test.each([
  'grüße.example.org',
  'go.münchen.example',
  '例え.テスト',
  'правда.example',
  'i❤.ws',
  '😀.example',
  'go.example.com',
  'a-b.example',
])('%s is shown as people write it', (host) => {
  expect(readableHost(new URL(`https://${host}`).hostname)).toBe(host);
});

test.each(['xn--.example', 'xn--9.example', 'xn--999999999.example'])('%s stays as it is', (host) => {
  expect(readableHost(host)).toBe(host);
});
