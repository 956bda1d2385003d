import { expect, test } from 'vitest';
import { meantSource } from './analytics-notice.ts';

const REPORTED = ['google.com', 'direct', 'newsletter', 'bing.com', 'bing.de'];

test.each([
  ['google', 'google.com'],
  [' GOOGLE ', 'google.com'],
  ['www.google', 'google.com'],
  ['www.google.com', 'google.com'],
  ['https://www.Google.com/search?q=x', 'google.com'],
  ['google.com.', 'google.com'],
  ['google.com:8080/path', 'google.com'],
  ['news.ycombinator.com', 'ycombinator.com'],
  ['https://Bücher.example/', 'xn--bcher-kva.example'],
  ['android-app://com.google.android.gm', 'google.com'],
  // Two sources have this name.
  ['bing', undefined],
  ['mail/july', undefined],
  ['newsletter', undefined],
  ['google.com', undefined],
  ['https://', undefined],
])('by the source %j a client means %j', (sent, meant) => {
  expect(meantSource(sent, REPORTED)).toBe(meant);
});
