import { expect, test } from 'vitest';
import { foldSource } from './analytics-notice.ts';

test.each([
  ['Google.com', 'google.com'],
  ['www.google.com', 'google.com'],
  ['https://www.google.com/', 'google.com'],
  ['http://Example.com:8080/path?x#y', 'example.com'],
  ['Newsletter', 'newsletter'],
  ['mail/july', 'mail/july'],
  ['https://', 'https://'],
])('the source %j is %j', (sent, folded) => {
  expect(foldSource(sent)).toBe(folded);
});
