import { expect, test } from 'vitest';
import { parseShortUrl } from './short-url.ts';

test.each([
  ['https://go.example', 'https://go.example/Sale'],
  ['https://go.example', 'HTTP://GO.EXAMPLE/sale/?a=b#c'],
  ['https://go.example', 'go.example/sale'],
  ['https://go.example', 'go.example:443/sale'],
  ['http://localhost:8080', 'localhost:8080/sale'],
  ['http://localhost:8080', 'http://localhost:8080/sale?'],
  ['https://go.example', 'https://go.example/%73ale'],
  ['https://go.example', 'https://go.example./%53%61le'],
  ['https://go.example', 'http://go.example:80/x/../sale'],
  ['https://bücher.example', 'https://BÜCHER.example/sale'],
  ['https://bücher.example', 'xn--bcher-kva.example/sale'],
])('for a service at %s, %s is a short URL', (publicUrl, text) => {
  expect(parseShortUrl(text, [publicUrl])).toEqual({ host: null, slugKey: 'sale' });
});

test.each([
  ['https://go.example', 'sale'],
  ['https://go.example', '/sale'],
  ['https://go.example', 'https://go.example/'],
  ['https://go.example', 'https://go.example/docs'],
  ['https://go.example', 'https://go.example/a/b'],
  ['https://go.example', 'https://go.example/a.b'],
  ['https://go.example', 'https://go.example.org/sale'],
  ['https://go.example', 'https://me@go.example/sale'],
  ['https://go.example', 'ftp://go.example/sale'],
  ['https://go.example', 'https://go.example:8080/sale'],
  ['https://go.example', 'https://[/sale'],
  ['https://go.example', 'https://go.example/%zz'],
  ['https://go.example', 'https://go.example/a%2Fb'],
])('for a service at %s, %s is not a short URL', (publicUrl, text) => {
  expect(parseShortUrl(text, [publicUrl])?.host ?? 'another host').not.toBe(null);
});

test('each of the own URLs is the default host, with its own port', () => {
  const own = ['http://go.example:8080', 'http://127.0.0.1:8180'];
  for (const text of ['go.example:8080/sale', 'http://127.0.0.1:8180/sale'])
    expect(parseShortUrl(text, own)).toEqual({ host: null, slugKey: 'sale' });
  for (const text of ['http://go.example:8180/sale', 'http://127.0.0.1/sale'])
    expect(parseShortUrl(text, own)?.host ?? 'another host').not.toBe(null);
});
