import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withHost } from './with-host.ts';

test.each([
  ['https://old.example/a?b#c', 'https://new.example/a?b#c'],
  ['HTTP://OLD.example', 'HTTP://new.example'],
  ['https://old.example:8443/', 'https://new.example:8443/'],
  ['https://old.example?x=old.example', 'https://new.example?x=old.example'],
  ['https://old.example\\a', 'https://new.example\\a'],
  ['https://www.old.example/', 'https://www.old.example/'],
  ['https://old.example.net/', 'https://old.example.net/'],
  ['https://example/old.example', 'https://example/old.example'],
])('the host of %s is replaced exactly', (url, expected) => {
  expect(withHost(url, 'Old.Example', 'new.example')).toBe(expected);
});

test.each([
  ['https://MÜLLER.example/ä', 'müller.example', 'xn--x-0ga.example', 'https://xn--x-0ga.example/ä'],
  ['https://xn--mller-kva.example/', 'MÜLLER.example', 'a.example', 'https://a.example/'],
  ['http://[2001:DB8::1]:80/x', '[2001:db8:0::1]', 'a.example', 'http://a.example:80/x'],
  ['http://a.example/x', 'a.example', '[2001:db8::1]', 'http://[2001:db8::1]/x'],
  ['http://0x7f.1/x', '127.0.0.1', 'a.example', 'http://a.example/x'],
  ['https://old.example./a', 'old.example', 'new.example', 'https://new.example/a'],
  ['https://old.example/a', 'old.example.', 'new.example.', 'https://new.example/a'],
  ['https://old.example.:8443?b.', 'OLD.example。', 'new.example。', 'https://new.example:8443?b.'],
  ['https://old.example../a', 'old.example', 'new.example', 'https://old.example../a'],
])('hosts are compared as URLs write them: %s from %s', (url, from, to, expected) => {
  expect(withHost(url, from, to)).toBe(expected);
});

test('a URL whose host is replaced and replaced back is what it was', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      const { hostname } = new URL(url);
      const replaced = withHost(url, hostname, 'replaced.example');
      expect(new URL(replaced).hostname).toBe('replaced.example');
      expect(new URL(withHost(replaced, 'replaced.example', hostname)).href).toBe(new URL(url).href);
    }),
  );
});
