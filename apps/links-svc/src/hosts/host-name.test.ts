import { expect, test } from 'vitest';
import { hostOf } from './host-name.ts';

test.each([
  ['go.example', 'go.example'],
  ['GO.Example:8080', 'go.example'],
  ['go.example.', 'go.example'],
  ['go.example.:443', 'go.example'],
  ['localhost:3000', 'localhost'],
  ['127.0.0.1:80', '127.0.0.1'],
  ['[::1]:80', '[::1]'],
  ['a_b.example', 'a_b.example'],
  [`${'a.'.repeat(125)}com:65535`, `${'a.'.repeat(125)}com`],
])('the host of %j is %j', (header, host) => {
  expect(hostOf(header)).toBe(host);
});

test.each([
  undefined,
  '',
  '.',
  '.example',
  'go..example',
  'go.example..',
  'go example',
  'me@go.example',
  'go.example/x',
  'go.example:port',
  'bücher.example',
  `${'a.'.repeat(126)}com`,
  'a'.repeat(1_000),
])('%j has no host', (header) => {
  expect(hostOf(header)).toBeNull();
});
